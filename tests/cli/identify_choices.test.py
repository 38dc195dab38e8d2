"""identify with friction laws, estimators and processing of one's choice: each is run at what it is for, with a truth that is known."""
import csv
import io
import json
import math
import re

from program import ROOT, ProgramTest, main

ARM = """arm: two
joints:
  - {{name: shoulder, dh: {{a: 0.4}}, friction: {shoulder}, link: {{name: l1, mass: 4, com: [-0.2, 0, 0], inertia: {{about: com, xx: 0.02, yy: 0.06, zz: 0.06}}}}}}
  - {{name: elbow, dh: {{a: 0.3}}, friction: {elbow}, link: {{name: l2, mass: 2, com: [-0.15, 0, 0], inertia: {{about: com, xx: 0.005, yy: 0.02, zz: 0.02}}}}}}
"""
# Izz1 + 0.16 m1 + 0.8 mcx1 + 0.16 m2,  mcx2 + 0.3 m2,  Izz2 - 0.09 m2, moments about the links' frames as DH places them
TRUTH = {"Izz1": 0.06 + 4 * 0.04 + 0.16 * 4 - 0.8 * 0.8 + 0.16 * 2, "mcx2": -0.3 + 0.6, "Izz2": 0.02 + 2 * 0.0225 - 0.18,
         "coulomb1": 2, "viscous1": 1.2, "coulomb2": 1, "viscous2": 0.5}
PLAIN = ("{law: coulomb_viscous, coulomb: 2, viscous: 1.2}", "{law: coulomb_viscous, coulomb: 1, viscous: 0.5}")
RUN = """scenario: shaken
question: What does the arm answer when it is shaken?
robot: {arm}
seed: 3
start: {{on_reference: true}}
sensors: {sensors}
reference: {{kind: fourier, from: [0 deg, 45 deg], base_frequency: {pace} Hz, sine: [[0.5, 0.3, 0.1, 0.1], [0.4, -0.3, 0.3, 0.05]], cosine: [[0.2, -0.2, 0.1, 0.05], [0.1, -0.1, 0.2, -0.1]]}}
controller: {{kind: joint_pd, kp: [1500 N*m/rad, 300 N*m/rad], kd: [60 N*m*s/rad, 10 N*m*s/rad]}}
run: {{duration: {seconds} s, tick: 1 ms}}
"""
MEASURED = "position: q{}_meas\ntorque: tau{}\nreference: q{}_ref\n"


class Choices(ProgramTest):
    def shaken(self, friction=PLAIN, sensors="{}", seconds=30, pace=0.1, smoothing=0.001):
        """An arm, and the log of its shaking."""
        arm, run = self.folder / "two.yaml", self.folder / "run.yaml"
        arm.write_text(ARM.format(shoulder=friction[0], elbow=friction[1]))
        run.write_text(RUN.format(arm=arm, sensors=sensors, seconds=seconds, pace=pace))
        self.done("simulate", run, "--set", f"plant.smoothing={smoothing}", "-o", self.folder / "out")
        return arm, self.folder / "out" / "log.csv"

    def identified(self, arm, log, *options, **more):
        answer = json.loads(self.done("identify", arm, log, "--json", *options, **more).out)
        return {p["name"]: p for p in answer["parameters"]}, answer

    def wrong_by(self, parameters, names=("Izz1", "mcx2", "Izz2")):
        """Largest relative error of these parameters."""
        return max(abs(parameters[n]["estimate"] / TRUTH[n] - 1) for n in names)


def laws_of(path):
    """The friction laws of an arm file: one dictionary a joint."""
    return [{k: v if k == "law" else float(v.split()[0]) for k, v in re.findall(r"(\w+): ([^,}]+)", text) if k != "source"}
            for text in re.findall(r"friction: \{(.*?)\}", path.read_text(), re.S)]


class Friction(Choices):
    def test_the_stribeck_speed_is_found_and_predicts_what_was_not_seen(self):
        arm, log = self.shaken(("{law: stribeck, coulomb: 2, static: 3.5, stribeck_velocity: 0.25, viscous: 1.2}",
                                "{law: stribeck, coulomb: 1, static: 1.6, stribeck_velocity: 0.4, viscous: 0.5}"))
        good, plain = self.folder / "good.yaml", self.folder / "plain.yaml"
        answer = self.done("identify", arm, log, "--to", "20s", "--friction", "stribeck", "-o", good)
        self.assertIn("Friction of joint 1: stribeck, Stribeck speed 0.25", answer.out)
        self.done("identify", arm, log, "--to", "20s", "--friction", "coulomb_viscous", "-o", plain)
        for found, truth in zip(laws_of(good), ((2, 3.5, 0.25, 1.2), (1, 1.6, 0.4, 0.5))):
            self.assertEqual(found["law"], "stribeck")
            for key, value in zip(("coulomb", "static", "stribeck_velocity", "viscous"), truth):
                self.assertLess(abs(found[key] / value - 1), 0.02, key)
        self.done("check", good)
        seen = [json.loads(self.done("validate", path, log, "--from", "20s", "--json").out)["relative_error"] for path in (good, plain)]
        self.assertLess(seen[0], 0.005)
        self.assertGreater(seen[1], 5 * seen[0])

    def test_laws_are_compared_on_the_part_that_is_asked_for_alone(self):
        arm, log = self.shaken(("{law: stribeck, coulomb: 2, static: 3.5, stribeck_velocity: 0.25, viscous: 1.2}", PLAIN[1]))
        text = log.read_text().splitlines()
        head = next(i for i, line in enumerate(text) if not line.startswith("#"))
        tau = text[head].split(",").index("tau1 [N m]")
        spoiled = [line if i <= head or line.startswith("#") or float(line.split(",")[0]) < 21 else ",".join(
            "7" if c == tau and i % 2 else cell for c, cell in enumerate(line.split(","))) for i, line in enumerate(text)]
        other = self.folder / "spoiled.csv"
        other.write_text("\n".join(spoiled) + "\n")
        a, b = (self.identified(arm, path, "--to", "20s")[1] for path in (log, other))
        self.assertEqual([j["friction"] for j in a["joints"]], [j["friction"] for j in b["joints"]])
        for one, two in zip(a["parameters"], b["parameters"]):
            self.assertAlmostEqual(one["estimate"], two["estimate"], places=6)

    def test_sigmoids_with_given_slopes_and_with_slopes_that_are_searched(self):
        arm, log = self.shaken(("{law: three_sigmoid, f1: 3, f2: -1, f3: 0.5, w1: 40, w2: 5, w3: 0.8, viscous: 1.2}", PLAIN[1]))
        fixed, _ = self.identified(arm, log, "--friction", "three_sigmoid:40,5,0.8")
        for name, value in (("f1_1", 3), ("f2_1", -1)):
            low, high = fixed[name]["interval_95"]
            self.assertLess(abs(fixed[name]["estimate"] - value), 0.03, name)
            self.assertLess(high - low, 0.2)
        out = self.folder / "searched.yaml"
        self.done("identify", arm, log, "--friction", "three_sigmoid", "-o", out)
        law = laws_of(out)[0]
        for v in (0.06, 0.1, 0.2, 0.4, 0.8):
            truth = 3 * math.tanh(40 * v) - math.tanh(5 * v) + 0.5 * math.tanh(0.8 * v) + 1.2 * v
            found = sum(law[f"f{k}"] * math.tanh(law[f"w{k}"] * v) for k in (1, 2, 3)) + law["viscous"] * v
            self.assertLess(abs(found / truth - 1), 0.02, v)

    def test_lugres_bristles_come_from_presliding(self):
        arm, log = self.shaken(("{law: lugre, sigma0: 2000, sigma1: 2, sigma2: 1.2, coulomb: 2, static: 3, stribeck_velocity: 0.25}",
                                "{law: lugre, sigma0: 800, sigma1: 1, sigma2: 0.5, coulomb: 1, static: 1.5, stribeck_velocity: 0.3}"))
        out = self.folder / "lugre.yaml"
        answer = self.done("identify", arm, log, "--friction", "lugre", "-o", out)
        self.assertIn("LuGre friction of joint 2: bristle stiffness", answer.out)
        for found, (stiffness, coulomb, static) in zip(laws_of(out), ((2000, 2, 3), (800, 1, 1.5))):
            self.assertEqual(found["law"], "lugre")
            self.assertLess(abs(found["sigma0"] / stiffness - 1), 0.15)
            self.assertLess(abs(found["coulomb"] / coulomb - 1), 0.02)
            self.assertLess(abs(found["static"] / static - 1), 0.02)

    def test_words_that_are_no_law(self):
        arm, log = self.shaken(seconds=2)
        self.refused(2, "identify", arm, log, "--friction", "stribek", says="did you mean 'stribeck'?")
        for text in ("three_sigmoid:1,2", "stribeck:0", "stribeck:-1", "lugre:3", "none:1", "choose:1"):
            self.refused(2, "identify", arm, log, "--friction", text, says=["--friction " + text, "hint: "])


class Estimators(Choices):
    def test_instruments_remove_the_bias_of_noise_that_feedback_carries(self):
        arm, log = self.shaken(sensors="{position_noise: 2e-5}", seconds=40)
        columns = self.folder / "map.yaml"
        columns.write_text(MEASURED)
        common = ("--map", columns, "--no-rotors", "--friction", "coulomb_viscous")
        ols, _ = self.identified(arm, log, *common, "--estimator", "ols")
        iv, _ = self.identified(arm, log, *common, "--estimator", "iv")

        def misses(found, name):
            """Error in half widths of the interval."""
            low, high = found[name]["interval_95"]
            return 2 * abs(found[name]["estimate"] - TRUTH[name]) / (high - low)
        self.assertGreater(self.wrong_by(ols, ["Izz1"]), 10 * self.wrong_by(iv, ["Izz1"]))
        self.assertLess(self.wrong_by(iv, ["Izz1"]), 0.05)
        for name in TRUTH:
            self.assertLess(misses(iv, name), 1.5, name)
        self.assertLess(abs(iv["Izz1"]["bodies"] / TRUTH["Izz1"] - 1), 0.05)  # and the arm that is written has it too
        named, _ = self.identified(arm, log, "--no-rotors", "--friction", "coulomb_viscous", "--estimator", "iv")  # the log's own names
        self.assertLess(self.wrong_by(named, ["Izz1"]), 0.05)
        columns.write_text(MEASURED.replace("reference: q{}_ref", ""))
        self.refused(2, "identify", arm, log, "--map", columns, "--estimator", "iv", says=["the motion that was asked for", "reference: q_ref{}"])

    def test_an_observer_reconstructs_what_differences_drown(self):
        arm, log = self.shaken(sensors="{position_noise: 1e-4}")
        columns = self.folder / "map.yaml"
        columns.write_text(MEASURED)
        common = ("--map", columns, "--no-rotors", "--friction", "coulomb_viscous")
        plain, _ = self.identified(arm, log, *common)
        observed, answer = self.identified(arm, log, *common, "--observer")
        self.assertGreater(self.wrong_by(plain), 0.5)
        self.assertLess(self.wrong_by(observed), 0.05)
        noise = float(re.search(r"a noise of ([\d.e-]+)", answer["processing"]).group(1))
        self.assertLess(abs(noise / 1e-4 - 1), 0.05)  # the noise of the readings is found from them
        given, _ = self.identified(arm, log, *common, "--observer", "--observer-noise", "1e-4", "--observer-jerk", "3")
        self.assertLess(self.wrong_by(given), 0.05)
        self.done("validate", arm, log, "--map", columns, "--observer")

    def test_robust_total_and_likelihood_agree_where_noise_is_plain(self):
        arm, log = self.shaken()
        for kind in ("ols", "wls", "irls", "tls", "ml"):
            found, _ = self.identified(arm, log, "--no-rotors", "--friction", "coulomb_viscous", "--estimator", kind)
            self.assertLess(self.wrong_by(found), 0.03, kind)

    def test_recursive_least_squares_forgets_what_was(self):
        arm, log = self.shaken()
        rows = list(csv.DictReader(line for line in io.StringIO(log.read_text()) if not line.startswith("#")))
        changed = self.folder / "changed.csv"
        with open(changed, "w") as file:
            file.write("time [s],q1 [rad],q2 [rad],tau1 [N m],tau2 [N m]\n")
            for r in rows:
                more = 0.8 * float(r["v1 [rad/s]"]) if float(r["time [s]"]) > 15 else 0  # the grease is gone
                file.write(f'{r["time [s]"]},{r["q1 [rad]"]},{r["q2 [rad]"]},{float(r["tau1 [N m]"]) + more!r},{r["tau2 [N m]"]}\n')
        common = ("--no-rotors", "--friction", "coulomb_viscous")
        whole, _ = self.identified(arm, changed, *common)
        last, _ = self.identified(arm, changed, *common, "--estimator", "rls", "--forgetting", "0.995")
        same, _ = self.identified(arm, changed, *common, "--estimator", "rls")
        self.assertLess(abs(last["viscous1"]["estimate"] - 2.0), 0.05)
        self.assertGreater(abs(whole["viscous1"]["estimate"] - 2.0), 0.2)
        self.assertAlmostEqual(same["viscous1"]["estimate"], whole["viscous1"]["estimate"], places=3)
        self.refused(2, "identify", arm, changed, "--estimator", "rls", "--forgetting", "1.5", says="forgetting factor of 1.5")

    def test_a_short_noisy_log_by_simulation(self):
        arm, log = self.shaken(sensors="{position_noise: 1e-4}", seconds=3, pace=0.4, smoothing=0.01)
        columns = self.folder / "map.yaml"
        columns.write_text(MEASURED)
        common = ("--map", columns, "--no-rotors", "--no-offsets", "--friction", "coulomb_viscous:0.01")
        plain, _ = self.identified(arm, log, *common, "--estimator", "irls")
        arm.write_text(arm.read_text().replace("mass: 4", "mass: 5.5").replace("mass: 2", "mass: 1.5"))  # where the search begins
        found, _ = self.identified(arm, log, *common, "--estimator", "oe", timeout=300)
        self.assertLess(self.wrong_by(found), 0.03)
        self.assertLess(self.wrong_by(found, ["Izz1"]), 0.02)
        self.assertGreater(self.wrong_by(plain, ["Izz1"]), 3 * self.wrong_by(found, ["Izz1"]))

    def test_a_short_noisy_log_by_direct_and_inverse_models(self):
        arm, log = self.shaken(sensors="{position_noise: 1e-4}", seconds=5, pace=0.4)
        columns = self.folder / "map.yaml"
        columns.write_text(MEASURED)
        common = ("--map", columns, "--no-rotors", "--no-offsets", "--friction", "coulomb_viscous:0.01")
        plain, _ = self.identified(arm, log, *common, "--estimator", "irls")
        arm.write_text(arm.read_text().replace("mass: 4", "mass: 5").replace("mass: 2", "mass: 1.7"))  # where the search begins
        found, _ = self.identified(arm, log, *common, "--estimator", "didim", timeout=300)
        self.assertLess(self.wrong_by(found), 0.1)
        self.assertLess(self.wrong_by(found, ["Izz1"]), self.wrong_by(plain, ["Izz1"]))
        for name in TRUTH:
            self.assertLess(abs(found[name]["estimate"] - TRUTH[name]), 4 * found[name]["deviation"], name)
        columns.write_text(MEASURED.replace("reference: q{}_ref", ""))
        self.refused(2, "identify", arm, log, *common, "--estimator", "didim", says=["simulates the loop", "reference: q_ref{}"])
        columns.write_text(MEASURED.replace("q{}_ref", "q{}_meas"))  # follows itself: no loop
        self.refused(2, "identify", arm, log, *common, "--estimator", "didim", says=["is not that of a PID law", "use iv"])

    def test_friction_inertia_and_gravity_of_one_joint_by_a_filter(self):
        law = {"f1": 1.6, "f2": -0.5, "f3": 0.3, "w1": 40, "w2": 5, "w3": 0.8, "viscous": 0.4}
        text = ARM.format(shoulder="{law: three_sigmoid, " + ", ".join(f"{k}: {v}" for k, v in law.items()) + "}", elbow=PLAIN[1])
        arm, run = self.folder / "two.yaml", self.folder / "run.yaml"
        arm.write_text(text.replace("arm: two\n", "arm: two\ngravity: [0, -9.81, 0]\n"))
        held = RUN.replace("[0.4, -0.3, 0.3, 0.05]", "[0, 0, 0, 0]").replace("[0.1, -0.1, 0.2, -0.1]", "[0, 0, 0, 0]").replace("300 N*m/rad", "5000 N*m/rad")
        run.write_text(held.format(arm=arm, sensors="{encoder: 1e-5}", seconds=30, pace=0.1).replace("10 N*m*s/rad]", "30 N*m*s/rad]"))
        self.done("simulate", run, "-o", self.folder / "out", timeout=300)
        log, columns, out = self.folder / "out" / "log.csv", self.folder / "map.yaml", self.folder / "filtered.yaml"
        columns.write_text("position: q{}_meas\ntorque: tau{}\n")
        arm.write_text(re.sub("shoulder, dh: {a: 0.4}, friction: {.*?}", "shoulder, dh: {a: 0.4}, friction: {law: coulomb_viscous, coulomb: 1}", arm.read_text()))
        answer = json.loads(self.done("identify", arm, log, "--map", columns, "--estimator", "ekf", "-o", out, "--page", self.folder / "page", "--json", timeout=300).out)
        self.assertEqual(answer["joint"], "shoulder")
        found = {p["name"]: p for p in answer["parameters"]}
        # elbow at 45 degrees: inertia about the shoulder, gravity of both links
        c = math.cos(math.pi / 4)
        inertia = 0.06 + 4 * 0.04 + 0.02 + 2 * (0.16 + 0.0225 + 2 * 0.4 * 0.15 * c)
        lever = complex(4 * 0.2 + 2 * (0.4 + 0.15 * c), 2 * 0.15 * c)
        self.assertLess(abs(found["J"]["estimate"] / inertia - 1), 0.02)
        self.assertLess(abs(found["c"]["estimate"] / (9.81 * abs(lever)) - 1), 0.02)
        filtered = laws_of(out)[0]
        self.assertEqual(filtered["law"], "three_sigmoid")
        for v in (0.05, 0.1, 0.2, 0.4, 0.6):
            curve = [sum(x[f"f{k}"] * math.tanh(x[f"w{k}"] * v) for k in (1, 2, 3)) + x["viscous"] * v for x in (filtered, law)]
            self.assertLess(abs(curve[0] / curve[1] - 1), 0.05, v)
        self.done("check", out)
        self.assertTrue((self.folder / "page" / "index.html").exists())
        self.refused(2, "identify", arm, log, "--map", columns, "--estimator", "ekf", "--joint", "elbow", says=["joint 'shoulder' moves", "others are held"])
        self.refused(2, "identify", arm, log, "--map", columns, "--estimator", "ekf", "--joint", "shulder", says="did you mean 'shoulder'?")
        self.refused(2, "identify", arm, log, "--map", columns, "--joint", "elbow", says="--joint is for --estimator ekf")
        self.refused(2, "identify", arm, log, "--map", columns, "--estimator", "ekf", "--to", "0.5s", says=["log.csv", "too few"])


class Logs(ProgramTest):
    """Logs whose torques come from inverse dynamics, on a motion that repeats every 5 s."""
    def torques(self, arm, motion, joints):
        text = ",".join(f"{x}{j + 1}" for x in "qva" for j in range(joints)) + "\n"
        text += "\n".join(",".join(repr(x) for group in row for x in group) for row in motion) + "\n"
        answer = self.done("compute", "inverse-dynamics", arm, "--in", "-", "--out", "-", "--with", "friction,rotor", text=text)
        return [[float(r[f"tau{j + 1}"]) for j in range(joints)] for r in csv.DictReader(io.StringIO(answer.out))]

    def motion(self, joints, seconds, rate=200):
        rows = []
        for k in range(rate * seconds + 1):
            t, q, v, a = k / rate, [], [], []
            for j in range(joints):
                parts = [(0.5 / (i + 1), 2 * math.pi * 0.2 * (i + 1 + (j + i) % 3), 1.1 * i + 0.9 * j) for i in range(3)]
                q.append(sum(c * math.sin(w * t + p) for c, w, p in parts))
                v.append(sum(c * w * math.cos(w * t + p) for c, w, p in parts))
                a.append(sum(-c * w * w * math.sin(w * t + p) for c, w, p in parts))
            rows.append((q, v, a))
        return rows

    def write(self, motion, torques, noise=0, rate=200, name="log.csv"):
        joints, state = len(torques[0]), 12345
        path = self.folder / name
        with open(path, "w") as file:
            file.write("time [s]," + ",".join(f"q{j + 1} [rad]" for j in range(joints)) + "," + ",".join(f"tau{j + 1} [N m]" for j in range(joints)) + "\n")
            for k, ((q, _, _), tau) in enumerate(zip(motion, torques)):
                values = []
                for x in tau:
                    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                    values.append(x + noise * math.sqrt(12) * (state / 2**64 - 0.5))
                file.write(",".join(map(repr, [k / rate, *q, *values])) + "\n")
        return path

    def test_noise_that_joints_share_altogether(self):
        motion = self.motion(3, 20)
        torques, state = self.torques("rrr", motion, 3), 99
        for row in torques:
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            shared = 2 * (state / 2**64 - 0.5)
            for j, share in enumerate((1, 0.7, -0.4)):
                row[j] += share * shared
        log = self.write(motion, torques)
        widths = []
        for estimator in ("wls", "ml"):
            found = json.loads(self.done("identify", "rrr", log, "--friction", "coulomb_viscous:0.02", "--estimator", estimator, "--json").out)
            widths.append(sum(p["deviation"] for p in found["parameters"] if p["determined"]))
        self.assertLess(widths[1], 0.5 * widths[0])

    def test_averaged_periods_tell_the_noise_that_was_put_in(self):
        motion = self.motion(3, 60)
        log = self.write(motion, self.torques("rrr", motion, 3), noise=0.3)
        answer = self.done("identify", "rrr", log, "--period", "5s", "--friction", "coulomb_viscous:0.02")
        noise = re.search(r"Mean of (\d+) periods of 5 s.*?noise of ([\d.]+), ([\d.]+), ([\d.]+)", answer.out.replace("\n  ", " "))
        self.assertEqual(noise.group(1), "11")  # of twelve, the first left out
        for text in noise.groups()[1:]:
            self.assertLess(abs(float(text) / 0.3 - 1), 0.03)
        one = self.write(motion[:1001], self.torques("rrr", motion[:1001], 3), noise=0.3, name="one.csv")
        self.refused(2, "identify", "rrr", one, "--period", "5s", says="1 whole periods")
        self.refused(2, "identify", "rrr", log, "--period", "5.0013s", says="a whole number of samples")

    def test_a_payload_is_the_difference(self):
        # ur5e with 2.5 kg at its tool, against ur5e without
        loaded = self.folder / "loaded.yaml"
        bare = self.folder / "bare.yaml"
        self.done("export", "ur5e", "-o", bare)
        text = bare.read_text()
        self.assertNotIn("payload:", text)
        loaded.write_text(text + "\npayload: {mass: 2.5 kg, com: [20 mm, -10 mm, 60 mm], inertia: {about: com, xx: 0.01, yy: 0.012, zz: 0.008}}\n")
        motion = self.motion(6, 20)
        log = self.write(motion, self.torques(loaded, motion, 6), noise=0.05)
        out = self.folder / "with.yaml"
        answer = json.loads(self.done("identify", bare, log, "--payload", "--json", "-o", out).out)
        found = {p["name"]: p for p in answer["payload"]}
        self.assertTrue(answer["possible"])
        for name, value in {"m": 2.5, "mcx": 0.05, "mcy": -0.025, "mcz": 0.15}.items():
            self.assertTrue(found[name]["determined"])
            self.assertLess(abs(found[name]["estimate"] - value), 0.02, name)
            self.assertLess(abs(found[name]["body"] - value), 0.02, name)
        self.assertLess(json.loads(self.done("validate", out, log, "--json").out)["relative_error"], 0.02)
        self.assertGreater(json.loads(self.done("validate", bare, log, "--json").out)["relative_error"], 0.1)
        self.assertIn("The tool carries 2.5", self.done("identify", bare, log, "--payload").out)
        self.refused(2, "identify", loaded, log, "--payload", "-o", out, says="already carries a payload")

    def test_the_wrist_of_tx40_rubs_as_its_source_says(self):
        # viscous, Coulomb and constant parts by joint, and of motor 6, which turns with joints 5 and 6 [Nguyen2023]
        fv, fs, offset = (8.05, 5.53, 1.97, 1.11, 1.86, 0.65), (7.14, 8.26, 6.34, 2.48, 3.03, 0.282), (0.392, 1.37, 0.326, -0.102, -0.0288, 0.127)
        fvm, fsm = 0.616, 1.95
        speeds = [[0.5, -1, 2, 0.7, 1, 2], [0.5, -1, 2, 0.7, -1, 2], [0.5, -1, 2, 0.7, 1, -0.4], [-0.5, 1, -2, -0.7, -3, 2]]
        names = ",".join(f"{x}{j}" for x in "qva" for j in range(1, 7))
        text = names + "\n" + "\n".join(",".join(map(str, [0] * 6 + v + [0] * 6)) for v in speeds) + "\n"
        with_friction, without = (self.done("compute", "inverse-dynamics", "tx40", "--in", "-", "--out", "-", *more, text=text).table
                                  for more in (("--with", "friction"), ()))
        for k, v in enumerate(speeds):
            sign = [math.copysign(1, x) for x in (*v, v[4] + v[5])]
            expected = [fv[j] * v[j] + fs[j] * sign[j] + offset[j] for j in range(6)]
            expected[4] += fvm * v[5] + fsm * sign[6]
            expected[5] += fvm * v[4] + fsm * sign[6]
            self.assertClose([with_friction[f"tau{j + 1}"][k] - without[f"tau{j + 1}"][k] for j in range(6)], expected, 1e-9)

    def test_motors_with_gears_and_a_coupled_wrist(self):
        # motor angles N C q, motor torques C'^-1 N^-1 tau; C of tx40 adds joint 5 to motor 6
        gears = [32, 32, 45, -48, 45, 32]
        motion = self.motion(6, 20)
        torques = self.torques("tx40", motion, 6)
        joints = self.write(motion, torques)
        turned, at_motors = [], []
        for (q, v, a), tau in zip(motion, torques):
            angles = [*q[:5], q[4] + q[5]]
            forces = [*tau[:4], tau[4] - tau[5], tau[5]]
            turned.append(([g * x for g, x in zip(gears, angles)], v, a))
            at_motors.append([x / g for g, x in zip(gears, forces)])
        motors = self.write(turned, at_motors, name="motors.csv")
        columns = self.folder / "map.yaml"
        columns.write_text("side: motor\nposition: q{}\ntorque: tau{}\n")
        a = json.loads(self.done("validate", "tx40", joints, "--json").out)
        b = json.loads(self.done("validate", "tx40", motors, "--map", columns, "--json").out)
        self.assertLess(a["relative_error"], 0.01)
        self.assertAlmostEqual(a["relative_error"], b["relative_error"], places=6)

        # what rubs at the motor of two joints is found, written, and predicts: 0.06 N m and 1e-3 N m s/rad at its shaft
        for k, (q, v, a) in enumerate(motion):
            speed = 32 * (v[4] + v[5])
            force = 32 * (0.06 * math.tanh(speed / 1e-3) + 1e-3 * speed)
            torques[k] = [*torques[k][:4], torques[k][4] + force, torques[k][5] + force]
        rubbed = self.write(motion, torques, name="rubbed.csv")
        errors = []
        for more in ((), ("--no-motor-friction",)):
            out = self.folder / "rubbed.yaml"
            self.done("identify", "tx40", rubbed, "--friction", "asymmetric", "--reference-weight", "1", "-o", out, *more)
            errors.append(json.loads(self.done("validate", out, rubbed, "--json").out)["relative_error"])
            found = re.findall(r"rotor_(coulomb|viscous): ([\d.e-]+)", out.read_text())
            self.assertEqual([name for name, value in found], [] if more else ["coulomb", "viscous"])
            for (name, value), truth in zip(found, (0.06 + 1.95 / 32, 1e-3 + 0.616 / 32**2)):  # added to what arms/tx40.yaml has
                self.assertLess(abs(float(value) / truth - 1), 0.05, name)
        self.assertLess(errors[0], 0.5 * errors[1])

    def test_a_link_that_is_held_at_a_wrong_description_explains_less(self):
        motion = self.motion(3, 20)
        log = self.write(motion, self.torques("rrr", motion, 3), noise=0.02)
        wrong = self.folder / "wrong.yaml"
        self.done("export", "rrr", "-o", wrong)
        text, last = wrong.read_text(), None
        for last in re.finditer(r"mass: ([\d.]+)", text):
            pass
        wrong.write_text(text[:last.start(1)] + repr(1.5 * float(last.group(1))) + text[last.end(1):])
        errors = []
        for weights in ("1,1,1", "1,1,1e9"):
            answer = json.loads(self.done("identify", wrong, log, "--json", "--friction", "coulomb_viscous:0.02", "--reference-weight", "1",
                                          "--link-weights", weights).out)
            errors.append(answer["error"]["bodies_training"])
        self.assertGreater(errors[1], 1.5 * errors[0])
        self.refused(2, "identify", wrong, log, "--link-weights", "1,1", says="--link-weights")
        self.refused(2, "identify", wrong, log, "--link-weights", "1,1,0", says="a link weight is not above zero")


main()
