"""fit-drive --shaken, as a person would run it: shake an arm on a base that gives way, fit the base, predict another posture; and mistakes
that are named."""
from program import ProgramTest, main

ARM = """\
arm: on_base
joints:
  - name: base
    dh: {theta: 0}
    link: {name: frame, mass: 50 kg, com: [0, 0, 0], inertia: {xx: 6, yy: 6, zz: 6}}
  - name: waist
    dh: {d: 0.5 m, alpha: 90 deg}
    link: {name: column, mass: 12 kg, com: [0, 0, 0], inertia: {xx: 0.3, yy: 0.3, zz: 0.3}}
    friction: {law: coulomb_viscous, coulomb: 3 N*m, viscous: 0.8 N*m*s/rad}
  - name: shoulder
    dh: {a: 0.4 m}
    link: {name: arm, mass: 8 kg, com: [-0.1 m, 0, 0], inertia: {xx: 0.05, yy: 0.2, zz: 0.2}}
"""
TRUE = {"base_stiffness": 180000, "base_damping": 60}
SHAKE = """\
scenario: shake
question: What does the waist answer while its base gives way?
robot: on_base.yaml
seed: 4
start: {q: [0, 0, 0]}
plant: {drives: ideal, locks: [{joint: 3}], passive: [{joint: 1, stiffness: 180000 N*m, damping: 60 N*m*s}]}
sensors: {encoder: 1e-5, position_noise: 5e-6, speed: difference}
reference: {kind: fastest, to: [0, 20 rad, 0], velocity: 1.0123, acceleration: 10}
controller: {kind: joint_pd, kp: [0, 300, 0], kd: [0, 40, 0]}
inputs: [{joint: 2, kind: multisine, amplitude: 30 N*m, period: 1 s, from: 2 Hz, to: 100 Hz, tilt: 1}]
run: {duration: 7 s, tick: 1 ms}
"""
GUESS = "plant: {passive: [{joint: 1, stiffness: 60000 N*m}]}\n"


class FitSprings(ProgramTest):
    def test_a_base_is_found_predicts_another_posture_and_runs(self):
        here = {"cwd": self.folder, "timeout": 300}
        for name, text in (("on_base.yaml", ARM), ("shake.yaml", SHAKE), ("guess.yaml", GUESS)):
            (self.folder / name).write_text(text)
        self.done("simulate", "shake.yaml", "-o", "a", **here)
        self.done("simulate", "shake.yaml", "--set", "start.q=[0, 0, 70 deg]", "--set", "seed=5", "-o", "b", **here)
        fit = ("fit-drive", "shake.yaml", "--with", "guess.yaml")
        answer = self.done(*fit, "--shaken", "a/log.csv", "--held-out", "b/log.csv", "-o", "springs.yaml", "--page", "page",
                           "--json", **here).json
        self.assertTrue(answer["converged"])
        found = {p["name"]: p for p in answer["parameters"]}
        for name, true in TRUE.items():  # from a factor of three off, and from a damping that nobody described
            self.assertLess(abs(found[name]["value"] / true - 1), 0.05, found[name])
            self.assertLess(abs(found[name]["value"] - true), 4 * found[name]["deviation"], found[name])
        self.assertEqual([p["held_out"] for p in answer["postures"]], [False, True])
        for posture in answer["postures"]:
            self.assertLess(posture["outputs"][0]["misfit"], 1.3, posture)
            self.assertGreater(posture["outputs"][0]["described"], 5 * posture["outputs"][0]["relative"])
        self.assertTrue((self.folder / "page" / "index.html").exists())

        # what was written is a block that the verbs about scenarios take; its modes are the true ones, in motion
        def swings(*more):
            modes = self.done("linearize", "shake.yaml", "--set", "start.v=[0, 1.0123 rad/s, 0]", *more, "--json", **here).json["modes"]
            return max(mode["frequency"] for mode in modes if mode["im"] > 0)
        text = (self.folder / "springs.yaml").read_text()
        self.assertIn("# Springs fitted to a/log.csv; 95 %", text)
        self.assertLess(abs(swings("--with", "springs.yaml") / swings() - 1), 1e-3)
        self.assertGreater(abs(swings("--with", "guess.yaml") / swings() - 1), 0.2)
        predicted = max(m["frequency"] for m in answer["postures"][1]["modes"])
        self.assertLess(abs(predicted / swings("--set", "start.q=[0, 0, 70 deg]") - 1), 1e-3)

        # a recorder that knows of no base: its joints count from 1 over those with a motor
        rows = [line for line in (self.folder / "a" / "log.csv").read_text().splitlines() if not line.startswith("#")]
        names = [heading.split(" [")[0] for heading in rows[0].split(",")]
        places = [names.index(name) for name in ("time", "q2_meas", "q3_meas", "tau2_ref", "tau3_ref")]
        (self.folder / "recorder.csv").write_text("time [s],q1 [rad],q2 [rad],tau1 [N m],tau2 [N m]\n" + "".join(
            ",".join(row.split(",")[place] for place in places) + "\n" for row in rows[1:]))
        again = self.done(*fit, "--shaken", "recorder.csv", "--json", **here).json
        self.assertAlmostEqual(again["parameters"][0]["value"] / found["base_stiffness"]["value"], 1, places=6)

        people = " ".join(self.done(*fit, "--shaken", "a/log.csv", "--fix", "base_damping", **here).out.split())
        self.assertIn("1 parameters fitted", people)
        self.assertIn("held", people)

        refused = lambda *arguments, says: self.refused(2, *arguments, says=[*says, "hint"], **here)
        refused(*fit, "--held-out", "b/log.csv", says=["none is fitted"])
        refused(*fit, "--shaken", "a/log.csv", "--step", "a/log.csv", says=["goes with none of"])
        refused(*fit, "--shaken", "a/log.csv", "--fix", "base_stifness", says=["'base_stifness'", "did you mean"])
        refused(*fit, "--shaken", "a/log.csv", "--period", "3s", says=["a/log.csv", "whole periods"])
        refused(*fit, "--shaken", "a/log.csv", "--period", "0.33345s", says=["whole number of samples"])
        refused(*fit, "--shaken", "a/log.csv", "--from", "300Hz", says=["no command repeats"])
        refused(*fit, "--shaken", "a/log.csv", "--set", "run.tick=2ms", says=["a/log.csv", "every 0.001 s", "0.002 s"])
        refused(*fit, "--shaken", "a/log.csv", "--set", "inputs=[]", says=["period of the excitation is not known"])
        refused("fit-drive", "shake.yaml", "--set", "plant.passive=[]", "--shaken", "a/log.csv", says=["held by a spring"])
        refused("fit-drive", "shake.yaml", "--set", "plant.passive=[{joint: 1}]", "--shaken", "a/log.csv", says=["no stiffness"])
        (self.folder / "short.csv").write_text("time [s],q1 [rad],tau1 [N m]\n0,0,0\n0.001,0,1\n")
        refused(*fit, "--shaken", "short.csv", says=["short.csv", "positions of the 2 joints"])


if __name__ == "__main__":
    main()
