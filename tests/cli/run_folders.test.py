"""What simulate, study and excite leave on the disk: every run in a folder of its own, complete or not at all."""
import json
import os
import shutil
import signal
import subprocess
import time

from program import PROGRAM, ROOT, ProgramTest, main, run

STEP = ROOT / "scenarios" / "rrr_pd_step.yaml"
SHORT = ("--set", "run.duration=0.03s")
CASES = """scenario: names
robot: rrr
start: {q: [0 deg, -45 deg, 90 deg]}
controller: {kind: joint_pd, kp: 800, kd: 60}
run: {duration: 0.01 s}
cases:
"""
# the second half of each pair asks for the same folder as the first, or for one that is no good
NAMES = ["a b", "a_b", "a/b", "A_B", "..", ".", "...", "con", "COM1.txt", "index.html", "report.json", "x" * 99, "x" * 98, "-o", "é", "ü", ".hidden", "end."]


def tree(folder):
    """Every file under the folder with its contents."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class RunFolders(ProgramTest):
    def scenario(self, names):
        file = self.folder / "cases.yaml"
        # a different seed and duration makes every log different
        file.write_text(CASES + "".join(f"  - {{case: {json.dumps(name, ensure_ascii=False)}, seed: {k + 1}, run: {{duration: {k + 10} ms}}}}\n"
                                        for k, name in enumerate(names)))
        return file

    def interrupted(self, *arguments, after, log=None):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err, time.monotonic() - begin

    def test_every_case_has_a_folder_of_its_own_whatever_its_name(self):
        out = self.folder / "deep" / "out"
        self.done("simulate", self.scenario(NAMES), "-o", out)
        self.assertEqual(self.left_in_folder(), ["cases.yaml", "deep"])
        self.assertEqual([path.name for path in (self.folder / "deep").iterdir()], ["out"])
        folders = [path.name for path in out.iterdir() if path.is_dir()]
        self.assertEqual(len(folders), len(NAMES))
        self.assertEqual(len({name.lower() for name in folders}), len(NAMES))
        self.assertTrue(all(len(name) < 90 and name[0] not in "." and name[-1] != "." for name in folders), folders)
        self.assertFalse({"con", "com1.txt"} & {name.lower() for name in folders})
        rows = sorted(len([line for line in (out / name / "log.csv").read_text().splitlines() if line[:1].isdigit()]) for name in folders)
        self.assertEqual(rows, [k + 11 for k in range(len(NAMES))])  # none was lost
        logs = [log["file"] for log in json.loads((out / "report.json").read_text())["logs"]]
        self.assertEqual(len(set(logs)), len(NAMES))
        for log in logs:
            self.assertTrue((out / log).is_file())

    def test_the_first_file_leads_and_runs_of_one_name_are_told_apart(self):
        mine, other = self.folder / "mine.yaml", self.folder / "other.yaml"
        for file, question in ((mine, "Mine?"), (other, "The other?")):
            file.write_text(CASES.replace("cases:\n", "").replace("robot:", f"question: {question}\nrobot:"))
        out = self.folder / "out"
        answer = self.done("simulate", mine, "--compare", other, "--compare", mine, "-o", out)
        self.assertTrue(answer.out.startswith("Mine?"), answer.out)
        found = json.loads(self.done("simulate", mine, "--compare", other, "--compare", mine, "--json").out)
        self.assertEqual([run["run"] for run in found], ["names (mine.yaml)", "names (other.yaml)", "names (mine.yaml) 2"])
        self.assertEqual(len([path for path in out.iterdir() if path.is_dir()]), 3)

    def test_a_write_that_fails_leaves_the_old_run_whole_and_a_new_folder_not_at_all(self):
        out, fresh = self.folder / "out", self.folder / "new" / "out"
        self.done("simulate", STEP, *SHORT, "--set", "seed=1", "-o", out, "--npz")
        (out / "notes.txt").write_text("mine")
        before = tree(out)
        for size in (0, 500, 5000, 40 << 10):
            for folder in (out, fresh):
                answer = self.refused(2, "simulate", STEP, *SHORT, "--set", "seed=2", "-o", folder, limit_file_size=size, says="File too large")
                self.assertIn(str(folder), answer.err)
                self.assertNotIn(".armature", answer.err)
            self.assertEqual(tree(out), before)
            self.assertEqual(self.left_in_folder(), ["out"])

    def test_a_new_run_replaces_the_old_one_as_a_set_and_nothing_else(self):
        out = self.folder / "out"
        self.done("simulate", STEP, *SHORT, "--set", "seed=1", "-o", out, "--npz", "--mcap")
        (out / "notes.txt").write_text("mine")
        (out / "log.csv").chmod(0o640)
        self.done("simulate", STEP, *SHORT, "--set", "seed=2", "-o", str(out) + "/")
        self.assertEqual(sorted(tree(out)), ["index.html", "log.csv", "notes.txt", "report.json", "scenario.yaml"])
        self.assertIn("seed: 2", (out / "scenario.yaml").read_text())
        self.assertEqual((out / "log.csv").stat().st_mode & 0o777, 0o640)

    def test_a_file_that_cannot_be_replaced_leaves_all_the_others(self):
        out = self.folder / "out"
        self.done("simulate", STEP, *SHORT, "--set", "seed=1", "-o", out)
        (out / "report.json").unlink()
        (out / "report.json").mkdir()  # comes after index.html and log.csv
        before = tree(out)
        self.refused(2, "simulate", STEP, *SHORT, "--set", "seed=2", "-o", out, says="report.json")
        self.assertEqual(tree(out), before)
        self.assertFalse(list(out.glob(".armature*")))

    def test_a_place_that_cannot_be_written_to_is_refused_before_the_run(self):
        file = self.folder / "file"
        file.write_text("")
        for place in (file, file / "out"):
            begin = time.monotonic()
            self.refused(2, "simulate", STEP, "--set", "run.duration=1000s", "-o", place, says=["the folder cannot be made", "choose another folder"])
            self.refused(2, "excite", "rrr", "--page", place, says=["the folder cannot be made", "choose another folder"])
            self.assertLess(time.monotonic() - begin, 20)

    def test_two_runs_at_once_into_one_folder_leave_one_of_them(self):
        out = self.folder / "out"
        for _ in range(3):
            shutil.rmtree(out, ignore_errors=True)
            runs = [subprocess.Popen([PROGRAM, "simulate", str(STEP), *SHORT, "--set", f"seed={seed}", "-o", str(out)], stdout=subprocess.DEVNULL)
                    for seed in (1, 2, 3, 4)]
            self.assertEqual([process.wait(60) for process in runs], [0] * 4)
            seed = next(line for line in (out / "scenario.yaml").read_text().splitlines() if line.startswith("seed"))
            self.assertIn(seed.replace(": ", ": "), (out / "log.csv").read_text())
            self.assertEqual(sorted(tree(out)), ["index.html", "log.csv", "report.json", "scenario.yaml"])

    def test_an_interrupted_study_leaves_nothing(self):
        code, _, _, took = self.interrupted("study", "kostic2004", "-o", self.folder / "a" / "b", after=0.5)
        self.assertEqual(code, -signal.SIGINT)
        self.assertLess(took, 1)
        self.assertEqual(self.left_in_folder(), [])

    def test_of_all_studies_an_interrupt_leaves_those_that_are_complete(self):
        out = self.folder / "b"
        code, _, _, took = self.interrupted("study", "all", "-o", out, after=1.0)
        self.assertEqual(code, -signal.SIGINT)
        self.assertLess(took, 1)
        for folder in out.iterdir() if out.exists() else []:
            self.assertLessEqual({"index.html", "report.json"}, set(tree(folder)), folder)

    def test_ctrl_c_ends_a_run_within_a_second_even_inside_a_tick(self):
        endless = ["run.duration=100000", "run.tick=100000"]
        swinging = ["plant.friction=false", "controller.kd=0", "controller.continuous=true"]  # there is always something to integrate
        for settings in (endless, endless + swinging + ["run.method=cvode"], endless + swinging, ["run.step=1e-9", "run.tick=1", "run.duration=2"]):
            out = self.folder / "out"
            code, _, err, took = self.interrupted("simulate", STEP, *(word for s in settings for word in ("--set", s)), "--set", "converter={}",
                                                  "-o", out, after=1.0)
            self.assertEqual(code, 1, err)
            self.assertIn("stopped by the user at", err)
            self.assertLess(took, 1.5)
            self.assertIn("# incomplete", (out / "log.csv").read_text())

    def test_ctrl_c_in_excite_keeps_the_best_motion_found_so_far(self):
        out = self.folder / "motion.csv"
        code, text, err, _ = self.interrupted("excite", "rrr", "--starts", "1000", "-o", out, after=2.0)
        self.assertEqual(code, 1, err)
        self.assertIn("stopped by the user", err)
        self.assertIn("condition number", text)
        self.assertIn("# stopped:", out.read_text())
        self.done("simulate", STEP, "--set", "reference.kind=table", "--set", f"reference.table={out}", "--set", "run.duration=0.1")


if __name__ == "__main__":
    main()
