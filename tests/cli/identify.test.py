"""identify and validate, as a person would run them: good logs, and logs that are not what they claim."""
import json
import math
import os
import re
import subprocess

from motions import Logs, states
from program import PROGRAM, ROOT, main, run


class BadLogs(Logs):
    def bad(self, header, rows, place, *words):
        log = self.write(header, rows)
        out = self.folder / "identified.yaml"
        for verb in [("identify", "rrr", log, "-o", out), ("validate", "rrr", log)]:
            if verb[0] == "validate" and place is None:
                continue  # validate tells how wrong it is; that is its answer
            answer = self.refused(2, *verb, says=[str(log) + (f":{place}" if place else ""), *words, "\n  hint: "])
            self.assertEqual(answer.out, "")
        self.assertFalse(out.exists())


class Good(Logs):
    def test_a_log_becomes_an_arm_that_every_verb_accepts(self):
        log, out = self.write(self.header, self.rows), self.folder / "identified.yaml"
        answer = self.done("identify", "rrr", log, "-o", out, "--errors", self.folder / "errors.csv", "--page", self.folder / "page")
        for words in ["Processing: ", "The torques depend on 15 combinations", "Every link is physically consistent", "95 % intervals", "Condition number"]:
            self.assertIn(words, answer.out)
        self.assertEqual(self.done("check", out).code, 0)
        self.done("show", out)
        self.done("compute", "gravity", out, "--q", "0.1,0.2,0.3")
        self.done("compute", "inverse-dynamics", out, "--q", "0.1,0.2,0.3", "--v", "1,1,1", "--a", "1,1,1", "--with", "friction,rotor")
        errors = json.loads(self.done("validate", out, log, "--json").out)
        self.assertLess(errors["relative_error"], 0.01)
        described = json.loads(self.done("validate", "rrr", log, "--json").out)
        self.assertLess(described["relative_error"], 0.01)
        self.assertTrue((self.folder / "page" / "index.html").exists())
        self.assertTrue((self.folder / "errors.csv").read_text().startswith("# armature log"))

    def test_json_says_what_is_known_and_how_well(self):
        log = self.write(self.header, self.rows)
        answer = json.loads(self.done("identify", "rrr", log, "--json", "--friction", "three_sigmoid:50,8,1", "--estimator", "ols").out)
        widths = []
        for p in answer["parameters"]:
            if p["determined"]:
                low, high = p["interval_95"]
                self.assertAlmostEqual((low + high) / 2, p["estimate"], delta=1e-9 + 1e-6 * (high - low))
                widths.append(high - low)
        # torques with ten times the noise: intervals that come from the log grow with it (its own friction law: no torque is unmodelled)
        noise, rows = 99, []
        for row in self.rows:
            row = list(row)
            for j in (4, 5, 6):
                noise = (noise * 1103515245 + 12345) % 2**31
                row[j] += 2 * (noise / 2**30 - 1)
            rows.append(row)
        noisy = self.write(self.header, rows, "noisy.csv")
        loud = json.loads(self.done("identify", "rrr", noisy, "--json", "--friction", "three_sigmoid:50,8,1", "--estimator", "ols").out)
        wide = [p["interval_95"][1] - p["interval_95"][0] for p in loud["parameters"] if p["determined"]]
        self.assertEqual(len(wide), len(widths))
        ratios = sorted(b / a for a, b in zip(widths, wide))
        self.assertGreater(ratios[len(ratios) // 2], 1.5, ratios)
        self.assertTrue(all(link["possible"] for link in answer["links"]))

    def test_a_machine_without_friction_needs_no_column_beside_its_inertia(self):
        scenario = self.folder / "smooth.yaml"
        scenario.write_text("scenario: smooth\nrobot: rrr\nstart: {on_reference: true}\nplant: {friction: false}\nsensors: {torque_noise: 0.05}\n"
                            "reference: {kind: fourier, from: [0 deg, -45 deg, 90 deg], base_frequency: 0.2 Hz, sine: [[0.5, 0.3], [0.4, -0.3], [0.6, 0.2]], cosine: [[0.2, -0.2], [0.1, -0.1], [0.3, -0.3]]}\n"
                            "controller: {kind: joint_pd, kp: [2000, 2000, 600], kd: [100, 100, 25]}\nrun: {duration: 6 s, tick: 2 ms}\n")
        self.done("simulate", scenario, "-o", self.folder / "smooth")
        log = self.folder / "smooth" / "log.csv"
        for estimator in ("wls", "energy"):
            answer = self.done("identify", "rrr", log, "--friction", "none", "--no-offsets", "--estimator", estimator, "--json").json
            self.assertFalse([p["name"] for p in answer["parameters"] if p["name"].startswith(("coulomb", "viscous", "offset"))], estimator)

    def test_the_page_heads_with_the_error_of_the_verdict(self):
        self.done("simulate", ROOT / "scenarios" / "rrr_shaken.yaml", "-o", self.folder / "shaken")
        answer = self.done("identify", "rrr", self.folder / "shaken" / "log.csv", "--page", self.folder / "page")
        held_out = re.search(r"Verdict: \w+ model; (\S+ %) prediction error", answer.out)[1]
        head = re.search(r"equations; (\S+ %) prediction error on held-out data", (self.folder / "page" / "index.html").read_text())[1]
        self.assertEqual(head, held_out)

    def test_the_estimate_in_the_parameters_of_a_paper(self):
        log = self.write(self.header, self.rows)
        paper = ROOT / "studies" / "kostic2004" / "base_parameters.txt"
        notes = self.done("show", "rrr", "--json").json["notes"]  # the paper's parameters of this arm, worked out elsewhere
        truth = [float(word) for word in re.search(r"^  here +(.*)$", notes, re.M)[1].split()]
        found = {}
        for without in ("", "p4,p15"):
            answer = self.done("identify", "rrr", log, "--parameters", paper, *(("--without", without) if without else ()), "--no-rotors", "--json").json
            own = found[without] = {p["name"]: p for p in answer["own_parameters"]}
            for k, true in enumerate(truth):
                name = f"p{k + 1}"
                if name in without.split(","):
                    self.assertNotIn(name, own)
                    continue
                half = (own[name]["interval_95"][1] - own[name]["interval_95"][0]) / 2
                self.assertLess(abs(own[name]["estimate"] - true), 1.5 * half + 6e-5, (without, name))  # printed to four digits
        self.assertEqual((len(found[""]), len(found["p4,p15"])), (15, 13))
        # what is known to be zero is no longer shared with the others
        self.assertTrue(all(p["deviation"] <= found[""][name]["deviation"] * (1 + 1e-9) for name, p in found["p4,p15"].items()))
        self.assertTrue(any(p["deviation"] < 0.9 * found[""][name]["deviation"] for name, p in found["p4,p15"].items()))
        # in the parameters that it found by itself they are what it says of them
        lines = self.done("compute", "base-parameters", "rrr").out
        (self.folder / "own.txt").write_text("\n".join(re.findall(r"p\d+ = .*", lines)) + "\n")
        answer = self.done("identify", "rrr", log, "--parameters", self.folder / "own.txt", "--no-rotors", "--json").json
        for own, own_name in zip(answer["own_parameters"], answer["parameters"]):
            self.assertAlmostEqual(own["estimate"], own_name["estimate"], delta=1e-9)
            self.assertAlmostEqual(own["deviation"], own_name["deviation"], delta=1e-9)
        self.assertIn("The same in the parameters", self.done("identify", "rrr", log, "--parameters", paper).out)
        self.assertIn("--without p14: the log says that it is 1.55", self.done("identify", "rrr", log, "--parameters", paper, "--without", "p4,p14", "--json").err)
        self.refused(2, "identify", "rrr", log, "--without", "p4", says="--parameters FILE as well")
        self.refused(2, "identify", "rrr", log, "--parameters", paper, "--without", "p99", says="there is no parameter 'p99'")

    def test_units_in_the_header_are_obeyed(self):
        log = self.write(self.header, self.rows)
        header = ["time [ms]", "q1 [deg]", *self.header[2:]]
        other = self.write(header, [[1000 * r[0], math.degrees(r[1]), *r[2:]] for r in self.rows], "other.csv")
        a, b = (json.loads(self.done("validate", "rrr", path, "--json").out) for path in (log, other))
        self.assertAlmostEqual(a["relative_error"], b["relative_error"], places=9)

    def test_torques_that_were_read_later_than_the_positions(self):
        late = self.write(self.header, [[*r[:4], *before[4:]] for before, r in zip(self.rows, self.rows[2:])])  # 20 ms
        found = json.loads(self.done("identify", "rrr", late, "--torque-delay", "find", "--friction", "three_sigmoid:50,8,1", "--json").out)
        delay = re.search(r"torques are taken to act ([\d.]+) ms before the time of their row", found["processing"])
        self.assertLess(abs(float(delay.group(1)) - 20), 0.2)
        errors = [json.loads(self.done("validate", "rrr", late, "--json", *more).out)["relative_error"] for more in ((), ("--torque-delay", "20ms"))]
        self.assertLess(errors[1], 0.1 * errors[0])
        self.refused(2, "validate", "rrr", late, "--torque-delay", "find", says="is for identify")
        self.refused(2, "validate", "rrr", late, "--torque-delay", "60s", says="6000 steps")

    def test_a_map_names_columns_of_the_motor_side(self):
        # the same log, seen from motors with gears
        arm = (ROOT / "arms" / "rpr.yaml")
        header, rows = self.log_of("rpr", 3, sliding=(1,))
        log = self.write(["time [s]", "p1", "p2", "p3", "i1 [A]", "i2 [A]", "i3 [A]"], [[r[0], *r[1:4], *[x / 2 for x in r[4:]]] for r in rows], "motor.csv")
        map_file = self.folder / "map.yaml"
        map_file.write_text("position: p{}\ncurrent: i{}\ntorque_scale: [2, 2, 2]\n")
        self.refused(2, "validate", arm, log, says="the column 'q1' is missing")
        answer = json.loads(self.done("validate", arm, log, "--map", map_file, "--json").out)
        self.assertLess(answer["relative_error"], 0.01)
        map_file.write_text("position: p{}\ncurent: i{}\n")
        self.refused(2, "validate", arm, log, "--map", map_file, says=["map.yaml"])

    def test_validate_judges_the_joints_that_move_and_says_which_one_rests(self):
        header, rows = self.log_of("rrr", 3, resting=(2,))
        log = self.write(header, rows)
        self.refused(2, "identify", "rrr", log, says="joint 3 never moves")  # it seeks parameters that the log does not show
        said = self.done("validate", "rrr", log, "--page", self.folder / "page").out
        self.assertIn("Joint 3 (elbow) is at rest throughout", said)
        self.assertIn("its error is not judged", said)
        self.assertIn("All moving joints together", said)
        self.assertNotIn("Joint 1 (", said)
        self.assertIn("elbow is at rest and not judged", (self.folder / "page" / "index.html").read_text())
        answer = json.loads(self.done("validate", "rrr", log, "--json").out)
        self.assertEqual([j["samples"] > 0 for j in answer["joints"]], [True, True, False])
        self.assertIsNone(answer["joints"][2]["rms"])  # zero would read as a perfect prediction
        # A heavier load in the log than in the arm shows in the joints that move: the verdict is not made good by the one that rests.
        heavy = self.write(header, [[*r[:4], r[4], 1.5 * r[5], r[6]] for r in rows], "heavy.csv")
        worse = json.loads(self.done("validate", "rrr", heavy, "--json").out)
        self.assertAlmostEqual(worse["joints"][1]["relative"], 1 / 3, delta=0.02)
        self.assertLess(answer["relative_error"], 0.01)

    def test_parameters_that_the_motion_does_not_show_are_reported_not_invented(self):
        rows = [[r[0], r[1], r[2], 0.3, r[4], r[5], r[6]] for r in self.rows]  # joint 3 stands; its torque column is left as it is
        log = self.write(self.header, rows)
        still = self.write(*self.log_of("rrr", 3, resting=(2,)), "still.csv")  # and torques of a motion in which it does stand
        for each in (log, still):
            answer = self.done("identify", "rrr", each, "--json", "--friction", "coulomb_viscous", "--standing-joints").json
            names = {p["name"]: p for p in answer["parameters"]}
            self.assertFalse(names["viscous3"]["determined"], each)
            self.assertTrue(names["viscous2"]["determined"], each)


class Bad(BadLogs):
    def test_a_missing_column(self):
        keep = [i for i, name in enumerate(self.header) if not name.startswith("tau2")]
        self.bad([self.header[i] for i in keep], [[r[i] for i in keep] for r in self.rows], 1, "the column 'tau2' is missing")

    def test_degrees(self):
        header = ["time [s]", "q1", "q2", "q3", *self.header[4:]]
        self.bad(header, [[r[0], *map(math.degrees, r[1:4]), *r[4:]] for r in self.rows], None, "column 'q", "is it in degrees?")

    def test_milliseconds(self):
        self.bad(["time", *self.header[1:]], [[1000 * r[0], *r[1:]] for r in self.rows], None, "column 'time' steps by 10 s", "milliseconds")

    def test_saturated_torque(self):
        limit = 0.5 * max(abs(r[4]) for r in self.rows)
        rows = [[*r[:4], max(-limit, min(limit, r[4])), *r[5:]] for r in self.rows]
        self.bad(self.header, rows, None, "column 'tau1': the torque of joint 1 stands at its largest value", "saturated")

    def test_a_torque_that_was_never_read(self):
        self.bad(self.header, [[*r[:5], 0.0, *r[6:]] for r in self.rows], 2002, "column 'tau2': 0 in every row")

    def test_a_position_that_jumps(self):
        rows = [list(r) for r in self.rows]
        rows[803][2] += 1.5
        self.bad(self.header, rows, 805, "column 'q2': joint 2 jumps")

    def test_too_short_to_say_anything(self):
        log = self.write(self.header, self.rows[:20])
        for verb in ("identify", "validate"):
            answer = self.refused(2, verb, "rrr", log, says=["no equation is left", "hint"])
            self.assertEqual(answer.out, "")
        long = self.write(self.header, self.rows, "long.csv")
        self.refused(2, "validate", "rrr", long, "--from", "100s", says=["no equation is left"])

    def test_a_joint_that_never_moves(self):
        self.bad(self.header, [[*r[:3], 0.25, *r[4:]] for r in self.rows], None, "column 'q3': joint 3 never moves")

    def test_a_log_of_an_arm_with_more_joints(self):
        header, rows = self.log_of("ur5e", 6)
        self.bad(header, rows, 1, "the log has a column 'q4', but 'rrr' has 3 joints")

    def test_a_log_of_another_arm(self):
        header, rows = self.log_of("planar3r", 3)
        log = self.write(header, rows)
        answer = self.refused(2, "identify", "rrr", log, "-o", self.folder / "identified.yaml", says=[str(log), "another arm"])
        self.assertEqual(answer.out, "")

    def test_velocities_in_another_unit(self):
        motion = states(3)
        header = [*self.header, "v1", "v2", "v3"]
        rows = [[*r, *map(math.degrees, m[2])] for r, m in zip(self.rows, motion)]
        self.bad(header, rows, None, "column 'q1': the position changes 0.01745 times as fast as 'v1' says", "degrees per second")

    def test_a_log_that_is_no_log(self):
        self.refused(2, "identify", "rrr", ROOT / "arms" / "rrr.yaml", says="hint:")
        self.refused(2, "identify", "rrr", self.folder / "none.csv", says="none.csv")
        self.refused(2, "identify", "rrr", "-", says="standard input")
        self.refused(2, "identify", "rrr", self.write(self.header, self.rows), "--estimator", "lms", says="known: wls, ols")


class Memory(Logs):
    def peak(self, seconds):
        """Peak memory [kB] of identifying a one-joint log of that length."""
        path = self.folder / f"{seconds}.csv"
        arm = self.folder / "one.yaml"
        arm.write_text("arm: one\njoints:\n  - {name: j, dh: {a: 0.3}, link: {name: l, mass: 1, com: [0.1, 0, 0], inertia: {about: com, xx: 0.01, yy: 0.01, zz: 0.01}}}\n")
        with open(path, "w") as file:
            file.write("time [s],q1 [rad],tau1 [N m]\n")
            for k in range(seconds * 1000):
                t = k / 1000
                q, v, a = math.sin(1.3 * t), 1.3 * math.cos(1.3 * t), -1.69 * math.sin(1.3 * t)
                file.write(f"{t:.3f},{q:.9f},{0.05 * a + 0.3 * math.copysign(1, v) + 0.2 * v:.6f}\n")
        process = subprocess.Popen([PROGRAM, "identify", str(arm), str(path), "--friction", "coulomb_viscous", "--json"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        path.unlink()
        return usage.ru_maxrss

    def test_memory_does_not_grow_with_the_log(self):
        # 1e4 and 1e5 rows; with ARMATURE_LONG_TESTS 1e5 and 1e7
        short, long = (100, 10_000) if os.environ.get("ARMATURE_LONG_TESTS") else (10, 100)
        self.peak(short)
        small, large = self.peak(short), self.peak(long)
        # what a log of a million residuals and 20,000 plotted samples takes at most is allowed for
        self.assertLess(large - small, 25_000, f"{small} kB for {short * 1000} rows, {large} kB for {long * 1000}")


main()
