#!/usr/bin/env python3
"""Fails on a header that does not compile alone, or that costs its user too much.

    python3 tools/check_headers.py BUILD_FOLDER

Every header under src/armature/ is compiled by itself with the flags of the program (compile_commands.json). Its cost is the
number of lines left after preprocessing, beyond those of <Eigen/Dense> alone.
"""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED_LINES_BEYOND_EIGEN = 5000


def program_flags(build):
    """How the program, which sees every room, is compiled: compiler and flags without input and output."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if "/armature_program.dir/" in entry["command"]:
            words = shlex.split(entry["command"])
            words = words[:words.index("-o")]
            if "-include" in words:  # the build's own precompiled headers would hide what a header forgets
                at = words.index("-include")
                del words[at:at + 2]
            return words
    sys.exit(f"check_headers: {build}/compile_commands.json does not compile the program")


def lines_of(flags, source):
    """Lines of C++ that `source` becomes; what is precompiled counts nothing."""
    text = subprocess.run([*flags, "-E", "-fpch-preprocess", source], text=True, capture_output=True).stdout
    return sum(1 for line in text.splitlines() if line and not line.startswith("#"))


def includes_eigen(name, known={}):
    """Whether this header of ours, or one that it includes, includes Eigen."""
    if name not in known:
        known[name] = False
        path = ROOT / "src" / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""  # what the build writes includes nothing
        known[name] = "#include <Eigen/" in text or any(
            includes_eigen(other) for other in re.findall(r'#include "(armature/[^"]+)"', text))
    return known[name]


def check(flags, name, folder, eigen_core):
    """(lines, complaints of the compiler) of a source file that holds nothing but an include.

    A header that includes Eigen may as well find it precompiled: that is four times as fast.
    """
    source = source_including(name, folder)
    if includes_eigen(name):
        flags = [*flags, "-include", eigen_core[0]]
    done = subprocess.run([*flags, "-fsyntax-only", source], text=True, capture_output=True)
    return lines_of(flags, source) + includes_eigen(name) * eigen_core[1], done.stderr if done.returncode else ""


def source_including(name, folder):
    """A file in `folder` that includes `name` and nothing else."""
    source = folder / (name.replace("/", "_") + ".cpp")
    source.write_text(f"#include <{name}>\n", encoding="utf-8")
    return source


def main(build):
    flags = program_flags(build)
    folder = build / "headers"
    folder.mkdir(exist_ok=True)
    names = sorted(str(header.relative_to(ROOT / "src")) for header in (ROOT / "src/armature").rglob("*.hpp"))
    eigen = lines_of(flags, source_including("Eigen/Dense", folder))
    core = source_including("Eigen/Core", folder)
    eigen_core = core, lines_of(flags, core)
    subprocess.run([*flags, "-x", "c++-header", core, "-o", f"{core}.gch"], check=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: check(flags, name, folder, eigen_core), names))
    failures = 0
    for name, (lines, message) in zip(names, results):
        if message:
            failures += 1
            print(f"src/{name}: does not compile alone\n{message}")
        elif lines > eigen + ALLOWED_LINES_BEYOND_EIGEN:
            failures += 1
            print(f"src/{name}: {lines - eigen} lines beyond Eigen, allowed are {ALLOWED_LINES_BEYOND_EIGEN}")
    print(f"headers: {len(names)} compiled alone, {failures} refused; <Eigen/Dense> is {eigen} lines, the dearest add")
    for lines, name in sorted(((lines, name) for name, (lines, _) in zip(names, results)), reverse=True)[:5]:
        print(f"{lines - eigen:+8d}  {name}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
