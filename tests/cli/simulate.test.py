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
                              "--set", "converter={}", says=["of joint 'elbow' passes", "hint: the loop is to blame, not the step"])
        self.assertIn("# incomplete", (out / "log.csv").read_text())
        self.assertNotIn("nan", answer.out)
        self.assertIn("diverged at t = ", answer.out)
        self.assertNotRegex(answer.out, r"e\+\d\d")
        last = (out / "log.csv").read_text().splitlines()[-1]
        self.assertRegex(last, r"^# incomplete: diverged at t = [0-9.]+ s: the speed of joint '\w+' passes 10000 rad/s$")  # no hint in the sentence
        table = run("simulate", STEP, "--compare", STEP, "--set", "controller.kd=1e5", "--set", "plant.torque_limits=false", "--set", "converter={}")
        self.assertIn("diverged at t = ", table.out)
        self.assertNotRegex(table.out, r"e\+\d\d")

    def test_a_step_too_long_is_to_blame_or_mended_or_accepted(self):
        fall = ROOT / "scenarios" / "rrr_free_fall.yaml"
        fixed = ["--set", "run.method=rk4", "--set", "run.step=5ms", "--set", "run.tick=10ms"]
        self.refused(1, "simulate", fall, *fixed, says=["the energy balance is off by", "% of the work done", "run.accept_energy_error: true"])
        self.done("simulate", fall, *fixed, "--set", "run.accept_energy_error=true")
        answer = self.done("simulate", fall, *fixed[2:])
        self.assertIn("integrator: dormand_prince: error control, because", answer.out)

    def test_the_text_says_how_it_was_integrated_and_what_saturated(self):
        fast = ["--set", "reference.duration=0.15s"]
        answer = self.done("simulate", STEP, *fast)
        self.assertRegex(answer.out, r"integrator: rk4 in steps of at most 1 ms: its fastest mode decays with [0-9.e+]+ 1/s")
        self.assertRegex(answer.out, r"shoulder: saturated [0-9.]+ % of the time")
        answer = self.done("simulate", STEP, "--set", "controller.kp=1e7", "--set", "controller.kd=0")  # full torque, one way or the other
        self.assertRegex(answer.out, r"shoulder: saturated (99\.[5-9]|100) % of the time")
        values = json.loads(self.done("simulate", STEP, *fast, "--json").out)
        self.assertIn("rk4", values["integrator"])
        self.assertGreater(values["saturated"]["shoulder"], 0)
        self.assertTrue(values["energy"]["balanced"])

    def test_limits_are_spoken_of_before_the_run(self):
        far = ["--set", "robot=ur5e", "--set", "start.q=0", "--set", "reference={kind: polynomial, to: [500 deg, 0, 0, 0, 0, 0], duration: 1 s}",
               "--set", "controller={kind: computed_torque, kp: 100, kd: 20}", "--set", "run.duration=0.4s"]
        answer = self.done("simulate", STEP, *far)
        self.assertRegex(answer.err, r"shoulder_pan: speed beyond 180 deg/s from 0\.\d+ s on, at 0\.\d+ s [0-9.]+ deg/s")
        self.assertNotIn("limits of the arm", self.done("simulate", STEP, *far, "--set", "limits=ignore").err)

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

    def test_a_joint_that_never_settles_makes_its_run_the_worst(self):
        pid = ROOT / "scenarios" / "rrr_pid.yaml"
        answer = self.done("simulate", STEP, "--compare", pid)
        row = next(line for line in answer.out.splitlines() if line.strip().startswith("rrr_pd_step"))
        self.assertIn("never", row)  # its shoulder stays 2.7 % off for good
        told = self.done("simulate", STEP, "--compare", pid, "-o", self.folder / "told").out
        tables = json.loads((self.folder / "told" / "report.json").read_text())["logs"][0]["tables"]
        self.assertEqual([table["title"] for table in tables], ["Summary", "Errors"])
        self.assertEqual(tables[1]["header"][2:5], ["waist deg", "shoulder deg", "elbow deg"])
        for row in tables[0]["rows"] + tables[1]["rows"]:  # the page has what the terminal prints
            self.assertTrue(any(line.split() == " ".join(row).split() for line in told.splitlines()), row)
        joints = json.loads(self.done("simulate", STEP, "--compare", pid, "--json").out)[0]["joints"]
        self.assertEqual([joint["settles"] for joint in joints], [joint["settling"] is not None for joint in joints])
        self.assertIn(False, [joint["settles"] for joint in joints])
        self.assertTrue(all(joint["settling"] >= 0.99 for joint in joints if joint["settles"]))  # the reference moves until 1 s

    def test_one_number_counts_for_all_joints_each_in_its_own_unit(self):
        def log(name, *settings):
            self.done("simulate", STEP, "-o", self.folder / name, "--set", "run.duration=0.02s", *(word for s in settings for word in ("--set", s)))
            return (self.folder / name / "log.csv").read_bytes()
        self.assertEqual(log("one", "controller.kp=400", "start.q=10 deg", "belief.mass_factor=1.1"),
                         log("all", "controller.kp=[400, 400, 400]", "start.q=[10 deg, 10 deg, 10 deg]", "belief.mass_factor=[1.1]"))
        self.refused(2, "simulate", STEP, "--set", "controller.kp=[400, 400]", says=["has 2 numbers", "one number for all joints, or one for each: 3"])
        self.refused(2, "simulate", STEP, "--set", "controller.kp=400 m", says="controller.kp")
        self.refused(2, "simulate", STEP, "--set", "controller.kp=-1", says="negative")

    def test_gains_that_the_hold_makes_unstable_are_warned_of(self):
        answer = run("simulate", STEP, "--set", "controller.kd=[1e4, 1e4, 1e4]", "--set", "plant.torque_limits=false", "--set", "converter={}")
        self.assertIn("unstable when commands are held for 1 ms: largest |eigenvalue|", answer.err)

    def test_linearize_gives_modes_and_a_frequency_response(self):
        bode = self.folder / "bode.csv"
        answer = json.loads(self.done("linearize", STEP, "--json", "--bode", bode).out)
        self.assertEqual(len(answer["A"]), 6)
        self.assertEqual(len([line for line in bode.read_text().splitlines() if not line.startswith("#")]), 402)
        self.refused(2, "linearize", STEP, "--input", "elbo", says="did you mean 'elbow'?")


main()
