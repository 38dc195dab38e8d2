"""Links that fold into each other or the floor: check --q, simulate and excite."""
import csv
import subprocess
import unittest
from pathlib import Path

from program import LONG, PROGRAM, ROOT, ProgramTest, main

SHARED = ROOT.parent / "shared" / "robots"
FCL = Path(PROGRAM).parent / "fcl_collisions"


def link(name, shape):
    return (f"<link name='{name}'><inertial><origin xyz='0 0 0.15'/><mass value='1'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' "
            f"izz='0.005'/></inertial><{shape}><origin xyz='0 0 0.15'/><geometry><cylinder radius='0.02' length='0.3'/></geometry></{shape}></link>")


def joint(name, parent, child, z):
    return (f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 {z}'/><axis xyz='0 1 0'/>"
            "<limit lower='-3.1' upper='3.1' effort='100' velocity='3'/></joint>")


def snake(shape="collision", count=4):
    """Links of 0.3 m that stand on each other and fold to and fro."""
    names = [f"l{i}" for i in range(1, count + 1)]
    return ("<robot name='snake'><link name='base'/>" + "".join(link(n, shape) for n in names)
            + "".join(joint(f"j{i + 1}", parent, child, 0.3 if i else 0.1)
                      for i, (parent, child) in enumerate(zip(["base", *names], names))) + "</robot>")


class Collisions(ProgramTest):
    def robot(self, **kind):
        path = self.folder / "snake.urdf"
        path.write_text(snake(**kind))
        return path

    def test_a_configuration_is_free_or_it_is_said_what_overlaps_and_by_how_much(self):
        for shape in ("collision", "visual"):
            robot = self.robot(shape=shape)
            free = self.done("check", robot, "--q", "0,0,0,0", "--json").json
            self.assertTrue(free["free"] and free["watched"])
            distances = {d["between"]: d["distance"] for d in free["distances"]}
            # straight up: l1 ends at 0.4 m, l3 begins at 0.7 m
            self.assertAlmostEqual(distances["link 'l1' and link 'l3'"], 0.7 - 0.4, delta=1e-6)
            self.assertAlmostEqual(distances["link 'l2' and the floor"], 0.4, delta=1e-6)
        # a triangle: l3 comes back to where l1 begins, and l4 goes on through l1
        self.refused_with_faults(robot, "0,120deg,120deg,60deg", ["link 'l1' and link 'l4' overlap"])
        self.refused_with_faults(robot, "100deg,0,0,0", ["and the floor overlap"])
        self.done("check", robot, "--q", "100deg,0,0,0", "--floor", "none")
        self.done("check", robot, "--q", "100deg,0,0,0", "--floor", "-1m")
        self.refused_with_faults(robot, "0,0,0,179deg", ["joint 'j4' is 1.38", "beyond its limit"])
        self.assertIn("not watched", self.done("check", "rrr", "--q", "0,0,0").out)
        self.refused(2, "check", robot, "--floor", "0", says="--q")
        self.refused(2, "check", robot, "--q", "0,0", says="--q")

    def refused_with_faults(self, robot, q, says):
        from program import run
        answer = run("check", robot, "--q", q)
        self.assertEqual(answer.code, 1, answer.err)
        for words in says:
            self.assertIn(words, answer.out)

    def test_a_link_whose_meshes_are_missing_is_watched_by_its_looks_or_named(self):
        mesh = "<collision><geometry><mesh filename='package://nowhere/l1.stl'/></geometry></collision>"
        text = snake().replace("<link name='l1'><inertial>", "<link name='l1'>" + mesh + "<inertial>", 1)
        robot = self.folder / "snake.urdf"
        robot.write_text(text)
        folded = ["--q", "0,120deg,120deg,60deg"]
        answer = self.done("check", robot, "--q", "0,0,0,0")
        self.assertIn("a link is not watched for collisions, because its meshes are not at hand, or too large to be in metres: l1", answer.err)
        self.assertIn("what is seen of it is free", answer.out)
        self.assertEqual(self.done("check", robot, "--q", "0,0,0,0", "--json").json["unseen"], ["l1"])
        looks = text.replace(mesh, mesh + "<visual><origin xyz='0 0 0.15'/><geometry><box size='0.04 0.04 0.3'/></geometry></visual>")
        robot.write_text(looks)
        self.assertNotIn("not at hand", self.done("check", robot, "--q", "0,0,0,0").err)
        self.refused_with_faults(robot, folded[1], ["link 'l1' and link 'l4' overlap"])

    def test_a_run_that_folds_the_arm_into_itself_says_so(self):
        self.robot()
        scenario = self.folder / "s.yaml"
        scenario.write_text("scenario: s\nrobot: snake.urdf\nreference: {kind: polynomial, from: [0, 0, 0, 0], to: [0, 120 deg, 120 deg, 60 deg], duration: 1 s}\n"
                            "controller: {kind: computed_torque, kp: 400, kd: 40}\nrun: {duration: 1.2 s}\n")
        out = self.folder / "out"
        answer = self.done("simulate", scenario, "-o", out)
        self.assertIn("link 'l1' and link 'l4' overlap at", answer.err)
        self.assertIn("collision", (out / "log.csv").read_text())
        quiet = self.done("simulate", scenario, "--set", "limits=ignore")
        self.assertNotIn("overlap", quiet.err)
        straight = self.done("simulate", scenario, "--set", "reference.to=[0, 10 deg, 10 deg, 0]")
        self.assertNotIn("overlap", straight.err)

    def test_a_designed_motion_keeps_clear_of_itself_and_the_floor_at_every_millisecond(self):
        robot = self.robot(count=3)
        motion = self.folder / "motion.csv"
        self.done("excite", robot, "--starts", "3", "--harmonics", "3", "--acceleration", "5", "-o", motion, timeout=600)
        with open(motion, encoding="utf-8") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        columns = [rows[0].index(f"q{i} [rad]") for i in (1, 2, 3)]
        least = self.clearance_by_hand([[float(row[c]) for c in columns] for row in rows[1:]])
        self.assertGreaterEqual(least, 0.02 - 1e-6)

    def clearance_by_hand(self, postures):
        """The smallest distance of l1 from l3, and of l2 and l3 from the floor, in the plane in which the arm moves."""
        from math import cos, hypot, sin
        def point_to(p, a, b):
            t = ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2)
            t = min(1, max(0, t))
            return hypot(p[0] - a[0] - t * (b[0] - a[0]), p[1] - a[1] - t * (b[1] - a[1]))
        def crosses(a, b, c, d):
            def side(p, q, r):
                return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
            return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
        least = 1e9
        for q in postures:
            points, angle = [(0, 0.1)], 0
            for turn in q:
                angle += turn
                points.append((points[-1][0] + 0.3 * sin(angle), points[-1][1] + 0.3 * cos(angle)))
            (a, b), (c, d) = points[0:2], points[2:4]
            apart = 0 if crosses(a, b, c, d) else min(point_to(a, c, d), point_to(b, c, d), point_to(c, a, b), point_to(d, a, b))
            least = min(least, apart - 0.04, *(p[1] - 0.02 for p in points[1:]))
        return least


ROBOTS = {  # the arm, and the folder that its packages lie in
    "ur3": (SHARED / "example-robot-data/robots/ur_description/urdf/ur3_robot.urdf", SHARED),
    "gen3": (SHARED / "ros_kortex/kortex_description/arms/gen3/7dof/urdf/GEN3-7DOF-VISION_ARM_URDF_V12.urdf", SHARED / "ros_kortex"),
    # its hulls for collisions are not there: the meshes that they were made of are
    "bravo7": (SHARED / "example-robot-data/robots/bravo7_description/urdf/bravo7_gripper.urdf", SHARED),
    "z1": (SHARED / "example-robot-data/robots/z1_description/urdf/z1.urdf", SHARED),  # cylinders
    "panda": ("panda", SHARED),  # capsules
}


@unittest.skipUnless(SHARED.exists(), "../shared/robots is absent")
@unittest.skipUnless(FCL.exists(), "FCL is not installed (libfcl-dev)")
class SecondOpinion(ProgramTest):
    EVERY = 1 if LONG else 5  # rows of a motion, 1 ms apart, of which FCL sees one: in 5 ms no link moves by the 20 mm it keeps off

    def thinned(self, motion):
        header, *rows = [line for line in motion.read_text().splitlines(keepends=True) if not line.startswith("#")]
        motion.write_text("".join([header, *rows[::self.EVERY]]))
        return motion

    def fcl(self, robot, *motion):
        """What FCL says of the shapes as their maker publishes them."""
        done = subprocess.run([FCL, *ROBOTS[robot], *motion], capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {key: float(value) for key, value in (line.split() for line in done.stdout.splitlines())}

    def test_links_are_never_nearer_than_our_capsules_and_hulls_say(self):
        for robot in ROBOTS:
            answer = self.fcl(robot)
            self.assertGreater(answer["pairs"], 8, robot)
            self.assertLess(answer["nearest_excess"], 1e-6, robot)
            self.assertLess(answer["capsule_excess"], 1e-6, robot)

    @unittest.skipUnless((Path(PROGRAM).parent / "armature-mesh-reader").exists(), "the reader of meshes was not built")
    def test_no_robot_is_folded_into_itself_or_the_floor_at_any_millisecond(self):
        for robot, (arm, _) in ROBOTS.items():
            if robot not in ("ur3", "bravo7") and not LONG:
                continue
            with self.subTest(robot):
                motion = self.folder / f"{robot}.csv"
                fewer = () if LONG else ("--starts", "1", "--harmonics", "2")
                said = self.done("excite", arm, *fewer, "-o", motion, timeout=600)
                self.assertIn("from each other and above the floor", said.out)
                if not fewer:
                    self.assertNotIn("poorly determined", said.err)  # its condition number is below 100
                # Panda's capsules of links 1 and 3 overlap wherever its shoulder bends by more than 74 deg, which it may by 101 deg
                answer = self.fcl(robot, self.thinned(motion), *(["0-2"] if robot == "panda" else []))
                self.assertGreater(answer["pairs"], 5)
                self.assertGreaterEqual(answer["rows"], 10_000 // self.EVERY)  # 10 s
                self.assertEqual(answer["touching"], 0)
                self.assertGreaterEqual(answer["lowest"], 0.02 - 1e-3)  # the meshes are made light, to 0.2 % of their size


main()
