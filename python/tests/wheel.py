#!/usr/bin/env python3
"""Builds the wheel from a build folder and tries it: wheel.py BUILD; exit code 77 where setuptools, wheel or numpy is missing."""
import importlib.util
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOAL = 6e6  # [bytes] of what users install; with the asserts of a build for tests it is a tenth larger
TRY = """
import ctypes, time, numpy
start, worked = time.perf_counter(), time.process_time()
import armature
spent, worked = time.perf_counter() - start, time.process_time() - worked
assert armature.__file__.startswith({folder!r}), armature.__file__
maps = open("/proc/self/maps").read()
assert {folder!r} + "/armature/lib/libfmt" in maps or "libfmt" not in maps  # what it needs came with it
assert armature.load("panda").inverse_dynamics(*numpy.zeros((3, 7))).shape == (7,)
logs = (ctypes.c_char_p * 1)(b"empty.db3")
lib, rrr, none = armature._library.lib, armature.load("rrr"), ctypes.c_void_p()
assert lib.armature_validate(rrr._handle, logs, 1, None, 0, ctypes.byref(none)) == 2
assert b"has no table 'topics'" in lib.armature_error(), lib.armature_error()  # SQLite was found and asked
print("imported in %.0f ms beyond numpy, %.0f ms of processor time" % (1e3 * spent, 1e3 * worked))
"""


def main():
    missing = [name for name in ("setuptools", "wheel", "numpy") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} missing (apt install {' '.join('python3-' + name for name in missing)})")
        return 77
    environment = {**os.environ, "ARMATURE_BUILD": str(Path(sys.argv[1]).resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("ARMATURE_LIBRARY", "PYTHONPATH"):
        environment.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "setup.py", "-q", "egg_info", "--egg-base", folder, "build", "--build-base", f"{folder}/build",
                        "bdist_wheel", "--bdist-dir", f"{folder}/files", "-d", f"{folder}/dist"], cwd=ROOT, env=environment, check=True)
        wheel, = Path(folder, "dist").glob("*.whl")
        size = wheel.stat().st_size
        print(f"{wheel.name}: {size / 1e6:.2f} MB")
        released = "CMAKE_BUILD_TYPE:STRING=Release" in Path(environment["ARMATURE_BUILD"], "CMakeCache.txt").read_text()
        assert size <= (GOAL if released else 1.1 * GOAL), f"{size} bytes, above the goal of {GOAL / 1e6:g} MB"
        assert re.search(r"-py3-none-(manylinux_2_(\d+)_|linux_)", wheel.name), wheel.name
        zipfile.ZipFile(wheel).extractall(f"{folder}/wheel")
        with sqlite3.connect(f"{folder}/empty.db3") as bag:
            bag.execute("CREATE TABLE other(id INTEGER)")
        packages = str(next(Path(folder, "wheel").glob("**/armature")).parent)
        subprocess.run([sys.executable, "-c", TRY.format(folder=packages)], cwd=folder, env={**environment, "PYTHONPATH": packages}, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
