"""What people get wrong first: the wrong file, bare degrees; and what they were told wrongly."""
from program import ROOT, ProgramTest, main


class WrongFile(ProgramTest):
    def test_a_file_is_called_what_it_is_with_the_verb_that_takes_it(self):
        scenario, arm = ROOT / "scenarios" / "rrr_pd_step.yaml", ROOT / "arms" / "rrr.yaml"
        urdf, log = self.folder / "rrr.urdf", self.folder / "log.csv"
        self.done("export", "rrr", "-o", urdf)
        log.write_text("time [s],q1,q2,q3,tau1,tau2,tau3\n0,0,0,0,0,0,0\n")
        self.refused(2, "show", scenario, says=["this is a scenario, not an arm", f"`armature simulate {scenario}` runs it"])
        self.refused(2, "check", scenario, says="this is a scenario, not an arm")
        self.refused(2, "simulate", "rrr", says=["this is a built-in arm, not a scenario", "`robot: rrr`"])
        self.refused(2, "simulate", arm, says="this is an arm file, not a scenario")
        self.refused(2, "simulate", urdf, says=["this is a URDF, not a scenario", f"`armature show {urdf}`"])
        self.refused(2, "linearize", urdf, says="this is a URDF, not a scenario")
        self.refused(2, "identify", log, "rrr", says=["this is a log, not an arm", "`armature identify ARM"])
        self.refused(2, "identify", "rrr", scenario, says="this is a scenario, not a log")
        self.refused(2, "report", scenario, says="this is a scenario, not a log")
        self.refused(2, "frf", arm, "--input", "a", "--output", "b", says="this is an arm file, not a log")
        self.refused(2, "validate", "rrr", "puma560", says="this is a built-in arm, not a log")

    def test_a_log_that_is_not_there_comes_with_a_hint(self):
        for verb in ["identify", "validate"]:
            self.refused(2, verb, "rrr", self.folder / "none.csv", says=["cannot be read", "hint: is the path right?"])


class BareDegrees(ProgramTest):
    def test_a_bare_number_beyond_the_joints_range_is_asked_about(self):
        gravity = ("compute", "gravity", "rrr", "--q")
        self.refused(2, *gravity, "10,20,0", says=["--q, value 2: 20 without a unit means 20 rad\n", "write `20deg`, or `20rad`"])
        self.refused(2, "compute", "gravity", "puma560", "--q", "10,20,0,0,0,0",
                     says=["--q, value 1: 10 without a unit means 10 rad, beyond the range of joint 'waist', -160 to 160 deg", "write `10deg`, or `10rad`"])
        self.done("compute", "gravity", "puma560", "--q", "10rad,20deg,3,0,0,0")
        self.refused(2, *gravity, "0,-90,0", says=["--q, value 2: -90 without a unit means -90 rad", "`-90deg`"])
        self.assertEqual(self.done(*gravity, "10deg,20deg,0").err, "")
        self.assertEqual(self.done(*gravity, "10rad,20rad,0").err, "")
        self.done(*gravity, "3,-3,3")
        self.done("compute", "gravity", "panda", "--q", "0,0,0,0,0,0,0")
        self.refused(2, "compute", "inverse-kinematics", "rrr", "--pose", "0.3,0.3,0.7", "--guess", "10,20,0", says="--guess, value 2")
        self.refused(2, "compute", "inverse-kinematics", "puma560", "--pose", "0.3,0.3,0.7,0,90,0", says=["--pose, value 5", "`90deg`"])
        self.refused(2, "compute", "inverse-kinematics", "rrr", "--pose", "300,300,700", says=["300 without a unit means 300 m", "`300mm`"])
        self.refused(2, "compute", "gravity", "rpr", "--q", "0,150,0", says=["means 150 m", "`150mm`"])
        self.refused(2, "excite", "rrr", "--centre", "0,45,0", says=["--centre, value 2", "`45deg`"])
        self.refused(2, "tune", "none.csv", "--phase-margin", "40", says=["--phase-margin: 40 without a unit means 40 rad", "`40deg`"])


class SmallThings(ProgramTest):
    def test_friction_of_sliding_joints_is_a_force(self):
        arm = self.folder / "mixed.yaml"
        self.done("export", "rpr", "-o", arm)
        text = self.done("show", arm).out
        self.assertNotIn("[N, N s/m]", text)  # none rubs
        lines = arm.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if "type: prismatic" in line)
        indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
        lines.insert(at + 1, indent + "friction: {law: coulomb_viscous, coulomb: 2 N, viscous: 3 N*s/m}")
        arm.write_text("\n".join(lines) + "\n")
        row = next(line for line in self.done("show", arm).out.splitlines() if "Coulomb 2" in line)
        self.assertIn("Coulomb 2, viscous 3 [N, N s/m]", row)
        self.assertNotIn("N m s/rad", self.done("show", arm).out)

    def test_no_question_leaves_no_blank_behind(self):
        scenario = self.folder / "hold.yaml"
        scenario.write_text("scenario: hold\nrobot: rrr\ncontroller: {kind: open_loop}\nrun: {duration: 10 ms}\n")
        self.assertEqual(self.done("simulate", scenario).out.splitlines()[0], "hold")

    def test_a_bode_file_is_said_to_be_written(self):
        out = self.done("linearize", ROOT / "scenarios" / "rrr_pd_step.yaml", "--bode", self.folder / "bode.csv").out
        self.assertIn(f"written: {self.folder / 'bode.csv'}", out)
        self.assertNotIn("--bode FILE writes", out)
        self.assertIn("--bode FILE writes", self.done("linearize", ROOT / "scenarios" / "rrr_pd_step.yaml").out)


main()
