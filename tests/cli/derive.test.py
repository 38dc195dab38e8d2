"""derive, as a person would run it: programs, equations, singularities, models that are checked, functions that are compiled."""
import shutil

from program import ROOT, ProgramTest, main


class Derive(ProgramTest):
    def test_operations_are_reported(self):
        answer = self.done("derive", "rrr", "--what", "inverse-kinematics", "--json", "-o", self.folder / "ik.hpp").json
        self.assertLessEqual(answer["operations"]["total"], 45)
        self.assertEqual(set(answer["operations"]), {"add", "mul", "div", "functions", "total"})
        self.assertIn("inverse_kinematics", (self.folder / "ik.hpp").read_text())
        self.refused(2, "derive", "panda", "--what", "inverse-kinematics", says=["no closed form", "iteration"])

    def test_equations_agree_with_the_library_when_read_back(self):
        for arm in ("rrr", "planar3r", "rpr"):
            model = self.folder / f"{arm}.model"
            self.done("derive", arm, "--symbolic", "-o", model)
            answer = self.done("derive", arm, "--against", model, "--json").json
            self.assertTrue(answer["equal"])
            self.assertEqual(len(answer["entries"]), 51)
        latex = self.done("derive", "rrr", "--symbolic", "--lang", "latex", "--what", "mass-matrix").out
        self.assertIn("\\begin{align*}", latex)
        self.refused(2, "derive", "rrr", "--symbolic", "--lang", "cpp", says=["text, latex, markdown"])
        self.refused(2, "derive", "rrr", "--parameters", "links", says=["--symbolic"])

    def test_singularities(self):
        self.assertIn("det J(x, y, z) = a4*(d3 + q2)*cos(q3)", self.done("derive", "rpr", "--what", "singularities").out)
        self.assertIn("a1*a2*sin(q2)", self.done("derive", "planar3r", "--what", "singularities").out)
        self.refused(2, "derive", "panda", "--what", "singularities", says=["no square Jacobian"])
        self.refused(2, "derive", "rrr", "--what", "singularities", "--rows", "x,x,y", says=["twice"])

    def test_a_printed_model_is_judged(self):
        model = ROOT / "studies" / "printed" / "tum2019.model"
        answer = self.refused_or_no(model)
        self.assertEqual([line["names"][0] for line in answer["wrong_lines"]], ["zeta1", "M12", "C11", "h4", "G11", "G12"])

    def refused_or_no(self, model):
        from program import run
        answer = run("derive", "planar3r", "--against", model, "--json")
        self.assertEqual(answer.code, 1, answer.err)
        return answer.json

    def test_bad_model_files_are_refused_with_their_place(self):
        bad = self.folder / "bad.model"
        for text, says in (("M11 = 2*(q1\n", ["bad.model:2:1", "expected ')'"]), ("M11 = quux\n", ["bad.model:1:7", "'quux'"]),
                           ("M11 = " + "(" * 100000, ["nested"]), ("M11 = \x00\n", ["bad.model:1:7"]), ("", ["bad.model"]),
                           ("M11 = " + "q1 + " * 400000 + "1\n", ["bytes"])):
            bad.write_text(text)
            self.refused(2, "derive", "planar3r", "--against", bad, says=says)
        self.refused(2, "derive", "planar3r", "--against", self.folder / "nothing", says=["nothing"])

    def test_functions_are_compiled_and_used_for_their_arm_alone(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler")
        library = self.folder / "rpr.so"
        self.done("derive", "rpr", "--build", "--effort", "0", "-o", library)
        state = ("--q", "0.3,0.1,-0.5", "--v", "1,-0.2,0.4", "--a", "0.5,1,-1")
        slow = self.done("compute", "inverse-dynamics", "rpr", *state, "--json").json
        fast = self.done("compute", "inverse-dynamics", "rpr", *state, "--json", "--kernels", library).json
        for a, b in zip(slow["result"]["tau"], fast["result"]["tau"]):
            self.assertLess(abs(a - b), 1e-12 * max(1, abs(a)))
        self.refused(2, "compute", "inverse-dynamics", "rpr_printed", *state, "--kernels", library, says=["another arm", "--build"])
        self.refused(2, "compute", "inverse-dynamics", "rpr", *state, "--payload", "1", "--kernels", library, says=["earlier state"])
        self.refused(2, "compute", "energy", "rpr", "--q", "0,0,0", "--v", "0,0,0", "--kernels", library, says=["changes nothing"])
        self.refused(2, "derive", "rpr", "--build", says=["-o FILE"])

    def test_built_in_arms_are_computed_with_functions_of_their_own(self):
        state = ("--q", "0.3,0.1,-0.5,0.2,1,-1", "--json")
        for what, arguments in (("inverse-dynamics", ("--v", "1,-0.2,0.4,1,2,3", "--a", "0.5,1,-1,0,1,2")),
                                ("forward-dynamics", ("--v", "1,-0.2,0.4,1,2,3", "--tau", "5,1,-1,0,1,2")),
                                ("mass-matrix", ()), ("gravity", ()), ("coriolis", ("--v", "1,-0.2,0.4,1,2,3"))):
            def numbers(*more):
                result = self.done("compute", what, "ur5e", *state, *arguments, *more).json["result"]
                flat = next(iter(result.values()))
                return [x for row in flat for x in (row if isinstance(row, list) else [row])]
            own, recursion = numbers(), numbers("--kernels", "none")
            self.assertNotEqual(own, recursion)  # the last bits tell that it is another way
            largest = max(map(abs, recursion))
            for a, b in zip(own, recursion):
                self.assertLess(abs(a - b), 1e-12 * largest)

    def test_simulation_says_which_functions_it_used(self):
        scenario = ROOT / "scenarios" / "rrr_pd_step.yaml"
        for more, says in (((), "built in"), (("--kernels", "none"), "none")):
            out = self.folder / says
            self.done("simulate", scenario, "--set", "run.duration=0.05s", *more, "-o", out)
            self.assertIn(f"kernels: {says}", (out / "log.csv").read_text()[:4000])
        self.refused(2, "simulate", scenario, "--kernels", self.folder / "nothing.so", says=["nothing.so"])


if __name__ == "__main__":
    main()
