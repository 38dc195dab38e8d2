"""What each verb answers, to people and to machines, and how it refuses."""
from program import ROOT, ProgramTest, main, run


class Help(ProgramTest):
    def test_every_verb_explains_itself_with_an_example(self):
        top = self.done("--help").out
        self.assertEqual(self.done().out, top)
        for verb in ["arms", "show", "check", "compute", "export"]:
            self.assertIn(f"\n  {verb} ", top)
            text = self.done(verb, "--help").out
            self.assertIn("--json", text)
            self.assertIn(f"Examples:\n  armature {verb}", text)

    def test_the_version_is_that_of_the_project(self):
        declared = next(line.split("VERSION ")[1].split()[0] for line in (ROOT / "CMakeLists.txt").read_text().splitlines()
                        if line.startswith("project("))
        self.assertEqual(self.done("--version").out, f"armature {declared}\n")

    def test_slips_of_the_finger_are_guessed(self):
        self.refused(2, "shwo", "rrr", says=["unknown verb 'shwo'", "did you mean 'show'?"])
        self.refused(2, "show", "rrr", "--jsn", says=["no option '--jsn'", "did you mean '--json'?"])
        self.refused(2, "show", "pmua560", says=["'pmua560'", "did you mean 'puma560'?"])
        self.refused(2, "compute", "mass_matrix", "rrr", "--q", "0,0,0", says="did you mean 'mass-matrix'?")
        self.refused(2, "compute", "jacobian", "rrr", "--q", "0,0,0", "--frame", "forarm", says="did you mean 'forearm'?")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,0", "--with", "fricton", says="did you mean 'friction'?")

    def test_what_is_missing_or_too_much_is_named(self):
        self.refused(2, "show", says=["ARM", "hint:"])
        self.refused(2, "show", "rrr", "planar3r", says="'planar3r' is one argument too many")
        self.refused(2, "compute", "gravity", says=["ARM", "hint:"])
        self.refused(2, "compute", "gravity", "rrr", "--q", says="--q")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,0", "--q", "1,1,1", says="--q")


class Arms(ProgramTest):
    def test_every_file_of_the_catalogue_is_listed_for_people_and_machines(self):
        names = sorted(path.stem for path in (ROOT / "arms").glob("*.yaml"))
        listed = self.done("arms", "--json").json
        self.assertEqual(sorted(arm["name"] for arm in listed), names)
        text = self.done("arms").out
        for arm in listed:
            self.assertIn(f"\n  {arm['name']} ", text)
            self.assertGreater(arm["dof"], 0)
            self.assertTrue(arm["description"] and arm["source"])

    def test_every_arm_can_be_shown_checked_and_written(self):
        for arm in self.done("arms", "--json").json:
            with self.subTest(arm["name"]):
                shown = self.done("show", arm["name"], "--json").json
                self.assertEqual((shown["name"], len(shown["joints"])), (arm["name"], arm["dof"]))
                text = self.done("show", arm["name"]).out
                for joint in shown["joints"]:
                    self.assertIn(joint["name"], text)
                checked = run("check", arm["name"], "--json")
                self.assertEqual(checked.code, 1 if "unphysical" in arm else 0)
                self.assertEqual(checked.json["sound"], "unphysical" not in arm)

    def test_an_unphysical_arm_says_so_at_every_load(self):
        reason = self.done("show", "rrr_printed", "--json").json["unphysical"]
        for verb in [("show", "rrr_printed"), ("export", "rrr_printed"),
                     ("compute", "gravity", "rrr_printed", "--q", "0,0,0")]:
            self.assertIn(f"warning: arm 'rrr_printed' is unphysical: {reason}", self.done(*verb).err)
        self.assertIn(reason, run("check", "rrr_printed").out)

    def test_reach_is_that_of_the_stretched_arm(self):
        # rrr: tool at sqrt((a2 + a3)^2 + (d2 + d3)^2) from axis 1; planar3r: the sum of its lengths
        self.assertClose([self.done("show", "rrr", "--json").json["reach"]], [((0.2 + 0.415)**2 + (0.169 + 0.09)**2)**0.5], 1e-9)
        import re
        lengths = re.findall(r"a: ([0-9./]+) m", (ROOT / "arms" / "planar3r.yaml").read_text())
        self.assertEqual(len(lengths), 3)
        self.assertClose([self.done("show", "planar3r", "--json").json["reach"]], [sum(map(float, lengths))], 1e-9)


ARM = """
arm: elbow
joints:
  - name: shoulder
    dh: {a: 0.5 m, alpha: 0}
    link: {name: upper, mass: 2 kg, com: [-0.25 m, 0, 0], inertia: {about: com, xx: 0.01, yy: 0.05, zz: 0.05}}
  - name: elbow
    dh: {a: 0.4 m, alpha: 0}
    link: {name: lower, mass: 1 kg, com: [-0.2 m, 0, 0], inertia: {about: com, xx: 0.01, yy: 0.02, zz: 0.02}}
"""


class Check(ProgramTest):
    def check(self, text):
        path = self.folder / "elbow.yaml"
        path.write_text(text)
        return run("check", path), run("check", path, "--json").json

    def test_a_sound_arm_passes(self):
        said, answer = self.check(ARM)
        self.assertEqual(said.code, 0, said.out + said.err)
        self.assertIn("sound", said.out)
        self.assertEqual((answer["sound"], answer["findings"]), (True, []))

    def test_every_error_is_found_not_just_the_first_and_each_has_place_and_hint(self):
        said, answer = self.check(ARM.replace("zz: 0.05", "zz: 0.5").replace("mass: 1 kg", "mass: 0 kg"))
        self.assertEqual(said.code, 1)
        self.assertFalse(answer["sound"])
        self.assertEqual([finding["about"] for finding in answer["findings"]], ["link 'upper'", "link 'lower'"])
        for finding, line in zip(answer["findings"], [6, 9]):
            self.assertIn(f"elbow.yaml:{line}:", finding["place"])
            self.assertTrue(finding["hint"])
            self.assertIn(finding["finding"], said.out)

    def test_compute_refuses_what_check_refuses(self):
        path = self.folder / "elbow.yaml"
        path.write_text(ARM.replace("zz: 0.05", "zz: 0.5"))
        self.refused(2, "compute", "gravity", path, "--q", "0,0", says=["elbow.yaml:6:", "triangle inequality", "hint:"])

    def test_a_mass_matrix_that_is_not_positive_definite_is_refused_whatever_the_file_says(self):
        path = self.folder / "elbow.yaml"
        path.write_text("unphysical: made up for a test\n" + ARM.replace("zz: 0.02", "zz: -0.5"))
        said = run("check", path)
        self.assertEqual(said.code, 1)
        self.assertIn("not positive definite at q =", said.out)
        self.refused(2, "compute", "gravity", path, "--q", "0,0", says="not positive definite")

    def test_what_cannot_be_read_is_wrong_input(self):
        path = self.folder / "elbow.yaml"
        path.write_text(ARM.replace("mass:", "mas:"))
        self.refused(2, "check", path, says=["elbow.yaml:6:", "mas", "hint:"])
        self.refused(2, "check", self.folder / "no.yaml", says="no.yaml")


class OneState(ProgramTest):
    def test_units_are_welcome(self):
        plain = self.done("compute", "forward-kinematics", "rpr", "--q", "0.5235987755982988,0.02,0", "--json").json
        units = self.done("compute", "forward-kinematics", "rpr", "--q", "30deg, 20 mm,0rad", "--json").json
        self.assertClose(list(plain["result"].values()), list(units["result"].values()))
        self.refused(2, "compute", "gravity", "rpr", "--q", "30mm,0,0", says=["--q, value 1", "30mm"])

    def test_the_number_of_values_is_checked(self):
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0", says=["--q: '0,0' has 2 values, not 3", "waist"])
        self.refused(2, "compute", "gravity", "rrr", "--q", "", says="--q")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,nan", says="--q, value 3: 'nan' is not a finite number")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,1e999", says="not a finite number")

    def test_what_is_needed_is_asked_for_and_what_is_not_is_refused(self):
        self.refused(2, "compute", "inverse-dynamics", "rrr", "--q", "0,0,0", "--v", "0,0,0", says="needs --a")
        self.refused(2, "compute", "gravity", "rrr", says="needs --q")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,0", "--v", "0,0,0", says="--v changes nothing about gravity")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,0", "--with", "friction", says="--with friction changes nothing")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,0", "--wrench", "0,0,1,0,0,0", says="--wrench changes nothing")
        self.refused(2, "compute", "gravity", "rrr", "--q", "0,0,0", "--in", "x.csv", says="exclude each other")

    def test_overflow_is_refused_and_never_printed(self):
        self.refused(2, "compute", "energy", "rrr", "--q", "0,0,0", "--v", "1e200,1e200,1e200", "--json", says="not finite")

    def test_gravity_scales_with_gravity(self):
        earth = self.done("compute", "gravity", "rrr", "--q", "0.1,0.2,0.3", "--gravity", "0,0,-9.81", "--json").json
        twice = self.done("compute", "gravity", "rrr", "--q", "0.1,0.2,0.3", "--gravity", "0,0,-19.62", "--json").json
        self.assertClose([2 * g for g in earth["result"]["g"]], twice["result"]["g"])

    def test_a_weight_on_the_tool_is_a_payload_or_a_wrench(self):
        rest = ("--q", "0.1,0.2,0.3", "--v", "0,0,0", "--a", "0,0,0", "--gravity", "0,0,-10", "--json")
        carried = self.done("compute", "inverse-dynamics", "rrr", *rest, "--payload", "2 kg").json["result"]["tau"]
        pushed = self.done("compute", "inverse-dynamics", "rrr", *rest, "--wrench", "0,0,-20 N,0,0,0").json["result"]["tau"]
        bare = self.done("compute", "inverse-dynamics", "rrr", *rest).json["result"]["tau"]
        self.assertClose(carried, pushed)
        self.assertGreater(max(abs(a - b) for a, b in zip(bare, carried)), 1)

    def test_lagrange_and_newton_euler_agree(self):
        for arm, n in [("rrr", 3), ("panda", 7)]:
            state = ("--q", ",".join(["0.3"] * n), "--v", ",".join(["-0.7"] * n), "--a", ",".join(["1.1"] * n), "--json")
            tau = [self.done("compute", "inverse-dynamics", arm, *state, "--method", method).json["result"]["tau"]
                   for method in ["lagrange", "newton-euler"]]
            self.assertClose(*tau)

    def test_a_frame_may_be_asked_for_instead_of_the_tool(self):
        q = ("--q", "0.1,0.2,0.3", "--json")
        tool = self.done("compute", "forward-kinematics", "rrr", *q).json["result"]
        self.assertEqual(self.done("compute", "forward-kinematics", "rrr", *q, "--frame", "forearm").json["result"], tool)
        column = self.done("compute", "forward-kinematics", "rrr", *q, "--frame", "column").json["result"]
        self.assertClose([column["x"], column["y"], column["z"]], [0, 0, 0.56])
        J = self.done("compute", "jacobian", "rrr", *q, "--frame", "upper_arm").json["result"]["j"]
        self.assertEqual([row[2] for row in J], [0] * 6)  # the elbow does not move the upper arm

    def test_rates_of_angles_are_refused_where_they_are_not_determined(self):
        upright = "0,0,0,0,0,0"  # the tool points straight up or down
        self.refused(2, "compute", "jacobian", "puma560", "--q", upright, "--representation", "zyz", says="singular")
        self.done("compute", "jacobian", "puma560", "--q", upright, "--representation", "rpy")


    def test_the_regressor_times_the_parameters_is_the_torque(self):
        # the Panda is in modified DH: its bodies' frames are its link frames
        p = []
        for joint in self.done("show", "panda", "--json").json["joints"]:
            body = joint["body"]
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = body["inertia_about_origin"]
            p += [body["mass"], *body["first_moment"], xx, xy, yy, xz, yz, zz]
        state = ("--q", "0.1,-0.2,0.3,-1.4,0.5,1.6,0.7", "--v", "1,-2,3,-1,2,-3,1", "--a", "3,2,1,0,-1,-2,-3", "--json")
        W = self.done("compute", "regressor", "panda", *state).json["result"]["w"]
        tau = self.done("compute", "inverse-dynamics", "panda", *state).json["result"]["tau"]
        self.assertClose([sum(w * x for w, x in zip(row, p)) for row in W], tau)

    def test_base_parameters_times_their_columns_are_the_torque(self):
        for arm, n, extra in [("rrr", 3, []), ("planar3r", 3, []), ("puma560", 6, []), ("puma560", 6, ["--with", "rotor"])]:
            with self.subTest(arm=arm, extra=extra):
                base = self.done("compute", "base-parameters", arm, *extra, "--json").json
                self.assertLess(base["largest_dropped"], base["tolerance"])
                self.assertLess(base["tolerance"], base["smallest_kept"])
                state = ("--q", ",".join(["0.3", "-0.9", "1.2"] * (n // 3)), "--v", ",".join(["-0.7", "1", "0.4"] * (n // 3)),
                         "--a", ",".join(["1.1", "-2", "3"] * (n // 3)), *extra, "--json")
                blocks = self.done("compute", "regressor", arm, *state).json["result"]
                W = [row + (blocks["r"][i] if extra else []) for i, row in enumerate(blocks["w"])]
                tau = self.done("compute", "inverse-dynamics", arm, *state).json["result"]["tau"]
                self.assertClose([sum(row[p["column"] - 1] * p["value"] for p in base["parameters"]) for row in W], tau)
                values = self.done("compute", "base-parameters", arm, *extra, "--out", "-").table
                self.assertEqual([values[p["name"]] for p in base["parameters"]], [[p["value"]] for p in base["parameters"]])

    def test_rotors_add_the_same_to_torque_inertia_and_energy(self):
        def result(what, block, *options):
            return self.done("compute", what, "puma560", *options, "--json").json["result"][block]
        q, v, a = ("--q", "0.1,0.2,0.3,0.4,0.5,0.6"), ("--v", "1,-1,2,-2,3,-3"), ("--a", "1,2,3,-1,-2,-3")
        numbers_a, numbers_v = [1, 2, 3, -1, -2, -3], [1, -1, 2, -2, 3, -3]
        B = [[x - y for x, y in zip(*rows)] for rows in zip(result("mass-matrix", "m", *q, "--with", "rotor"),
                                                          result("mass-matrix", "m", *q))]
        self.assertGreater(max(map(max, B)), 0.1)
        extra = [x - y for x, y in zip(result("inverse-dynamics", "tau", *q, *v, *a, "--with", "rotor"),
                                       result("inverse-dynamics", "tau", *q, *v, *a))]
        self.assertClose(extra, [sum(b * x for b, x in zip(row, numbers_a)) for row in B])
        energy = result("energy", "kinetic", *q, *v, "--with", "rotor") - result("energy", "kinetic", *q, *v)
        self.assertClose([energy], [sum(x * b * y for x, row in zip(numbers_v, B) for b, y in zip(row, numbers_v)) / 2])

    def test_a_target_out_of_reach_is_a_no_with_the_nearest_point(self):
        answer = run("compute", "inverse-kinematics", "rrr", "--pose", "9,0,0", "--json")
        self.assertEqual(answer.code, 1)
        self.assertEqual((answer.json["status"], answer.json["solutions"]), ("unreachable", []))
        self.assertGreater(answer.json["nearest"]["position_error"], 8)
        self.assertEqual(run("compute", "inverse-kinematics", "panda", "--pose", "9,0,0").code, 1)

    def test_the_numerical_methods_find_a_solution_of_the_closed_form(self):
        closed = self.done("compute", "inverse-kinematics", "rrr", "--pose", "0.3,0.3,0.7", "--json").json["solutions"]
        for method in ["newton", "damped-least-squares", "transposed-jacobian"]:
            with self.subTest(method):
                found = self.done("compute", "inverse-kinematics", "rrr", "--pose", "0.3,0.3,0.7", "--method", method,
                                  "--guess", "1.4,-1.1,2", "--json").json["solutions"][0]["q"]
                nearest = min(max(abs(a - b) for a, b in zip(found, solution["q"])) for solution in closed)
                self.assertLess(nearest, 1e-6)

    def test_one_target_can_be_a_table_too(self):
        asked = ("compute", "inverse-kinematics", "rrr")
        table = self.done(*asked, "--in", "-", text="x,y,z\n0.3,0.3,0.7\n").out
        self.assertEqual(self.done(*asked, "--pose", "0.3,0.3,0.7", "--out", "-").out, table)

    def test_targets_are_checked(self):
        self.refused(2, "compute", "inverse-kinematics", "rrr", says="needs --pose")
        self.refused(2, "compute", "inverse-kinematics", "rrr", "--pose", "1,2", says="--pose: '1,2' has 2 values")
        self.refused(2, "compute", "inverse-kinematics", "rrr", "--q", "1,2,3", says="--q changes nothing")
        self.refused(2, "compute", "inverse-kinematics", "asea2", "--pose", "0,0,0", "--method", "closed-form",
                     says="no closed form is known for arm 'asea2'")
        self.refused(2, "compute", "inverse-kinematics", "panda", "--pose", "0,0,0", "--method", "closed-form",
                     says="needs the orientation")
        self.refused(2, "compute", "inverse-kinematics", "rrr", "--pose", "0.3,0.3,0.7", "--redundancy", "1",
                     says="no redundancy")

    def test_a_seven_axis_arm_keeps_its_pose_over_the_whole_interval_of_its_redundancy(self):
        for arm, q, what in [("panda", "0.1,-0.5,0.2,-2,0.3,1.8,0.4", "position of joint 7"),
                             ("iiwa14", "0.1,0.5,0.2,-1.2,0.3,0.8,0.4", "arm angle")]:
            pose = self.done("compute", "forward-kinematics", arm, "--q", q, "--json").json["result"]
            target = ",".join(str(pose[name]) for name in ("x", "y", "z", "qw", "qx", "qy", "qz"))
            asked = ("compute", "inverse-kinematics", arm, "--pose", target, "--json")
            answer = self.done(*asked, "--guess", q).json
            nearest = answer["solutions"][0]
            self.assertTrue(nearest["within_limits"])
            self.assertClose(nearest["q"], [float(x) for x in q.split(",")], 1e-6)
            self.assertEqual(answer["redundancy"]["what"], what)
            allowed = answer["redundancy"]["within_limits"]
            self.assertTrue(any(i["branch"] == nearest["branch"] and i["lower"] <= answer["redundancy"]["value"] <= i["upper"]
                                for i in allowed))
            for interval in allowed:
                width = interval["upper"] - interval["lower"]
                for share in (0.001, 0.5, 0.999):
                    found = self.done(*asked, "--redundancy", str(interval["lower"] + share * width)).json["solutions"]
                    kept = [s for s in found if s["branch"] == interval["branch"]]
                    self.assertEqual([s["within_limits"] for s in kept], [True], (arm, interval, share))
                beyond = interval["upper"] + 1e-4
                if beyond < 3.14159:
                    found = run(*asked, "--redundancy", str(beyond)).json["solutions"]
                    self.assertFalse([s for s in found if s["branch"] == interval["branch"] and s["within_limits"]])


class Export(ProgramTest):
    def test_an_exported_arm_is_the_same_arm(self):
        for arm in ["rrr", "rpr", "puma560", "panda"]:
            path = self.folder / f"{arm}.yaml"
            self.done("export", arm, "-o", path)
            self.assertEqual(self.done("show", path, "--json").json, self.done("show", arm, "--json").json)
            self.assertEqual(self.done("export", path).out, path.read_text())

    def test_a_urdf_moves_as_the_arm_it_was_written_from(self):
        for arm, n in [("rrr", 3), ("rpr", 3), ("puma560", 6), ("panda", 7)]:
            with self.subTest(arm):
                path = self.folder / f"{arm}.urdf"
                self.done("export", arm, "-o", path)
                gravity = ",".join(map(repr, self.done("show", arm, "--json").json["gravity"]))  # URDF has no word for it
                state = ("--q", ",".join(["0.3", "-0.2", "0.4", "-0.5", "0.6", "0.7", "0.8"][:n]),
                         "--v", ",".join(["-0.7", "1.3", "0.9", "-1", "2", "1", "-2"][:n]), "--json")
                motion = (*state, "--a", ",".join(["1.1", "-2", "3", "1", "-1", "2", "-2"][:n]), "--gravity", gravity)
                for what, options in [("inverse-dynamics", motion), ("forward-kinematics", (*state[:2], "--json"))]:
                    a, b = (self.done("compute", what, source, *options).json["result"] for source in [arm, path])
                    self.assertEqual(list(a), list(b))
                    for name in a:
                        self.assertClose([b[name]], [a[name]], 1e-10)

    def test_what_is_changed_on_the_way_is_exported(self):
        path = self.folder / "moon.yaml"
        self.done("export", "rrr", "--gravity", "0,0,-1.62", "-o", path)
        self.assertEqual(self.done("show", path, "--json").json["gravity"], [0, 0, -1.62])

    def test_unknown_formats_are_refused(self):
        self.refused(2, "export", "rrr", "--format", "xml", says="--format: unknown 'xml'")
        self.assertEqual(self.left_in_folder(), [])


main()
