#!/usr/bin/env python3
"""Fails on a name that two files define in one namespace: the linker keeps one definition and says nothing.

    python3 tools/check_definitions.py [ROOT]

Types, inline variables, and functions that are templates or inline are looked at (of any other function the linker itself
refuses the second definition). Two files of src/, apps/, studies/ and bench/ count as linked into one program; what
stands in an unnamed namespace belongs to its file alone, and a name that stands twice in one file is the compiler's business.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

FOLDERS = ("src", "apps", "studies", "bench")
CODE = {".hpp", ".h", ".cpp"}
SILENT = re.compile(  # what may hold braces or semicolons without meaning them
    r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s*([\w:]*)$")
TYPE = re.compile(r"(?:struct|class|union|enum)\b(?:\s+(?:class|struct)\b)?\s*(?P<name>[\w:]+(?:\s*<.*?>)?)(?:\s+final)?\s*(?::(?!:).*)?$")
CALLED = re.compile(r"operator\s*(?:\(\s*\)|[^\w\s(]+|[\w:]+)|[\w:~]+(?=\s*\()")
BEFORE = re.compile(r"(?:inline|constexpr|consteval|constinit|extern)\b")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|alignas\s*\([^)]*\)")


def quiet(text):
    """The text without comments, contents of strings and preprocessor lines, each line where it was."""
    return SILENT.sub(lambda m: ('""' if '"' in m.group()[:2] else " ") + "\n" * m.group().count("\n"), text)


def closing(text, opens, closes, start):
    """Where the bracket opened at `start` is closed."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == opens) - (text[i] == closes and text[i - 1] != "-")
        if depth == 0:
            return i
    return len(text)


def split(text):
    """Parts between the commas that stand in no bracket."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def declared(part):
    """(type, name) of a parameter; the name may be missing."""
    part = re.sub(r"\s*=.*", "", part)
    found = re.fullmatch(r"(.*[\s&*>.])(\w+)", part)
    if not found or found.group(1).strip() in ("const", "unsigned", "long"):
        return part, None
    return found.group(1).strip(), found.group(2)


def definition(head):
    """What the text before a brace, or before a semicolon, defines with weak linkage: its name with all that overloads it, or None."""
    template, names, weak, head = [], [], False, ATTRIBUTE.sub("", head)
    while True:
        head = head.lstrip()
        if found := re.match(r"template\s*<", head):
            end = closing(head, "<", ">", found.end() - 1)
            for part in split(head[found.end():end]):
                kind, name = declared(part)
                template.append(kind)
                names.append(name)
                weak = True
            head = head[end + 1:]
        elif found := BEFORE.match(head):
            weak = weak or found.group() in ("inline", "constexpr", "consteval")
            inline = found.group() == "inline"
            head = head[found.end():]
            if inline and "(" not in head.split("=")[0] and not re.match(r"\s*(constexpr\s+)?(template|namespace)\b", head):
                return re.split(r"\s*=", head)[0].split()[-1]  # an inline variable
        elif found := re.match(r"requires\b[^;{]*?(?=\b(struct|class|union)\b)", head):
            head = head[found.end():]
        else:
            break
    if found := TYPE.match(head):
        return re.sub(r"\s+", "", found.group("name"))
    if not weak or "(" not in head or head.startswith(("static ", "using ", "requires ")):
        return None
    for call in CALLED.finditer(head):
        outside = head[:call.start()]
        if outside.count("<") != outside.count(">") - outside.count("->") or call.group() in ("decltype", "noexcept", "requires"):
            continue
        at = head.find("(", call.end())
        parameters = ",".join(declared(part)[0] for part in split(head[at + 1:closing(head, "(", ")", at)]))
        text = f"{call.group()}({parameters})" + (f" of <{','.join(template)}>" if template else "")
        for k, name in enumerate(names):  # whatever a template calls its parameters
            text = re.sub(rf"\b{name}\b", f"${k}", text) if name else text
        return re.sub(r"\s+", " ", re.sub(r"\s*([&*<>,()])\s*", r"\1", text))
    return None


def definitions(text):
    """(qualified name, line) of everything that another file must not define too."""
    scopes, head, line, begun = [], "", 1, 1
    for token in re.findall(r"[{};\n]|[^{};\n]+", quiet(text)):
        outside = all(kind == "namespace" for kind, _ in scopes)
        if token == "\n":
            line += 1
            head += " "
        elif token in "{;}" and head.count("(") <= head.count(")"):  # else a default argument or a lambda
            space = NAMESPACE.match(head.strip()) if token == "{" else None
            if outside and not space and token in "{;" and all(name for _, name in scopes):
                variable = re.match(r"\s*inline\b[^(]*(=|$)", head)
                if (token == "{" or variable) and (name := definition(head)):
                    yield "::".join([name for _, name in scopes if name != "extern"] + [name]), begun
            if space:
                scopes.append(("namespace", space.group(1)))
            elif token == "{":
                linkage = re.fullmatch(r'\s*extern\s*""\s*', head)
                scopes.append(("namespace", "extern") if linkage and outside else ("other", "x"))
            elif token == "}" and scopes:
                scopes.pop()
            head = ""
        else:
            if not head.strip():
                begun = line
            head += token


def main(root):
    files = defaultdict(dict)  # name -> {file: line}
    for folder in FOLDERS:
        for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in CODE):
            place = str(path.relative_to(root))
            for name, line in definitions(path.read_text(encoding="utf-8")):
                files[name].setdefault(place, line)
    failed = False
    for name, places in sorted(files.items()):
        if len(places) > 1:
            failed = True
            print(f"{name} is defined in " + " and in ".join(f"{place}:{line}" for place, line in places.items()))
    if not failed:
        print(f"definitions: {len(files)} names, each defined in one file")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
