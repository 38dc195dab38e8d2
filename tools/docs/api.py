#!/usr/bin/env python3
"""The C++ API reference, a part of the site: Doxygen over the headers that `cmake --install` leaves, with search.

    python3 tools/docs/api.py OUT_FOLDER

Our headers say what a thing is in the `//` comment above it or behind it; as_doxygen() turns those into the comments Doxygen reads.
It is called by Doxygen itself, as `api.py --filter FILE`.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MAIN_PAGE = """\\mainpage C++ API

Start at armature/armature.hpp, the front door: `#include <armature/armature.hpp>` gives an arm from its file to a controlled,
simulated machine. A program that needs one part only includes that part.

The library is made of rooms. Each is a folder of headers and a CMake target `armature::ROOM`, and sees only the rooms above it:

| room | holds |
|---|---|
{rooms}

The search field at the top finds every type, function and setting. [Back to the documentation](../index.html).
"""

SETTINGS = """
PROJECT_NAME = Armature
PROJECT_NUMBER = {version}
PROJECT_BRIEF = "C++ API"
INPUT = src/armature {main_page}
FILE_PATTERNS = *.hpp *.md
RECURSIVE = YES
EXCLUDE_PATTERNS = */testing/* */internal/* */README.md
EXCLUDE_SYMBOLS = *detail*
STRIP_FROM_PATH = src
STRIP_FROM_INC_PATH = src
OUTPUT_DIRECTORY = {work}
HTML_OUTPUT = html
HTML_EXTRA_STYLESHEET = tools/docs/api.css
FILTER_PATTERNS = *.hpp="{filter} --filter"
GENERATE_LATEX = NO
JAVADOC_AUTOBRIEF = YES
AUTOLINK_SUPPORT = YES
EXTRACT_ALL = YES
EXTRACT_PRIVATE = NO
HIDE_FRIEND_COMPOUNDS = YES
SORT_MEMBER_DOCS = NO
VERBATIM_HEADERS = NO
SHOW_USED_FILES = NO
SEARCHENGINE = YES
HAVE_DOT = NO
HTML_TIMESTAMP = NO
QUIET = YES
WARNINGS = NO
"""


def plain(text):
    """The words of a comment, with nothing in them that Doxygen takes for a command. Indented lines are program text."""
    return "    " + text if text.startswith("  ") else re.sub(r"([\\<>#@])", r"\\\1", text)


def as_doxygen(text):
    """The same header with its comments as Doxygen wants them."""
    lines = text.split("\n")
    head = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    for i, line in enumerate(lines):
        words = re.sub(r"^\s*///? ?", "", line)
        if i < head:
            lines[i] = ("/// \\file\n" if i == 0 else "") + "/// " + plain(words)
        elif re.match(r"\s*//", line):
            # A comment that stands far to the right goes on from the one behind the declaration above it.
            goes_on = "///<" in lines[i - 1] and line.index("//") > 20
            lines[i] = ("///< " if goes_on else "/// ") + plain(words)
        else:
            lines[i] = re.sub(r"(?<=[;,{})])\s+// (?!NOLINT|namespace)(.*)", lambda m: "  ///< " + plain(m.group(1)), line, count=1)
    return "\n".join(lines)


def rooms():
    """The table of CONTRIBUTING.md, which the layers follow."""
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = re.search(r"^\| room \| holds \|\n\|[-|]+\|\n((?:\|.*\n)+)", contributing, re.M)
    rows = [row for row in table.group(1).splitlines() if (ROOT / "src/armature" / re.match(r"\| `?(\w+)", row).group(1)).is_dir()]
    return "\n".join(row for row in rows if not re.match(r"\| `?testing", row))


def build(site):
    """Writes SITE/api; False where there is no Doxygen."""
    if not shutil.which("doxygen"):
        return False
    version = re.search(r"project\(armature VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    with tempfile.TemporaryDirectory() as work:
        main_page = Path(work) / "main_page.md"
        main_page.write_text(MAIN_PAGE.format(rooms=rooms()), encoding="utf-8")
        settings = SETTINGS.format(version=version, main_page=main_page, work=work, filter=f"{sys.executable} {Path(__file__).resolve()}")
        subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, text=True, check=True)
        shutil.rmtree(site / "api", ignore_errors=True)
        shutil.move(Path(work) / "html", site / "api")
    return True


if __name__ == "__main__":
    if sys.argv[1] == "--filter":
        sys.stdout.write(as_doxygen(Path(sys.argv[2]).read_text(encoding="utf-8")))
    elif not build(Path(sys.argv[1])):
        sys.exit("api: no doxygen here (./dev docs installs it)")
