#!/usr/bin/env python3
"""docs/coverage.md from docs/coverage.rows: every numbered thing of the five documents and the command that does it.

    python3 tools/docs/coverage.py [--check]

--check changes nothing and fails where the page is not what the rows give. Either way a number that no row names is an error. The docs
build runs every command of the page (tools/docs/build.py).
"""
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
HEAD = """# What the documents contain, and what does it here

Every numbered equation, figure, table and task of the five documents behind this project, with the command line that does the same and the arms that
it does it for. What a command of today does not do yet stands in the last column. The page is written from `docs/coverage.rows` by
`tools/docs/coverage.py`; the commands below each table are run whenever the site is built. `armature study NAME` compares the documents' numbers with
ours, [figures](figures.md) says where each figure is drawn, [errata](errata.md) what is wrong in print.
"""


def numbers(items):
    """(kind, number) of everything that a cell of items names."""
    found = set()
    for item in re.split(r",\s*", items):
        if match := re.fullmatch(r"\((\d+)\)(?:-\((\d+)\))?", item):
            kind, first, last = "equation", match[1], match[2]
        elif match := re.fullmatch(r"(?:Fig\.|Figs) (\d+)(?:-(\d+))?", item):
            kind, first, last = "figure", match[1], match[2]
        elif match := re.fullmatch(r"tasks? (\d+)(?:-(\d+))?", item):
            kind, first, last = "task", match[1], match[2]
        elif match := re.fullmatch(r"Table (\d+|[IV]+)", item):
            kind, first, last = "table", str(ROMAN.get(match[1], match[1])), None
        elif re.fullmatch(r"\(A\d\)|Section [\w.]+", item):
            continue
        else:
            sys.exit(f"coverage.rows: '{item}' is not (1), (1)-(5), Fig. 1, Figs 1-2, Table I, task 1 or Section 1")
        found.update((kind, k) for k in range(int(first), int(last or first) + 1))
    return found


def read(text):
    """Documents: (study, title, counts, rows), rows: (items, what, arms, command, missing)."""
    documents = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("== "):
            study, title, counts = [cell.strip() for cell in line[3:].split("|")]
            wanted = {kind.rstrip("s"): int(count) for kind, count in (pair.split() for pair in counts.split(","))}
            documents.append((study, title, wanted, []))
            continue
        cells = re.split(r"\s*\|\s*", line)
        if len(cells) not in (4, 5):
            sys.exit(f"coverage.rows: {len(cells)} cells: {line}")
        documents[-1][3].append((cells + [""])[:5])
    return documents


def check(documents):
    for study, _, wanted, rows in documents:
        for row in rows:  # what only a study does is not done: it has to be a verb or a scenario, for the arms that the row names
            if row[3].startswith("armature study") or "study only" in " ".join(row).lower():
                sys.exit(f"coverage.rows, {study}: '{row[0]}' is done by a study alone")
        named = set().union(*(numbers(row[0]) for row in rows))
        for kind, count in wanted.items():
            missing = [k for k in range(1, count + 1) if (kind, k) not in named]
            beyond = sorted(k for each, k in named if each == kind and k > count)
            if missing or beyond:
                sys.exit(f"coverage.rows, {study}: no row for {kind} {missing}; beyond the last: {beyond}")


def page(documents):
    parts = [HEAD]
    for study, title, _, rows in documents:
        parts.append(f"\n## {study}\n\n{title}.\n\n| item | what | command | arms | missing today |\n|---|---|---|---|---|\n")
        commands = []
        for items, what, arms, command, missing in rows:
            shown = "–" if command == "-" else f"`{command.partition('  # ')[0]}`"
            parts.append(f"| {items} | {what} | {shown} | {arms or '–'} | {missing or '–'} |\n")
            if command != "-" and command not in commands:
                commands.append(command)
        lines = []
        for command in commands:
            call, hash_, exit_code = command.partition("  # ")
            lines.append(f"$ {call} > answer.txt{hash_}{exit_code}")
        parts.append("\n```console\n" + "\n".join(lines) + "\n```\n")
    return "".join(parts)


def main():
    documents = read((DOCS / "coverage.rows").read_text(encoding="utf-8"))
    check(documents)
    text, target = page(documents), DOCS / "coverage.md"
    if "--check" in sys.argv[1:]:
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            sys.exit("docs/coverage.md is not what docs/coverage.rows gives: run python3 tools/docs/coverage.py")
        return
    target.write_text(text, encoding="utf-8")


main()
