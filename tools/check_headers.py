#!/usr/bin/env python3
"""Fails on a header that does not compile alone, or that costs its user too much.

    python3 tools/check_headers.py BUILD_FOLDER

Every header under src/armature/ is compiled by itself with the flags of the program (compile_commands.json). The standard library is
precompiled for that, so what a header takes from it is looked up in its text: each std::NAME has to come
from a standard header that it includes, itself or through another of ours. Its cost is the number of lines of code in all files that
the compiler opens for it, without the standard library; it may be that of <Eigen/Dense>.
"""
import functools
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Who includes one of these may as well find it precompiled; the first that fits is taken.
BASES = ["armature/simulation/loop.hpp", "armature/plant/plant.hpp", "armature/model/arm.hpp", "Eigen/Core"]

# What we use of the standard library in headers, and which header says it has it.
STANDARD = {
    "algorithm": "all_of any_of copy fill_n find max min",
    "array": "array get",
    "atomic": "atomic",
    "bitset": "bitset",
    "chrono": "chrono",
    "cmath": "abs acos asin atan atan2 ceil cos exp isfinite log lround pow remainder round sin sqrt tan tanh",
    "complex": "complex abs exp sqrt",
    "concepts": "constructible_from convertible_to default_initializable same_as",
    "cstddef": "ptrdiff_t size_t",
    "cstdint": "int64_t int8_t uint32_t uint64_t uint8_t",
    "cstdio": "FILE fclose size_t",
    "cstring": "memcpy size_t",
    "functional": "function less",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits",
    "map": "map initializer_list less pair",
    "memory": "make_unique shared_ptr unique_ptr",
    "optional": "optional",
    "set": "set initializer_list less",
    "span": "span size_t",
    "stdexcept": "runtime_error",
    "string": "string initializer_list to_string size_t",
    "string_view": "string_view size_t",
    "type_traits": "is_const_v is_constructible_v is_enum_v is_same_v is_void_v",
    "unordered_map": "unordered_multimap",
    "utility": "exchange forward get move pair",
    "variant": "get get_if holds_alternative variant",
    "vector": "vector initializer_list size_t",
}


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


def opened(report):
    """The files that the compiler names with -H."""
    return {line.lstrip(".").strip() for line in report.splitlines() if line.startswith(".")}


def compiled(flags, precompiled, source):
    """What the compiler says of `source`, and how many lines of code it opens files for; what is precompiled counts nothing, though
    the compiler looks into it once more where it is included."""
    header, known = precompiled
    done = subprocess.run([*flags, "-include", header, "-fsyntax-only", "-H", source], text=True, capture_output=True)
    errors = "\n".join(line for line in done.stderr.splitlines() if not re.match(r"[.!x]+ ", line)) if done.returncode else ""
    return sum(lines_of(path) for path in opened(done.stderr) - known), errors


@functools.cache
def lines_of(path):
    """Lines of C++ in a file: those that are neither empty nor a comment nor for the preprocessor."""
    text = re.sub(r"/\*.*?\*/", "", Path(path).read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    lines = (line.split("//")[0].strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("#"))


def text_of(name):
    """A header of ours without comments and what stands in quotes; what the build writes includes nothing."""
    path = ROOT / "src" / name
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8")) if path.exists() else ""
    return re.sub(r'(?m)(?<!#include )"(\\.|[^"\\\n])*"', '""', text)


@functools.cache
def included(name):
    """What this header of ours includes, itself or through another of ours."""
    direct = set(re.findall(r'#include [<"]([^">]+)[">]', text_of(name)))
    return direct.union(*(included(other) for other in direct if other.startswith("armature/")))


def names_from_nowhere(name):
    """What the header takes from the standard library without including what has it."""
    there = {given for header in included(name) for given in STANDARD.get(header, "").split()}
    complaints = []
    for used in sorted(set(re.findall(r"\bstd::(\w+)", text_of(name))) - there):
        homes = [f"<{header}>" for header, names in STANDARD.items() if used in names.split()]
        complaints.append(f"std::{used} is used; include {' or '.join(homes)}" if homes else
                          f"std::{used} is used: say in tools/check_headers.py which header has it")
    return complaints


def check(flags, name, folder, precompiled):
    """(lines, complaints) of a source file that holds nothing but an include."""
    source = source_including([name], folder)
    base, lines = next(found for name_of_base, found in precompiled.items() if not name_of_base or name_of_base in included(name) | {name})
    more, errors = compiled(flags, base, source)
    return lines + more, "\n".join([*names_from_nowhere(name), errors]).strip()


def source_including(names, folder):
    """A file in `folder` that includes these and nothing else."""
    source = folder / (names[-1].replace("/", "_") + ".cpp")
    source.write_text("".join(f"#include <{name}>\n" for name in names), encoding="utf-8")
    return source


def precompile(flags, names, folder):
    """A header that includes these, precompiled beside it, and the files that are in it."""
    header = source_including(names, folder / "precompiled")
    done = subprocess.run([*flags, "-H", "-x", "c++-header", header, "-o", f"{header}.gch"], text=True, stderr=subprocess.PIPE, check=True)
    return header, opened(done.stderr)


def main(build):
    flags = program_flags(build)
    folder = build / "headers"
    for part in ("alone", "precompiled"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    names = sorted(str(header.relative_to(ROOT / "src")) for header in (ROOT / "src/armature").rglob("*.hpp"))
    standard = precompile(flags, [*STANDARD], folder)

    def beyond_standard(name):
        return compiled(flags, standard, source_including([name], folder / "alone"))[0]

    precompiled = {base: (precompile(flags, [*STANDARD, base], folder), beyond_standard(base)) for base in BASES} | {"": (standard, 0)}
    eigen = beyond_standard("Eigen/Dense")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: check(flags, name, folder, precompiled), names))
    failures = 0
    for name, (lines, message) in zip(names, results):
        if message:
            failures += 1
            print(f"src/{name}: does not compile alone\n{message}")
        elif lines > eigen:
            failures += 1
            print(f"src/{name}: {lines} lines, more than <Eigen/Dense>, which has {eigen}")
    print(f"headers: {len(names)} compiled alone, {failures} refused; <Eigen/Dense> is {eigen} lines, the dearest are")
    for lines, name in sorted(((lines, name) for name, (lines, _) in zip(names, results)), reverse=True)[:5]:
        print(f"{lines:8d}  {name}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
