"""calibrate --measured wrench, as a person would run it: postures and motions of a tool on a force/torque sensor, and mistakes that are named."""
import math
import random

from program import ProgramTest, main

MASS, CENTRE, OFFSET = 1.2, (0.01, 0.0, 0.06), (5, -3, 8, 0.2, 0.1, -0.3)
NAMES = "fx,fy,fz,tx,ty,tz"


class CalibrateWrench(ProgramTest):
    def readings(self, quaternion, random_source):
        """The load of the tool at rest, in axes of the flange: weight, and weight times lever, turned by the transposed rotation."""
        w, x, y, z = quaternion
        down = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
        f = [-MASS * 9.80665 * d for d in down]
        n = [CENTRE[1] * f[2] - CENTRE[2] * f[1], CENTRE[2] * f[0] - CENTRE[0] * f[2], CENTRE[0] * f[1] - CENTRE[1] * f[0]]
        return [v + OFFSET[k] + random_source.gauss(0, 0.05 if k < 3 else 0.002) for k, v in enumerate(f + n)]

    def postures(self, name="wrist.csv", header=NAMES, spoil=lambda values: values):
        self.done("calibrate", "ur5e", "--design", "30", "-o", self.folder / "postures.csv")
        self.done("compute", "forward-kinematics", "ur5e", "--in", self.folder / "postures.csv", "--out", self.folder / "poses.csv")
        joints = (self.folder / "postures.csv").read_text().split()[1:]
        poses = (self.folder / "poses.csv").read_text().split()
        turn = [poses[0].split(",").index(c) for c in ("qw", "qx", "qy", "qz")] if "qw" in poses[0].split(",") else \
            [poses[0].split(",").index("tool_" + c) for c in ("qw", "qx", "qy", "qz")]
        source = random.Random(3)
        rows = ["q1,q2,q3,q4,q5,q6," + header]
        for q, pose in zip(joints, poses[1:]):
            cells = [float(c) for c in pose.split(",")]
            rows.append(q + "," + ",".join(map(repr, spoil(self.readings([cells[k] for k in turn], source)))))
        path = self.folder / name
        path.write_text("\n".join(rows) + "\n")
        return path

    def test_tool_axes_and_offsets_are_found_and_written(self):
        table, arm, sensor = self.postures(), self.folder / "with_tool.yaml", self.folder / "sensor.yaml"
        answer = self.done("calibrate", "ur5e", table, "-o", arm, "--sensor", sensor, "--json").json  # its columns say what it is
        self.assertEqual(answer["reads"], "load")
        truth = {"mass": MASS, **{f"centre {a} in the sensor": CENTRE[k] for k, a in enumerate("xyz")},
                 **{f"r{a}": 0 for a in "xyz"}, **dict(zip(NAMES.split(","), OFFSET))}
        inside = 0
        for q in answer["tool"] + answer["mounting"] + answer["offsets"]:
            if q["name"] in truth:
                inside += q["interval_95"][0] <= truth[q["name"]] <= q["interval_95"][1]
                middle = sum(q["interval_95"]) / 2
                self.assertLess(abs(truth[q["name"]] - middle), 4 * (q["interval_95"][1] - middle), q["name"])
        self.assertGreaterEqual(inside, 10)  # of 13 intervals of 95 %
        self.assertIn("reads the load", " ".join(answer["sentences"]))
        with_tool, without = (self.done("show", a, "--json").json for a in (arm, "ur5e"))
        self.assertNotEqual(with_tool, without)
        # what the sensor says of the world is noise, since nothing was touched
        contact = self.folder / "contact.csv"
        self.done("calibrate", "ur5e", table, "--use", sensor, "-o", contact)
        rows = [line for line in contact.read_text().splitlines() if not line.startswith("#")][1:]
        forces = [float(row.split(",")[k]) for row in rows for k in (1, 2, 3)]
        self.assertLess(math.sqrt(sum(f * f for f in forces) / len(forces)), 0.1)

    def test_recorders_names_and_units_are_found(self):
        plain = self.done("calibrate", "ur5e", self.postures(), "--json").json
        for header, factor in (("wrench.force.x,wrench.force.y,wrench.force.z,wrench.torque.x,wrench.torque.y,wrench.torque.z", (1, 1)),
                               ("Fx [daN],Fy [daN],Fz [daN],Mx [N mm],My [N mm],Mz [N mm]", (0.1, 1e3)),
                               ("wrench_0,wrench_1,wrench_2,wrench_3,wrench_4,wrench_5", (1, 1)),
                               ("force_x,force_y,force_z,moment_x,moment_y,moment_z", (1, 1))):
            table = self.postures("other.csv", header, lambda v, f=factor: [x * f[k // 3] for k, x in enumerate(v)])
            other = self.done("calibrate", "ur5e", table, "--measured", "wrench", "--json").json
            for a, b in zip(plain["tool"] + plain["mounting"], other["tool"] + other["mounting"]):
                self.assertAlmostEqual(a["value"], b["value"], delta=1e-6, msg=header)

    def test_a_motion_shows_where_the_sensor_is_and_what_inertia_the_tool_has(self):
        step, rows, place = 0.01, 2500, (0.004, -0.003, 0.035)  # of the sensor in the frame of the tool [m]
        points = [(0.5, (0.02, 0.01, 0.05)), (0.3, (-0.05, 0.02, 0.1)), (0.4, (0.03, -0.06, 0.12)), (0.2, (0.01, 0.03, 0.2))]
        at = lambda t: [0.5 * math.sin((0.9 + 0.17 * j) * t + j) + 0.25 * math.sin((1.7 + 0.3 * j) * t + 2 * j) - (j == 1) for j in range(6)]
        motion = [at(step * k) for k in range(-1, rows + 1)]
        (self.folder / "motion.csv").write_text("q1,q2,q3,q4,q5,q6\n" + "\n".join(",".join(map(repr, q)) for q in motion) + "\n")
        self.done("compute", "forward-kinematics", "ur5e", "--in", self.folder / "motion.csv", "--out", self.folder / "poses.csv")
        header, *lines = (self.folder / "poses.csv").read_text().split()
        poses = [dict(zip(header.split(","), map(float, line.split(",")))) for line in lines]

        def rotation(p):
            w, x, y, z = p["qw"], p["qx"], p["qy"], p["qz"]
            return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]

        def point(p, r):
            R = rotation(p)
            return [p[c] + sum(R[i][j] * r[j] for j in range(3)) for i, c in enumerate("xyz")]

        source = random.Random(4)
        table = ["time [s],q1,q2,q3,q4,q5,q6," + NAMES]
        for k in range(rows):
            before, here, after = poses[k:k + 3]
            force, moment, origin, R = [0] * 3, [0] * 3, point(here, place), rotation(here)
            for m, r in points:  # each is followed through space: the arm's force on it is m (a - g)
                a, b, c = point(before, r), point(here, r), point(after, r)
                f = [m * ((a[i] - 2 * b[i] + c[i]) / step ** 2 + (9.80665 if i == 2 else 0)) for i in range(3)]
                lever = [b[i] - origin[i] for i in range(3)]
                force = [force[i] + f[i] for i in range(3)]
                moment = [moment[i] + lever[(i + 1) % 3] * f[(i + 2) % 3] - lever[(i + 2) % 3] * f[(i + 1) % 3] for i in range(3)]
            turned = [sum(R[i][j] * v[i] for i in range(3)) for v in (force, moment) for j in range(3)]
            values = [v + OFFSET[c] + source.gauss(0, 0.05 if c < 3 else 0.002) for c, v in enumerate(turned)]
            table.append(",".join(map(repr, [step * k, *motion[k + 1], *values])))
        log = self.folder / "log.csv"
        log.write_text("\n".join(table) + "\n")
        answer = self.done("calibrate", "ur5e", log, "-o", self.folder / "with_tool.yaml", "--page", self.folder / "page", "--json").json
        self.assertTrue(answer["moving"])
        self.assertEqual(answer["reads"], "reaction")
        found = {q["name"]: (sum(q["interval_95"]) / 2, (q["interval_95"][1] - q["interval_95"][0]) / 2)
                 for q in answer["tool"] + answer["mounting"]}
        mass = sum(m for m, _ in points)
        centre = [sum(m * r[i] for m, r in points) / mass for i in range(3)]
        inertia = sum(m * ((r[1] - centre[1]) ** 2 + (r[2] - centre[2]) ** 2) for m, r in points)
        for name, truth in {"mass": mass, **dict(zip("xyz", place)), "Ixx": inertia,
                            **{f"centre {a} in the tool's frame": centre[i] for i, a in enumerate("xyz")}}.items():
            self.assertLess(abs(found[name][0] - truth), 2 * found[name][1], name)
        self.assertTrue((self.folder / "page" / "index.html").exists())

    def test_a_map_names_columns(self):
        table = self.postures("odd.csv", "a1,a2,a3,b1,b2,b3")
        self.refused(2, "calibrate", "ur5e", table, "--measured", "wrench", says=["no columns of a force/torque sensor", "--map"])
        (self.folder / "map.yaml").write_text("wrench: [a1, a2, a3, b1, b2, b3]\n")
        self.done("calibrate", "ur5e", table, "--measured", "wrench", "--map", self.folder / "map.yaml")

    def test_mistakes_are_named(self):
        self.refused(2, "calibrate", "ur5e", "--measured", "wrench", says=["no readings are given", "hint"])
        flipped = self.postures("flipped.csv", NAMES, lambda v: v[:4] + [-v[4]] + v[5:])
        self.refused(2, "calibrate", "ur5e", flipped, says=["not those of a tool", "tx, -ty, tz"])
        small = self.postures("small.csv", NAMES, lambda v: v[:3] + [1e3 * x for x in v[3:]])
        self.refused(2, "calibrate", "ur5e", small, says=["N mm", "tx [N mm]"])
        table = self.postures()
        self.refused(2, "calibrate", "ur5e", table, "--gains", says=["a tool that is known", "payload"])
        self.refused(2, "calibrate", "panda", table, says="positions of 7 joints")
        self.refused(2, "calibrate", "ur5e", table, "--use", self.folder / "none.yaml", "-o", self.folder / "c.csv", says="none.yaml")
        self.refused(2, "calibrate", "ur5e", self.folder / "postures.csv", "--sensor", self.folder / "s.yaml", says="--measured wrench")


if __name__ == "__main__":
    main()
