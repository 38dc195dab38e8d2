#!/usr/bin/env python3
"""Fails on an everyday name, one that <armature/armature.hpp> brings into namespace armature, which is not documented in a sentence.

    python3 tools/check_front_door.py [ROOT]

Such a name is lifted beside its definition (`using control::Reference;` in namespace armature). A sentence is a comment `///` of five words
or more directly above the definition, or above the first of several declarations, that begins with a capital letter and ends with a full stop.
"""
import re
import sys
from pathlib import Path

LIFTED = re.compile(r"^namespace armature \{\n(.*?)^\}  // namespace armature$", re.M | re.S)
USING = re.compile(r"^using [\w:]+::(\w+);$", re.M)
INCLUDE = re.compile(r'^#include "(armature/[^"]+)"$', re.M)
FEWEST_WORDS = 5


def headers_behind(door, source):
    """{path: text} of the door and of all that it includes."""
    found, waiting = {}, [door]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found[path] = path.read_text(encoding="utf-8")
        waiting += [source / name for name in INCLUDE.findall(found[path])]
    return found


def comments_above(name, text):
    """The comments above declarations of `name`, one each; those without a comment are left out."""
    declared = re.compile(rf"^(?:(?:struct|class|enum class) {name}\b|using {name} =|(?!using|return|//|#)[\w:<>&*\[\] ,]*\b{name}\()")
    lines, comments = text.split("\n"), []
    for k, line in enumerate(lines):
        if not declared.match(line):
            continue
        above = k - 1
        while above >= 0 and lines[above].startswith(("template", "requires")):
            above -= 1
        comment = []
        while above >= 0 and lines[above].startswith("///"):
            comment.insert(0, lines[above][3:].strip())
            above -= 1
        if comment:
            comments.append(" ".join(comment))
    return comments


def is_sentence(comment):
    return len(comment.split()) >= FEWEST_WORDS and comment[0].isupper() and comment.endswith((".", ";"))


def main(root):
    source = root / "src"
    headers = headers_behind(source / "armature/armature.hpp", source)
    problems, names = 0, 0
    for path, text in sorted(headers.items()):
        for block in LIFTED.findall(text):
            for name in USING.findall(block):
                names += 1
                if not any(is_sentence(comment) for comment in comments_above(name, text)):
                    problems += 1
                    print(f"{path.relative_to(root)}: '{name}' is not documented in a sentence")
    if not names:
        problems = 1
        print("src/armature/armature.hpp leads to no name in namespace armature")
    if not problems:
        print(f"front door: {names} names, each documented")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
