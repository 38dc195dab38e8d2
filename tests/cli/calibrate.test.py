"""calibrate, as a person would run it: postures, measurements of an arm built otherwise than described, and mistakes that are named."""
from program import ProgramTest, main, run


class Calibrate(ProgramTest):
    def measured(self, built):
        """A table of joint readings and of where the tool of that arm then is."""
        self.done("calibrate", "ur5e", "--design", "50", "-o", self.folder / "postures.csv")
        self.done("compute", "forward-kinematics", built, "--in", self.folder / "postures.csv", "--out", self.folder / "poses.csv")
        rows = zip((self.folder / "postures.csv").read_text().splitlines(), (self.folder / "poses.csv").read_text().splitlines())
        table = self.folder / "measured.csv"
        table.write_text("\n".join(",".join(row) for row in rows) + "\n")
        return table

    def longer(self):
        self.done("export", "ur5e", "-o", self.folder / "described.yaml")
        text = (self.folder / "described.yaml").read_text()
        self.assertIn("a: -0.425 m", text)
        (self.folder / "built.yaml").write_text(text.replace("a: -0.425 m", "a: -0.428 m"))
        return self.folder / "built.yaml"

    def test_a_link_that_is_longer_than_described_is_found(self):
        table = self.measured(self.longer())
        answer = self.done("calibrate", "ur5e", table, "--measured", "position", "-o", self.folder / "calibrated.yaml", "--json").json
        found = {p["name"]: p["value"] for p in answer["parameters"]}
        self.assertAlmostEqual(found["elbow.x"], -0.003, delta=1e-9)
        self.assertTrue(all(abs(value) < 1e-9 for name, value in found.items() if name != "elbow.x"))
        self.assertGreater(answer["before"]["position"], 1e-3)
        self.assertLess(answer["held_out"]["position"], 1e-9)
        told = self.done("calibrate", "ur5e", table).out
        self.assertIn("as described", told)
        self.assertIn("held-out", told)
        of = lambda arm: self.done("compute", "forward-kinematics", arm, "--q", "0.3,-1,0.7,0.2,1,0.5", "--json").json
        self.assertNotEqual(of(self.folder / "built.yaml")["result"], of("ur5e")["result"])
        built, calibrated = of(self.folder / "built.yaml"), of(self.folder / "calibrated.yaml")
        self.assertAlmostEqual(built["result"]["x"], calibrated["result"]["x"], delta=1e-9)

    def test_what_a_file_cannot_hold_is_said_and_intervals_are_those_asked_for(self):
        table = self.measured("ur5e")
        told = run("calibrate", "ur5e", table, "--gears", "--compliances", "--confidence", "0.9", "-o", self.folder / "out.yaml")
        self.assertEqual(told.code, 0, told.err)
        self.assertIn("no factors of joint readings", told.err)
        self.assertIn("unloaded joints", told.err)
        self.assertIn("± (90 %)", told.out)

    def test_mistakes_are_named(self):
        table = self.measured("ur5e")
        self.refused(2, "calibrate", "ur5e", says=["no measurements are given", "--design"])
        self.refused(2, "calibrate", "ur5e", self.folder / "postures.csv", says=["no columns tool_x", "hint"])
        self.refused(2, "calibrate", "ur5e", table, "--measured", "plain", says=["unknown 'plain'", "plane"])
        self.refused(2, "calibrate", "ur5e", table, "--measured", "plane", says="hint: are the joint readings")
        self.refused(2, "calibrate", "ur5e", "--design", "3", says="equations for")
        self.refused(2, "calibrate", "ur5e", "--design", "2.5", says="whole number")
        self.refused(2, "calibrate", "panda", table, says="q7")
        few = self.folder / "few.csv"
        few.write_text("\n".join(table.read_text().splitlines()[:5]) + "\n")
        self.refused(2, "calibrate", "ur5e", few, says=["equations from 4 postures", "--design"])


if __name__ == "__main__":
    main()
