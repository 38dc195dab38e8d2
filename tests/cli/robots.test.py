"""Robots as people bring them: URDF files with several limbs, fingers, frames and careless inertia."""
import re
import shlex
from xml.etree import ElementTree

from program import ROOT, ProgramTest, main, run

SHARED = ROOT.parent / "shared" / "robots"


def link(name, mass=1.0, moments=(0.1, 0.1, 0.1)):
    if mass is None:
        return f"<link name='{name}'/>"
    xx, yy, zz = moments
    return (f"<link name='{name}'><inertial><origin xyz='0.1 0 0'/><mass value='{mass}'/>"
            f"<inertia ixx='{xx}' ixy='0' ixz='0' iyy='{yy}' iyz='0' izz='{zz}'/></inertial></link>")


def joint(name, parent, child, kind="revolute", axis="0 0 1"):
    return (f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><origin xyz='0.3 0 0'/>"
            f"<axis xyz='{axis}'/><limit lower='-2' upper='2' effort='50' velocity='5'/></joint>")


def arm(prefix, base):
    names = [f"{prefix}{i}" for i in (1, 2, 3)]
    return "".join(link(name) for name in names) + "".join(
        joint(f"{prefix}_j{i}", parent, child, axis="0 1 0")
        for i, (parent, child) in enumerate(zip([base, *names], names), 1))


TWO_ARMS = ("<robot name='two'>" + link("base", None) + link("torso") + joint("lift", "base", "torso", "prismatic") + arm("left", "torso")
            + arm("right", "torso") + "</robot>")
MASSLESS = "<robot name='m'>" + link("base", None) + arm("a", "base") + link("end", None) + joint("last", "a3", "end") + "</robot>"
CARELESS = "<robot name='c'>" + link("base", None) + arm("a", "base") + link("end", 1, (0.01, 0.02, 0.05)) + joint(
    "last", "a3", "end") + "</robot>"


class Robots(ProgramTest):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def commands(self, hint):
        return [shlex.split(line)[1:] for line in hint.splitlines() if line.strip().startswith("armature show ")]

    def test_the_hint_for_several_limbs_is_a_list_of_commands_that_work(self):
        path = self.file("two arms.urdf", TWO_ARMS)
        answer = self.refused(2, "show", path, says=["the robot has 2 limbs", "lift: 1 joint, 1 kg", "left_j1 to left_j3: 3 joints, 3 kg"])
        commands = self.commands(answer.err)
        self.assertEqual([command[-1] for command in commands], ["left3", "right3"])
        for command in commands:
            self.assertIn("joints      4 moving", self.done(*command).out)

    def test_every_verb_about_an_arm_takes_the_chain(self):
        path = self.file("two.urdf", TWO_ARMS)
        chain = ["--base", "base", "--tip", "left3", "--lock", "lift=10cm"]
        self.done("check", path, *chain)
        self.done("export", path, *chain, "-o", self.folder / "arm.yaml")
        self.done("derive", path, *chain, "--what", "gravity")
        self.done("compute", "gravity", path, *chain, "--q", "0,0,0")
        pose = ["compute", "forward-kinematics", "--q", "0.1,0.2,0.3", "--json"]
        at = [self.done(*pose[:2], path, "--tip", "left3", "--lock", f"lift={where}", *pose[2:]).json for where in ("0", "10cm")]
        def numbers(answer):
            return [value for value in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", str(answer))]
        self.assertNotEqual(numbers(at[0]), numbers(at[1]))  # the torso slides along z of its joint
        for verb in ("identify", "validate", "excite", "simulate", "linearize"):
            self.assertIn("--lock", self.done(verb, "--help").out)

    def test_a_scenario_names_the_arm_and_keeps_it_when_it_is_written_out(self):
        self.file("two.urdf", TWO_ARMS)
        start = "scenario: s\nrobot: {}\nreference: {{kind: hold}}\ncontroller: {{kind: joint_pd, kp: 100, kd: 10}}\nrun: {{duration: 20 ms}}\n"
        plain = self.file("plain.yaml", start.format("two.urdf"))
        self.refused(2, "simulate", plain, says=["the robot has 2 limbs", "robot: {file: two.urdf, tip: left3}"])
        picked = self.file("picked.yaml", start.format("{file: two.urdf, tip: right3, lock: {lift: 10 cm}}"))
        out = self.folder / "out"
        self.done("simulate", picked, "-o", out)
        written = (out / "scenario.yaml").read_text()
        self.assertIn("robot:\n  file: two.urdf\n  tip: right3\n  lock:\n    lift: \"10 cm\"\n", written)
        again = self.file("again.yaml", written)
        self.done("simulate", again, "-o", self.folder / "out2")
        self.assertEqual((self.folder / "out2" / "scenario.yaml").read_text(), written)
        self.assertEqual((self.folder / "out2" / "log.csv").read_text().splitlines()[-1], (out / "log.csv").read_text().splitlines()[-1])
        for options in (["--tip", "right3", "--lock", "lift=10cm"], ["--set", "robot.tip=right3", "--set", "robot.lock.lift=10 cm"]):
            self.assertEqual(len(self.done("simulate", plain, *options, "--json").json["joints"]), 3)
        self.refused(2, "simulate", self.file("bad.yaml", start.format("{file: two.urdf, tp: right3}")), says=["did you mean 'tip'?"])
        self.refused(2, "simulate", self.file("bad.yaml", start.format("{tip: right3}")), says=["file"])
        belief = start.format("{file: two.urdf, tip: right3}") + "belief: {robot: {file: two.urdf, tip: left3}}\n"
        self.done("simulate", self.file("belief.yaml", belief), "-o", self.folder / "out3")
        self.assertIn("belief:\n  robot:\n    file: two.urdf\n    tip: left3\n", (self.folder / "out3" / "scenario.yaml").read_text())

    def test_a_joint_that_moves_nothing_is_shown_and_computed_but_not_set_in_motion(self):
        path = self.file("massless.urdf", MASSLESS)
        self.assertIn("has no mass", self.done("show", path).err)
        matrix = self.done("compute", "mass-matrix", path, "--q", "0,0,0,0", "--json")
        self.assertIn("has no mass", matrix.err)
        state = ["--q", "0,0,0,0", "--v", "0,0,0,0", "--tau", "0,0,0,0"]
        self.refused(2, "compute", "forward-dynamics", path, *state, says=["not positive definite", "joint 'last'"])
        text = f"scenario: s\nrobot: {path.name}\ncontroller: {{kind: joint_pd, kp: 100, kd: 10}}\nrun: {{duration: 20 ms}}\n"
        self.refused(2, "simulate", self.file("s.yaml", text), says=["not positive definite", "joint 'last'"])
        fixed = self.folder / "fixed.yaml"
        self.assertIn("link 'end': had no mass; ", self.done("check", path, "--repair", "-o", fixed).out)
        turning = self.file("turning.urdf", MASSLESS.replace(link("end", None), link("end", 0)))
        self.assertIn("link 'end': had no mass, and its inertia is left out; ",
                      self.done("check", turning, "--repair", "-o", self.folder / "turning.yaml").out)
        self.done("check", fixed)
        self.done("compute", "forward-dynamics", fixed, *state)

    def test_careless_inertia_is_refused_with_two_ways_out_that_work(self):
        path = self.file("careless.urdf", CARELESS)
        self.done("show", path)
        self.done("compute", "forward-kinematics", path, "--q", "0,0,0,0")
        state = ["--q", "1,1,1,1", "--json"]
        self.refused(2, "compute", "gravity", path, *state, says=["triangle inequality", "--repair", "--as-given"])
        given = self.done("compute", "gravity", path, *state, "--as-given").json
        fixed = self.folder / "fixed.yaml"
        told = self.done("check", path, "--repair", "-o", fixed).out
        self.assertIn("repaired: link 'end': principal moments 0.01 0.02 0.05 -> 0.01667 0.02667 0.04333 kg m²", told)  # by hand: sigma3 = 0
        repaired = self.done("compute", "gravity", fixed, *state).json
        self.assertEqual({k: v for k, v in given.items() if k not in ("arm", "warnings")},
                         {k: v for k, v in repaired.items() if k not in ("arm", "warnings")})  # weight and centre stay
        self.refused(2, "check", path, "--repair", says="-o")
        self.refused(2, "check", path, "-o", fixed, says="--repair")

    def test_an_arm_of_too_many_joints_is_refused_with_a_command_that_works(self):
        names = [f"l{i}" for i in range(1, 21)]
        text = ("<robot name='snake'>" + link("base", None) + "".join(map(link, names))
                + "".join(joint(f"j{i}", parent, child) for i, (parent, child) in enumerate(zip(["base", *names], names), 1)) + "</robot>")
        path = self.file("snake.urdf", text)
        hint = self.refused(2, "show", path, says=["has 20 moving joints", "at most 16"]).err
        command = shlex.split(re.search(r"`(armature show .*?)`", hint)[1])[1:]
        self.assertIn("joints      16 moving", self.done(*command).out)

    def test_a_urdf_is_one_by_any_ending_and_encoding(self):
        self.file("plain.urdf", MASSLESS)
        shown = self.done("show", self.folder / "plain.urdf").out
        for name, text in {"ROBOT.URDF": MASSLESS, "robot.xml": MASSLESS, "windows.urdf": "<?xml version='1.0' encoding='utf-16'?>" + MASSLESS}.items():
            path = self.folder / name
            path.write_text(text, encoding="utf-16" if name.startswith("windows") else "utf-8")
            self.assertEqual(self.done("show", path).out, shown.replace("plain.urdf", name))
            self.assertIn("last (revolute): end", self.done("show", path, "--tree").out)

    def test_the_tree_of_any_file_is_printed(self):
        degrees = MASSLESS.replace("lower='-2' upper='2'", "lower='-120' upper='120'")
        self.refused(2, "show", self.file("degrees.urdf", degrees), says=["looks like degrees", "--as-given"])
        self.assertIn("last (revolute): end", self.done("show", self.folder / "degrees.urdf", "--tree").out)
        tree = self.done("show", self.file("two.urdf", TWO_ARMS), "--tree").out
        self.assertIn("      left_j1 (revolute): left1, 1 kg\n", tree)
        self.assertIn("waist (revolute): column", self.done("show", "rrr", "--tree").out)

    def test_the_tree_says_beside_a_part_what_cannot_be_read_of_it(self):
        broken = MASSLESS.replace("<axis xyz='0 1 0'/>", "<axis xyz='0 0 0'/>", 1).replace("<mass value='1.0'/>", "<mass value='1,0'/>", 1)
        path = self.file("broken.urdf", broken)
        answer = self.refused(2, "show", path, "--tree", says=["joint 'a_j1' has a zero axis\n  hint: give a direction", "'1,0' is not"])
        self.assertRegex(answer.out, r"  a_j1 \(revolute\): a1  <- line 1: joint 'a_j1' has a zero axis; line 1: value: '1,0' is not .*\n"
                                     r" +a_j2 \(revolute\): a2, 1 kg\n")
        self.refused(2, "show", path)

    def test_the_tree_of_a_spoiled_file_has_all_its_links_and_what_show_refuses(self):
        no_xml_of_ours = {"deep_nesting.urdf", "doctype.urdf"}
        for path in sorted((ROOT / "tests" / "bad").glob("*.urdf")):
            with self.subTest(path.name):
                try:
                    root = ElementTree.parse(path).getroot()
                except (ElementTree.ParseError, ValueError):
                    continue
                links = sum(part.tag == "link" for part in root)
                tree, given = run("show", path, "--tree"), run("show", path, "--as-given")
                if root.tag != "robot" or not links or path.name in no_xml_of_ours:
                    self.assertEqual((tree.code, tree.out), (2, ""))
                    continue
                listed = [line for line in tree.out.split("\n\n")[0].splitlines()[1:] if "not in the tree" not in line]
                self.assertEqual(len(listed), links)
                if tree.code:
                    self.assertEqual((tree.code, given.code), (2, 2))
                    self.assertIn(given.err.splitlines()[0], tree.err)

    def test_every_robot_of_a_maker_is_shown_at_the_first_or_at_the_hinted_try(self):
        if not SHARED.exists():
            self.skipTest("../shared/robots is absent")
        for path in sorted(SHARED.rglob("*.urdf")):
            with self.subTest(path.name):
                answer = run("show", path)
                if answer.code == 0:
                    continue
                self.assertEqual(answer.code, 2)
                commands = self.commands(answer.err)
                self.assertGreater(len(commands), 1)
                for command in commands:
                    self.done(*command)
                    q = ",".join(["0"] * int(re.search(r"(\d+) moving", self.done(*command).out)[1]))
                    self.done("compute", "gravity", *command[1:], "--q", q, "--as-given")


main()
