"""identify --link-positions: the stiffness of elastic joints from the encoders on both sides of their gears."""
from program import ProgramTest, main

PAIR = """\
arm: pair
gravity: [0, -9.81, 0]
joints:
  - name: shoulder
    dh: {a: 0.5 m}
    link: {name: upper, mass: 12 kg, com: [-0.2, 0, 0], inertia: {xx: 0.05, yy: 0.4, zz: 0.4}}
    drive: {gear_ratio: 100, rotor_inertia: 2e-4 kg*m^2, stiffness: 40000 N*m/rad, damping: 30 N*m*s/rad}
  - name: elbow
    dh: {a: 0.5 m}
    link: {name: fore, mass: 6 kg, com: [-0.2, 0, 0], inertia: {xx: 0.05, yy: 0.4, zz: 0.4}}
    drive: {gear_ratio: 100, rotor_inertia: 2e-4 kg*m^2, stiffness: 15000 N*m/rad, damping: 30 N*m*s/rad}
"""
MOVE = """\
scenario: move
question: How far do the joints twist?
robot: pair.yaml
plant: {drives: elastic}
reference: {kind: sine, from: [0, 0], amplitude: [0.8 rad, 0.8 rad], frequency: [0.5 Hz, 0.8 Hz]}
controller: {kind: joint_pd, kp: 2000, kd: 150}
run: {duration: 8 s, tick: 1 ms}
"""


class TwoEncoders(ProgramTest):
    def test_two_encoders_a_joint_tell_the_stiffness_of_all_joints(self):
        here = {"cwd": self.folder, "timeout": 300}
        (self.folder / "pair.yaml").write_text(PAIR)
        (self.folder / "move.yaml").write_text(MOVE)
        (self.folder / "map.yaml").write_text("position: q_{name}\nposition_side: motor\nvelocity: none\ntorque: torque_{name}\n")
        for name, more in (("a", ()), ("b", ("--set", "reference.frequency=[0.7 Hz, 0.4 Hz]"))):
            self.done("simulate", "move.yaml", *more, "-o", name, **here)
        twist = ("identify", "pair.yaml", "a/log.csv", "b/log.csv", "--map", "map.yaml", "--link-positions")
        answer = self.done(*twist, "q{}", "--window", "1s..7s", "-o", "fitted.yaml", "--json", **here).json
        for joint, true in zip(answer["joints"], (40000, 15000)):
            self.assertTrue(joint["determined"], joint)
            self.assertLess(abs(joint["stiffness"] / true - 1), 0.03, joint)
            self.assertLess(joint["interval_95"][0], joint["stiffness"])
        text = (self.folder / "fitted.yaml").read_text()
        self.assertIn("stiffness from both encoders in a/log.csv, b/log.csv, 95 %", text)
        self.done("check", "fitted.yaml", **here)
        self.assertIn("runs differ by", self.done(*twist, "q{}", "--window", "1s..7s", **here).out)
        self.refused(2, *twist, "q_link{}", says=["a/log.csv", "q_link1", "hint"], **here)
        self.refused(2, *twist, "q_link", says=["has no {}", "hint"], **here)


if __name__ == "__main__":
    main()
