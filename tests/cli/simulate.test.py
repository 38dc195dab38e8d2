"""simulate, linearize and study, as a person would run them."""
import csv
import json
import signal
import subprocess
import time

from program import PROGRAM, ROOT, ProgramTest, main, run

STEP = ROOT / "scenarios" / "rrr_pd_step.yaml"


class Simulate(ProgramTest):
    def test_a_run_leaves_a_log_and_the_scenario_that_makes_it_again(self):
        first, second = self.folder / "a", self.folder / "b"
        self.done("simulate", STEP, "-o", first, "--npz", "--mcap")
        self.assertEqual(sorted(p.name for p in first.iterdir()), ["index.html", "log.csv", "log.mcap", "log.npz", "report.json", "scenario.yaml"])
        self.done("simulate", first / "scenario.yaml", "-o", second)
        self.assertEqual((first / "log.csv").read_bytes(), (second / "log.csv").read_bytes())
        with open(first / "log.csv") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        self.assertEqual(rows[0][0], "time [s]")
        self.assertEqual(len(rows), 1 + 1501)

    def test_settings_can_be_replaced_and_a_wrong_one_is_refused(self):
        answer = json.loads(self.done("simulate", STEP, "--json", "--set", "run.duration=0.2s", "--set", "seed=7").out)
        self.assertAlmostEqual(answer["simulated"], 0.2)
        self.refused(2, "simulate", STEP, "--set", "run.duraton=1s", says=["run", "did you mean 'duration'?"])
        self.refused(2, "simulate", STEP, "--set", "run.duration", says="there is no '='")
        self.refused(2, "simulate", self.folder / "none.yaml", says="none.yaml")

    def test_a_loop_that_diverges_keeps_its_log_and_says_why(self):
        out = self.folder / "out"
        answer = self.refused(1, "simulate", STEP, "-o", out, "--set", "controller.kd=[1e5, 1e5, 1e5]", "--set", "plant.torque_limits=false",
                              "--set", "converter={}", says=["stops being a finite number", "hint"])
        self.assertIn("# incomplete", (out / "log.csv").read_text())
        self.assertNotIn("nan", answer.out)

    def test_an_interrupt_keeps_what_was_simulated(self):
        out = self.folder / "out"
        process = subprocess.Popen([PROGRAM, "simulate", str(STEP), "-o", str(out), "--set", "run.duration=10000s", "--set", "run.log_every=1000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("# incomplete", (out / "log.csv").read_text())

    def test_every_key_is_explained(self):
        out = self.done("simulate", "--help-keys").out
        for key in ["run.duration", "controller.kp", "plant.walls[].stiffness", "sensors.encoder"]:
            self.assertIn(key, out)

    def test_cases_and_other_scenarios_come_in_one_table_whatever_the_threads(self):
        cases = ROOT / "scenarios" / "rrr_computed_torque.yaml"
        one, two = self.folder / "one", self.folder / "two"
        answer = json.loads(self.done("simulate", cases, "--compare", STEP, "--json", "-o", one, "--threads", "1").out)
        self.assertEqual(len(answer), 5)
        self.assertEqual([len(run["joints"]) for run in answer], [3] * 5)
        exact = next(run for run in answer if run["run"] == "exact")
        self.assertLess(exact["tool_rms"], min(run["tool_rms"] for run in answer if run["run"] != "exact"))
        for key in ["settling", "overshoot", "effort_rms", "peak_torque", "rms_error"]:
            self.assertIn(key, exact["joints"][0])
        self.assertGreater(exact["tick_seconds"], 0)
        self.done("simulate", cases, "--compare", STEP, "-o", two, "--threads", "2")
        for log in one.glob("*/log.csv"):
            self.assertEqual(log.read_bytes(), (two / log.parent.name / "log.csv").read_bytes())
        self.refused(2, "simulate", cases, "--threads", "none", says="threads")

    def test_gains_that_the_hold_makes_unstable_are_warned_of(self):
        answer = run("simulate", STEP, "--set", "controller.kd=[1e4, 1e4, 1e4]", "--set", "plant.torque_limits=false", "--set", "converter={}")
        self.assertIn("unstable when commands are held for 1 ms: largest |eigenvalue|", answer.err)

    def test_linearize_gives_modes_and_a_frequency_response(self):
        bode = self.folder / "bode.csv"
        answer = json.loads(self.done("linearize", STEP, "--json", "--bode", bode).out)
        self.assertEqual(len(answer["A"]), 6)
        self.assertEqual(len(bode.read_text().splitlines()), 402)
        self.refused(2, "linearize", STEP, "--input", "elbo", says="did you mean 'elbow'?")


main()
