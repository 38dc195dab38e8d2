#!/usr/bin/env python3
"""The toolbox in Octave: the same numbers as the program, and errors as sentences. run.py LIBRARY PROGRAM; 77: no Octave."""
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
QUANTITIES = {"inverse-dynamics": "q v a", "forward-dynamics": "q v tau", "mass-matrix": "q", "coriolis": "q v", "gravity": "q",
              "jacobian": "q", "forward-kinematics": "q", "energy": "q v", "regressor": "q v a"}


def main():
    library, program = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve())
    if not shutil.which("octave-cli") or not shutil.which("mkoctfile"):
        print("skipped: octave or mkoctfile is missing (apt install octave liboctave-dev)")
        return 77
    numbers = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        shutil.copytree(HERE.parent, folder / "matlab")
        for arm, n in (("rrr", 3), ("panda", 7)):
            for quantity, inputs in QUANTITIES.items():
                names = [f"{start}{i}" for start in inputs.split() for i in range(1, n + 1)]
                rows = [[numbers.uniform(-2, 2) for _ in names] for _ in range(4)]
                table = folder / f"{arm}_{quantity}.csv"
                table.write_text(",".join(names) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
                subprocess.run([program, "compute", quantity, arm, "--in", table, "--out", folder / f"{arm}_{quantity}_out.csv"], check=True)
        (folder / "reach.yaml").write_text("scenario: reach\nrobot: rrr\nreference: {kind: polynomial, to: 0.5, duration: 0.2 s}\n"
                                           "controller: {kind: computed_torque, kp: 400, kd: 40}\nrun: {duration: 1 s}\n")
        (folder / "shaken.yaml").write_text((HERE.parents[1] / "scenarios" / "rrr_shaken.yaml").read_text())
        done = subprocess.run(["octave-cli", "--quiet", "--no-init-file", str(HERE / "toolbox.m"), str(HERE.parents[1] / "src"), str(library.parent)],
                              cwd=folder, capture_output=True, text=True)
        print(done.stdout, done.stderr)
        return 0 if done.returncode == 0 and "all is well" in done.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
