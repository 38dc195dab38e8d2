"""No block of memory stays behind when arms, functions, laws and results are freed, and eight threads share one arm.

    kept_blocks.test.py LIBRARY        ARMATURE_LONG_TESTS=1: over 1e5 loads and 1e5 identifications
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROUNDS = ("100000", "100000") if os.environ.get("ARMATURE_LONG_TESTS") else ("200", "100")


def main():
    library = Path(sys.argv[1]).resolve()
    if not shutil.which("cc"):
        print("skipped: no C compiler")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "kept_blocks"
        subprocess.run(["cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{HERE.parents[1] / 'src'}", HERE / "kept_blocks.c", "-o", program, library,
                        "-lm", "-lpthread", f"-Wl,-rpath,{library.parent}"], check=True)
        return subprocess.run([program, folder, *ROUNDS], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
