#!/usr/bin/env python3
"""Fails on an include that the room lines of CMakeLists.txt do not allow, on a room that names things outside its namespace, and on a
citation without a reference.

    python3 tools/check_layers.py [ROOT]

A room is a folder under src/armature/ and a line  armature_room(NAME SEES room... LINKS target... [TESTS_ONLY]).
Its files include themselves and what they see; a *.test.cpp also sees the rooms marked TESTS_ONLY, and in
these it sees every room. What stands in <room>/internal or <room>/<folder>/internal is seen by the files of the room alone, and by
none of its headers outside internal, which are installed. The names of a room stand in namespace armature::<room>; only names of rooms are lifted into armature.
Callers (apps/, examples/, studies/, tools/) see every room but those, bench/ sees all. Citations are written [Key2008] or [Key2008, (3)].
"""
import re
import sys
from pathlib import Path

CALLERS = ("apps", "bench", "examples", "studies", "tools")
OF_NO_ROOM = ("armature/armature.h", "armature/rooms.hpp", "armature/version.hpp")  # they see no room themselves
CODE = {".hpp", ".h", ".cpp"}
ROOM = re.compile(r"^armature_room\(\s*(\w+)([^)]*)\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*(<|")([^">]+)[">]')
CITATION = re.compile(r"\[([A-Z][A-Za-z]*\d{4}[a-z]?(?:[,;][^\]\n]*)?)\]")
NAMESPACE = re.compile(r"^namespace (armature\b[\w:]*) \{", re.M)
LIFTED = re.compile(r"^namespace armature \{\n(?:using \w+::\w+;\n)+\}", re.M)
KEY = re.compile(r"\b[A-Z][A-Za-z]*\d{4}[a-z]?\b")
ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)\s*,", re.M)


def words_after(keyword, text):
    """The words between `keyword` and the next all-capital keyword."""
    found = re.search(rf"\b{keyword}\b((?:\s+(?![A-Z_]+\b)\S+)*)", text)
    return found.group(1).split() if found else []


def read_rooms(root):
    """({room: rooms it sees}, rooms for tests only, complaints) from CMakeLists.txt."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    sees, tests_only, complaints = {}, set(), []
    for match in ROOM.finditer(text):
        name, rest = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        for other in words_after("SEES", rest):
            if other not in sees:
                complaints.append(f"CMakeLists.txt:{line}: {name} sees {other}, which is no room declared above it")
        sees[name] = set(words_after("SEES", rest))
        if "TESTS_ONLY" in rest.split():
            tests_only.add(name)
    if not sees:
        complaints.append("CMakeLists.txt:1: no armature_room(...) line found")
    return sees, tests_only, complaints


def code_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in CODE and p.is_file())


def check_includes(root):
    sees, tests_only, complaints = read_rooms(root)
    house = root / "src" / "armature"
    for folder in sorted(p for p in house.glob("*") if p.is_dir() and code_files(p)):
        if folder.name not in sees:
            complaints.append(f"{folder.relative_to(root)}: no armature_room({folder.name} ...) line in CMakeLists.txt")
    doors = [(path, path.relative_to(house).parts[0]) for path in code_files(house)]
    doors += [(path, caller) for caller in CALLERS for path in code_files(root / caller)]
    for path, room in doors:
        if room in CALLERS:
            allowed = set(sees) - (set() if room == "bench" else tests_only)
        elif room in sees:
            allowed = sees[room] | {room}
            if path.name.endswith(".test.cpp"):
                allowed |= set(sees) if room in tests_only else tests_only
        else:
            continue
        place = path.relative_to(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            if not include:
                continue
            quote, target = include.groups()
            parts = target.split("/")
            if parts[0] == "armature" and len(parts) > 2:
                if parts[1] not in allowed:
                    complaints.append(f"{place}:{number}: {room} may not see {parts[1]}")
                elif "internal" in parts[2:-1] and parts[1] != room:
                    complaints.append(f"{place}:{number}: {target} is seen in {parts[1]} alone")
                elif "internal" in parts[2:-1] and path.suffix == ".hpp" and path.parent.name != "internal":
                    complaints.append(f"{place}:{number}: this header is installed, {target} is not")
            elif room in sees and quote == '"' and target not in OF_NO_ROOM:
                complaints.append(f'{place}:{number}: write #include "armature/<room>/<file>", not "{target}"')
    return complaints


def check_namespaces(root):
    sees, complaints = read_rooms(root)[0], []
    house = root / "src" / "armature"
    for path in code_files(house):
        room = path.relative_to(house).parts[0]
        if room not in sees:
            continue
        text = LIFTED.sub("", path.read_text(encoding="utf-8"))
        for space in NAMESPACE.findall(text):
            if space.split("::")[1:2] != [room]:
                complaints.append(f"{path.relative_to(root)}: namespace {space}, in the room {room}")
    return complaints


def check_citations(root):
    complaints = []
    bibliography = root / "docs" / "references.bib"
    keys = ENTRY.findall(bibliography.read_text(encoding="utf-8")) if bibliography.exists() else []
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        complaints.append(f"docs/references.bib: {key} stands there more than once")
    for folder in ("src", "apps", "arms", "bench", "docs", "examples", "studies", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in CODE | {".md", ".yaml"} or not path.is_file():
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                for citation in CITATION.findall(line):
                    for key in KEY.findall(citation):
                        if key not in keys:
                            complaints.append(f"{path.relative_to(root)}:{number}: [{key}] is not in docs/references.bib")
    return complaints


def main(root):
    complaints = check_includes(root) + check_namespaces(root) + check_citations(root)
    print("\n".join(complaints) if complaints else "layers: every include and every citation is allowed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
