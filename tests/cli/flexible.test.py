"""Flexible links, limit cycles and smaller models, as a person would run them."""
import json
import math
import re
import shutil

from program import ROOT, ProgramTest, main

PAGE = (ROOT / "docs" / "flexible_links.md").read_text()


def files_of_page():
    return {match[1]: match[0].split("\n", 2)[2].rsplit("\n", 1)[0] + "\n"
            for match in re.finditer(r"^```yaml\n# file: (\S+)\n.*?^```$", PAGE, re.S | re.M)}


def column(log, name):
    rows = [line for line in log.read_text().splitlines() if not line.startswith("#")]
    place = [heading.split(" [")[0] for heading in rows[0].split(",")].index(name)
    return [float(row.split(",")[place]) for row in rows[1:]]


def first_root(f):
    low, high = 1e-3, 0.011
    while (f(high) > 0) == (f(low) > 0):
        low, high = high, high + 0.01
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (f(middle) > 0) == (f(low) > 0) else (low, middle)
    return low


class Flexible(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in files_of_page().items():
            (self.folder / name).write_text(text)
        tight = (self.folder / "four.yaml").read_text().replace(", backlash: 0.05 rad", "")
        (self.folder / "tight.yaml").write_text(tight)

    def run_of(self, *arguments, **here):
        """The log of a run, by channels."""
        self.done("simulate", *arguments, "-o", "ran", **here)
        rows = [line.split(",") for line in (self.folder / "ran" / "log.csv").read_text().splitlines() if not line.startswith("#")]
        shutil.rmtree(self.folder / "ran")
        return {heading.split(" [")[0]: [float(row[k]) for row in rows[1:]] for k, heading in enumerate(rows[0])}

    def modes(self, *arguments):
        answer = json.loads(self.done("linearize", *arguments, "--json").out)
        return [mode["frequency"] for mode in answer["modes"] if mode["im"] > 0]

    def test_a_braked_beam_swings_as_euler_and_bernoulli_say(self):
        text = (self.folder / "tube.yaml").read_text().replace("rotor_inertia: 1e-4", "rotor_inertia: 1e6")
        (self.folder / "tube.yaml").write_text(text)
        mass, end, length, rigidity, inertia = 1.5, 1.0, 0.8, 900.0, 0.0005
        m, j = end / mass, inertia / (mass * length ** 2)

        def condition(b):
            c, s, C, S = math.cos(b), math.sin(b), math.cosh(b), math.sinh(b)
            return 1 + c * C + m * b * (c * S - s * C) - j * b ** 3 * (c * S + s * C) + m * j * b ** 4 * (1 - c * C)
        expected = first_root(condition) ** 2 * math.sqrt(rigidity / (mass * length ** 3)) / (2 * math.pi)
        found = self.modes(self.folder / "swing.yaml", "--set", "plant.torque_limits=false")[0]
        self.assertAlmostEqual(found / expected, 1, delta=0.005)

    def test_its_end_swings_and_rigid_it_does_not(self):
        self.done("simulate", self.folder / "swing.yaml", "-o", self.folder / "out")
        end = {}
        for case in ("flexible", "rigid"):
            log = next((self.folder / "out").glob(f"*{case}*/log.csv"))
            x, y, q = (column(log, name) for name in ("tool_x", "tool_y", "q1"))
            end[case] = max(abs(math.hypot(a - 0.8 * math.cos(t), b - 0.8 * math.sin(t))) for a, b, t in zip(x, y, q))
        self.done("simulate", self.folder / "swing.yaml", "--set", "belief.mass_factor=[0.5]")  # lighter than the beam: a belief
        self.assertLess(end["rigid"], 1e-9)
        self.assertGreater(end["flexible"], 1e-3)

    def test_the_predicted_limit_cycle_is_the_simulated_one(self):
        answer = json.loads(self.done("linearize", self.folder / "play.yaml", "--limit-cycles", "--json").out)
        stable = [cycle for cycle in answer["limit_cycles"] if cycle["stable"]]
        self.assertEqual(len(stable), 1)
        predicted = stable[0]
        self.done("simulate", self.folder / "play.yaml", "-o", self.folder / "out")
        log = self.folder / "out" / "log.csv"
        time, load, gear = column(log, "time"), column(log, "q1"), column(log, "q_motor_gear")
        twist = [g - q for g, q, t in zip(gear, load, time) if t > 2]
        crossings = [t for t, a, b in zip([t for t in time if t > 2], twist, twist[1:]) if a < 0 <= b]
        frequency = (len(crossings) - 1) / (crossings[-1] - crossings[0])
        amplitude = (max(twist) - min(twist)) / 2
        self.assertAlmostEqual(predicted["frequency"] / frequency, 1, delta=0.05)
        self.assertAlmostEqual(predicted["swings"][0]["amplitude"] / amplitude, 1, delta=0.15)
        # dry friction calms this loop, and a higher gain wakes it again
        rough = self.folder / "rough.yaml"
        rough.write_text((self.folder / "four.yaml").read_text().replace("rotor_viscous", "rotor_coulomb: 0.025 N*m, rotor_viscous"))
        for gain, expected in (("0.55", None), ("1", 7.14)):  # the second as simulated
            answer = json.loads(self.done("linearize", self.folder / "play.yaml", "--limit-cycles", "--json", "--set", f"robot={rough}",
                                          "--set", f"controller.kp=[{gain}]").out)
            found = [cycle["frequency"] for cycle in answer["limit_cycles"] if cycle["stable"]]
            self.assertEqual(len(found), 1 if expected else 0)
            if expected:
                self.assertAlmostEqual(found[0] / expected, 1, delta=0.05)
        # outside the loop: the motor's angle is fed back
        outside = json.loads(self.done("linearize", self.folder / "play.yaml", "--limit-cycles", "--json", "--set", "sensors.side=motor").out)
        self.assertEqual([c for c in outside["limit_cycles"] if c["stable"]], [])

    def test_a_law_with_a_memory_is_refused(self):
        self.refused(2, "linearize", self.folder / "play.yaml", "--limit-cycles", "--set", "controller.kind=joint_pid", "--set", "controller.ki=[1]",
                     says=["the law remembers"])

    def test_reduced_models_keep_their_bounds_and_run(self):
        scenario = self.folder / "tight_loop.yaml"
        scenario.write_text((self.folder / "play.yaml").read_text().replace("four.yaml", "tight.yaml"))
        orders = []
        for method in ("balanced", "modal"):
            for order in (3, 5, 7):
                answer = json.loads(self.done("linearize", scenario, "--output", "v_motor_tachometer", "--to", "3kHz", "--reduce", order,
                                              "--method", method, "--json").out)["reduced"]
                self.assertLessEqual(answer["error"], answer["bound"] * (1 + 1e-6) + 1e-9)
                self.assertLessEqual(answer["order"], order)
                self.assertEqual(len(answer["A"]), answer["order"])
                orders.append(answer["order_before"])
        self.assertEqual(set(orders), {9})
        self.refused(2, "linearize", scenario, "--reduce", "99", says=["an order from 1 to 9"])
        self.refused(2, "linearize", scenario, "--model", self.folder / "m.json", says=["add --reduce ORDER or --reduce-drives"])
        self.refused(2, "linearize", self.folder / "play.yaml", "--reduce", "3", "--output", "v1", says=["does not reach this state"])
        small = self.folder / "two.yaml"
        said = self.done("linearize", scenario, "--output", "v1", "--two-inertias", small).out
        self.assertRegex(said, r"5 states, 9 before")
        self.assertGreater(float(re.search(r"within 1 dB up to ([\d.]+) Hz", said)[1]), 100)
        whole, two = self.modes(scenario, "--set", "plant.command=torque"), self.modes(scenario, "--set", "plant.command=torque", "--set", f"robot={small}")
        self.assertEqual(len(two), 1)
        self.assertAlmostEqual(two[0] / whole[0], 1, delta=1e-6)
        self.done("simulate", scenario, "--set", f"robot={small}", "-o", self.folder / "run")

    def test_a_reduced_drive_runs_and_stays_within_its_bound_of_the_whole_one(self):
        # The load behind a brake, a voltage that shakes it: torque of the drive, whole and reduced, from the command line.
        here = {"cwd": self.folder}
        (self.folder / "bench.yaml").write_text(
            "scenario: bench\nquestion: What does the drive give when it is fed with a voltage?\nrobot: tight.yaml\n"
            "plant: {drives: elastic, command: voltage, locks: [{joint: 1}]}\n"
            "reference: {kind: sine, from: [0 rad], amplitude: [1 rad], frequency: [150 Hz]}\n"
            "controller: {kind: joint_pd, kp: [0.1 N*m/rad], kd: [0 N*m*s/rad]}\n"
            "run: {duration: 0.3 s, tick: 0.1 ms}\n")
        loop = (self.folder / "play.yaml").read_text().replace("four.yaml", "tight.yaml").replace("stick: exact", "stick: smooth")
        (self.folder / "loop.yaml").write_text(loop)
        whole_loop = self.run_of("loop.yaml", **here)
        tones = ("reference.frequency=[14 Hz]", "reference.frequency=[150 Hz]")
        whole_bench = {tone: self.run_of("bench.yaml", "--set", tone, **here) for tone in tones}
        for method, order in (("balanced", 3), ("modal", 3), ("balanced", 5)):
            answer = self.done("linearize", "loop.yaml", "--reduce-drives", order, "--method", method, "--model", "small.yaml", "--json",
                               **here).json["reduced_drives"]
            self.assertEqual(len(answer), 1)
            drive = answer[0]
            self.assertEqual(drive["order_before"], 7)
            self.assertLessEqual(drive["order"], order)
            for error in drive["error"]:
                self.assertLessEqual(error, drive["bound"] * (1 + 1e-6))
            text = self.done("linearize", "loop.yaml", "--reduce-drives", order, "--method", method, **here).out
            self.assertIn("bound", text)
            self.assertRegex(text, r"within 1 dB up to [\d.]+ Hz")
            # on the bench: the error's energy is at most the bound times that of what is asked
            block = (self.folder / "small.yaml").read_text()
            (self.folder / "braked.yaml").write_text(block + "  locks: [{joint: 1}]\n")
            for tone in tones:
                small = self.run_of("bench.yaml", "--set", tone, "--with", "braked.yaml", **here)
                off = math.sqrt(sum((a - b) ** 2 for a, b in zip(whole_bench[tone]["tau1"], small["tau1"])))
                asked = math.sqrt(sum(u * u for u in small["u_motor"]))
                self.assertLessEqual(off, drive["bound"] * drive["largest"][0] * asked * (1 + 1e-3))
                self.assertGreater(off, 0)
                self.assertNotIn("v_motor", small)  # no rotor is left
            # in the loop
            again = self.run_of("loop.yaml", "--with", "small.yaml", **here)
            swing = max(whole_loop["q1"]) - min(whole_loop["q1"])
            self.assertGreater(swing, 0.4)
            self.assertLess(max(abs(a - b) for a, b in zip(whole_loop["q1"], again["q1"])), 0.02 * swing)
        self.refused(2, "linearize", "play.yaml", "--reduce-drives", "3", says=["has play, and a linear model knows none", "--two-inertias"], **here)
        self.refused(2, "linearize", "loop.yaml", "--reduce-drives", "8", says=["an order from 1 to 7"], **here)
        self.refused(2, "linearize", "loop.yaml", "--set", "plant.drives=rigid", "--reduce-drives", "3", says=["not elastic"], **here)
        self.refused(2, "simulate", "loop.yaml", "--with", "small.yaml", "--set", "sensors.side=motor", says=["no shaft"], **here)
        (self.folder / "odd.yaml").write_text("plant: {drives: elastic, command: voltage, reduced: [{joint: 1, A: [-1, 0, 0], B: [1, 1, 1, 1], C: [1, 0], D: [0, 0]}]}\n")
        self.refused(2, "simulate", "loop.yaml", "--with", "odd.yaml", says=["row 2 of A has 1 numbers"], **here)


main()
