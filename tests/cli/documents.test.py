"""The scripts of examples/documents: command lines from an arm's description to a controlled run, one for each document, and what they end with."""
import json
import os
import subprocess
from pathlib import Path

from program import PROGRAM, ROOT, ProgramTest, main


class Documents(ProgramTest):
    def walk(self, name):
        """The folder that the script of a document leaves."""
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "armature").symlink_to(Path(PROGRAM).resolve())
        out = self.folder / name
        done = subprocess.run([ROOT / "examples" / "documents" / f"{name}.sh", out], cwd=ROOT, capture_output=True, text=True, timeout=500,
                              env={**os.environ, "NO_COLOR": "1", "PATH": f"{commands}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return out

    def tool_error(self, run):
        return sum(axis["rms_error"] ** 2 for axis in run["tool"][:3]) ** 0.5

    def cases(self, path):
        found = json.loads(path.read_text(encoding="utf-8"))
        runs = {run.get("run", ""): run for run in (found if isinstance(found, list) else [found])}
        for name, run in runs.items():
            self.assertTrue(run["complete"], name)
        return runs

    def test_kostic2002(self):
        runs = self.cases(self.walk("kostic2002") / "writing.json")
        self.assertLess(3 * self.tool_error(runs["all"]), self.tool_error(runs["PD alone"]))

    def test_kostic2004(self):
        out = self.walk("kostic2004")
        self.assertLess(json.loads((out / "validated.json").read_text(encoding="utf-8"))["relative_error"], 0.05)
        runs = self.cases(out / "writing.json")  # with the arm that was identified, not the true one
        self.assertLess(3 * self.tool_error(runs["all"]), self.tool_error(runs["PD alone"]))
        friction = json.loads((out / "friction.json").read_text(encoding="utf-8"))
        self.assertTrue(friction["parameters"])
        self.assertEqual(len((out / "observer.csv").read_text(encoding="utf-8").splitlines()), 403)
        energy = json.loads((out / "energy.json").read_text(encoding="utf-8"))
        self.assertTrue(all(p["determined"] for p in energy["parameters"] if p["name"].startswith("viscous")))
        errors = [json.loads((out / f"{name}.json").read_text(encoding="utf-8"))["joints"][0]["rms_error"] for name in ("tuned", "untuned")]
        self.assertLess(3 * errors[0], errors[1])

    def test_vandeven1986(self):
        out = self.walk("vandeven1986")
        runs = self.cases(out / "move.json")
        self.assertLess(max(abs(axis["end_error"]) for axis in runs["stiff gears"]["joints"]), 0.01)
        self.assertIn("frequency", (out / "bode.csv").read_text(encoding="utf-8"))
        ran_up = {}
        for name in ("whole", "reduced"):
            lines = [line for line in (out / name / "log.csv").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
            place = [heading.split(" ")[0] for heading in lines[0].split(",")].index("q1")
            ran_up[name] = [float(line.split(",")[place]) for line in lines[1:]]
        self.assertGreater(max(ran_up["whole"]), 0.1)
        self.assertLess(max(abs(a - b) for a, b in zip(ran_up["whole"], ran_up["reduced"])), 0.01 * max(ran_up["whole"]))

    def test_tum2019(self):
        out = self.walk("tum2019")
        self.cases(out / "ik.json")
        lines = [line for line in (out / "ik" / "log.csv").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        end = dict(zip((name.split(" ")[0] for name in lines[0].split(",")), lines[-1].split(",")))
        self.assertAlmostEqual(float(end["tool_x"]), 0.93, delta=1e-4)  # task 12: the pose that was asked for
        self.assertAlmostEqual(float(end["tool_y"]), 0.19, delta=1e-4)
        self.assertTrue((out / "collision" / "index.html").exists())

    def test_verona2023(self):
        out = self.walk("verona2023")
        runs = self.cases(out / "joints.json")
        self.assertLess(10 * self.tool_error(runs["exact"]), self.tool_error(runs["masses 20 % too small"]))
        self.assertTrue((out / "force" / "index.html").exists())


main()
