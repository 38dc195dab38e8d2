#!/usr/bin/env python3
"""Holds armature.h, armature.map, abi.txt and libarmature.so against each other, and tries the header as C.

    python3 tools/check_c_interface.py LIBRARY VERSION_HEADERS [FLAG of the compiler...]     (--record writes src/armature/c/abi.txt anew)

- the library exports the functions of the header and nothing else, as armature.map says;
- the declarations are those recorded in abi.txt: what was published stays as it was;
- the library loads on systems from glibc 2.35 and libstdc++ of g++ 12 on;
- the header is C99 and C++, and examples/9_from_c.c prints what is recorded beside it.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEWEST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}


def declarations(header):
    """The header without comments and preprocessor, a declaration a line."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*$", " ", text, flags=re.M)
    text = re.sub(r'extern "C" \{|ARMATURE_API', " ", text)
    text = re.sub(r"\s+", " ", text)
    lines, depth, line = [], 0, ""
    for c in text:
        depth += (c == "{") - (c == "}")
        line += c
        if c == ";" and depth == 0:
            lines.append(line.strip())
            line = ""
    return lines


def functions(header):
    return set(re.findall(r"\b(armature_\w+)\(", "\n".join(d for d in declarations(header) if not d.startswith("typedef"))))


def exported(library):
    listed = subprocess.check_output(["nm", "-D", "--defined-only", str(library)], text=True)
    return {name.split("@")[0] for kind, name in re.findall(r"^\S+ (\w) (\S+)$", listed, re.M) if kind != "A"}


def too_new(library):
    listed = subprocess.check_output(["objdump", "-T", str(library)], text=True)
    for family, version in sorted(set(re.findall(r"\b(GLIBC|GLIBCXX|CXXABI)_([\d.]+)", listed))):
        if tuple(map(int, version.split("."))) > NEWEST[family]:
            names = re.findall(rf"{family}_{re.escape(version)}\)?\s+(\S+)", listed)
            yield f"{library.name}: needs {family} {version} for {', '.join(names)}"


def carried(library):
    """What a wheel brings along (setup.py)."""
    of_the_system = re.compile(r"(ld-linux.*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so")
    listed = subprocess.check_output(["ldd", str(library)], text=True)
    return [Path(path) for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.M) if not of_the_system.match(name)]


def undocumented(text):
    """Functions with no comment above them, or above the one they stand directly below."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("ARMATURE_API"):
            above = lines[number - 1].rstrip()
            if not above.endswith("*/") and not above.endswith(";"):
                yield line


def try_as_c(library, headers, more):
    """Complaints of the compilers and of the program."""
    example = ROOT / "examples" / "9_from_c.c"
    expected = example.with_suffix(".txt").read_text()
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{ROOT / 'src'}", f"-I{headers}", *more]
        alone = Path(folder) / "alone.cpp"
        alone.write_text('#include "armature/armature.h"\nint main() { return 0; }\n')
        program = Path(folder) / "from_c"
        for command in (["c++", "-std=c++11", *flags, "-fsyntax-only", alone],
                        ["cc", "-std=c99", *flags, example, "-o", program, library, f"-Wl,-rpath,{library.parent}"]):
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            if done.returncode:
                yield done.stderr
                return
        done = subprocess.run([str(program)], capture_output=True, text=True, cwd=folder)
        if done.returncode or done.stdout != expected:
            yield f"9_from_c.c ended with {done.returncode} and printed\n{done.stdout}{done.stderr}where is recorded\n{expected}"


def main():
    words = [word for word in sys.argv[1:] if word != "--record"]
    library, headers = Path(words[0]).resolve(), Path(words[1])
    header = (ROOT / "src" / "armature" / "armature.h").read_text(encoding="utf-8")
    record = ROOT / "src" / "armature" / "c" / "abi.txt"
    if "--record" in sys.argv:
        record.write_text("\n".join(declarations(header)) + "\n", encoding="utf-8")
    mapped = set(re.findall(r"^\s+(armature_\w+);", (ROOT / "src/armature/c/armature.map").read_text(), re.M))
    complaints = []
    for what, names in (("armature.map", mapped), (library.name, exported(library))):
        complaints += [f"{what}: lacks {name}" for name in sorted(functions(header) - names)]
        complaints += [f"{what}: has {name}, which armature.h does not declare" for name in sorted(names - functions(header))]
    recorded = set(record.read_text(encoding="utf-8").splitlines())
    complaints += [f"abi.txt: no longer declared: {line}" for line in sorted(recorded - set(declarations(header)))]
    complaints += [f"abi.txt: not recorded: {line}" for line in sorted(set(declarations(header)) - recorded)]
    complaints += [f"armature.h: says nothing about {line}" for line in undocumented(header)]
    for path in [library, *carried(library)]:
        complaints += too_new(path)
    if shutil.which("cc") and shutil.which("c++"):
        complaints += try_as_c(library, headers, words[2:])
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
