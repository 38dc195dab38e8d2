#!/usr/bin/env python3
"""Runs the commands that README.md shows and compares what they print with what stands there.

    python3 tools/check_readme.py BUILD_FOLDER

A line `    $ build/armature ...` is a command; the indented lines below it, up to the next command or the end of the block, are
all it prints.
"""
import difflib
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^    \$ (build/armature .*)$")


def examples(text):
    """(line number, command, lines it should print) of every example."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        command = COMMAND.match(line)
        if command:
            end = at + 1
            while end < len(lines) and not lines[end].startswith("    $") and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            yield at + 1, command.group(1), [shown[4:] for shown in lines[at + 1:end]]


def stripped(lines):
    """Without blank lines at the end and spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in lines).rstrip().split("\n")


def main(build):
    failures, count = 0, 0
    for number, command, shown in examples((ROOT / "README.md").read_text(encoding="utf-8")):
        count += 1
        words = [str(build / "armature"), *shlex.split(command)[1:]]
        done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT)
        difference = list(difflib.unified_diff(stripped(shown), stripped(done.stdout.splitlines()), "README.md", "printed", lineterm=""))
        if difference:
            failures += 1
            print(f"README.md:{number}: $ {command}", *difference, sep="\n")
    print(f"readme: {count} examples, {failures} print something else than shown")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
