"""Reference vectors of three arms, computed elsewhere: written as arm files, computed by the program, compared to 1e-12."""
import json
import unittest
from math import pi

from program import ROOT, ProgramTest, comma, main

VECTORS = ROOT.parent / "shared" / "vectors"


def link(name, mass, com, tensor):
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    return (f"    link: {{name: {name}, mass: {mass!r}, com: {com!r}, inertia: {{about: com, xx: {xx!r}, yy: {yy!r},"
            f" zz: {zz!r}, xy: {xy!r}, xz: {xz!r}, yz: {yz!r}}}}}\n")


def joint(name, kind="revolute", theta="0", d=0.0, a=0.0, alpha="0"):
    return f"  - name: {name}\n    type: {kind}\n    dh: {{theta: {theta}, d: {d!r}, a: {a!r}, alpha: {alpha}}}\n"


def rrr(vector):
    size = vector["geometry"]
    rows = [joint("q1", d=size["d1"], alpha="90 deg"), joint("q2", d=size["d2"], a=size["a2"]),
            joint("q3", d=size["d3"], a=size["a3"])]
    links = [link(f"link{i}", body["m"], body["com_in_frame_i"], body["inertia_tensor_about_com"])
             for i, body in enumerate(vector["links"], 1)]
    return f"arm: rrr\ngravity: [0, 0, {-vector['g']!r}]\njoints:\n" + "".join(map("".join, zip(rows, links)))


def planar3r(vector):
    gravity = [-vector["g0"] * e for e in vector["e_g"]]
    text = f"arm: planar3r\ngravity: {gravity!r}\njoints:\n"
    for i in range(3):
        length, izz = vector["l"][i], vector["I_about_com"][i]
        text += joint(f"q{i + 1}", a=length)  # inertia about x and y does not show in the plane; these are possible
        text += link(f"link{i + 1}", vector["m"][i], [vector["lc"][i] - length, 0, 0],
                     [[0.6 * izz, 0, 0], [0, 0.6 * izz, 0], [0, 0, izz]])
    return text


def rpr(vector):
    a1, a2, a3, a4 = vector["geometry_a1_a2_a3_a4"]
    bodies = [link(f"link{i + 1}", vector["masses"][i], vector["com_link_frames"][i],
                   vector["inertia_about_com_link_frames"][i]) for i in range(3)]
    return ("arm: rpr\ngravity: [0, 0, -9.806]\njoints:\n" +
            joint("base", "fixed", theta="90 deg", d=a1, alpha="90 deg") + "    link: {name: pedestal}\n" +
            joint("q1", a=a2, alpha="-90 deg") + bodies[0] + joint("q2", "prismatic", d=a3) + bodies[1] +
            joint("q3", a=a4) + "    link: {name: frame4}\n" +
            "  - name: hand\n    type: fixed\n    origin: {xyz: [0, 0, 0], rpy: [0, 90 deg, 0]}\n" + bodies[2])


@unittest.skipUnless(VECTORS.is_dir(), f"the reference vectors are not there: {VECTORS}")
class ReferenceVectors(ProgramTest):
    def vectors(self, name):
        return json.loads((VECTORS / f"{name}.json").read_text())

    def compare(self, arm, vector, expected, more=()):
        state = {"q": vector["q"], "v": vector["qd"], "a": vector["qdd"]}
        for (what, block, inputs, *extra), numbers in expected:
            with self.subTest(what=what, extra=extra):
                options = [word for letter in inputs for word in (f"--{letter}", comma(state[letter]))]
                result = self.done("compute", what, arm, *options, *extra, *more, "--json").json["result"]
                answer = [result[name] for name in block] if isinstance(block, tuple) else result[block]
                self.assertClose(answer, numbers)

    def compare_solutions(self, arm, pose, expected, angles):
        """The same set of joint positions; `angles` says which of them are angles, equal modulo a turn."""
        answer = self.done("compute", "inverse-kinematics", arm, "--pose", comma(pose), "--json").json
        found = [solution["q"] for solution in answer["solutions"]]
        self.assertEqual(len(found), len(expected))
        for q in expected:
            distance = min(max(abs((x - y + pi) % (2 * pi) - pi) if turns else abs(x - y)
                               for x, y, turns in zip(q, other, angles)) for other in found)
            self.assertLess(distance, 1e-9)

    def each(self, name, text_of):
        for number, vector in enumerate(self.vectors(name)["vectors"]):
            path = self.folder / f"{name}{number}.yaml"
            path.write_text(text_of(vector))
            with self.subTest(arm=path.name):
                yield path, vector

    def test_rrr(self):
        for path, vector in self.each("rrr", rrr):
            self.compare(path, vector, [
                (("inverse-dynamics", "tau", "qva"), vector["tau_rigid"]),
                (("inverse-dynamics", "tau", "qva", "--method", "lagrange"), vector["tau_rigid"]),
                (("mass-matrix", "m", "q"), vector["M"]), (("gravity", "g", "q"), vector["gravity"]),
                (("coriolis", "c", "qv"), vector["c_velocity_terms"]),
                (("forward-kinematics", ("x", "y", "z"), "q"), vector["fk_position"])])
            self.compare_solutions(path, vector["fk_position"], vector["ik_all_branches"], [True] * 3)

    def test_planar3r(self):
        for path, vector in self.each("planar3r", planar3r):
            J = vector["J"]
            zero = [0.0] * 3
            self.compare(path, vector, [
                (("inverse-dynamics", "tau", "qva"), vector["tau"]), (("mass-matrix", "m", "q"), vector["M"]),
                (("gravity", "g", "q"), vector["g"]), (("coriolis", "c", "qv"), vector["C_qd"]),
                (("forward-kinematics", ("x", "y", "z"), "q"), [*vector["fk"][:2], 0]),
                (("jacobian", "j", "q"), [J[0], J[1], zero, zero, zero, J[2]])])
            x, y, phi = vector["fk"]
            self.compare_solutions(path, [x, y, 0, 0, 0, phi], vector["ik_both"], [True] * 3)

    def test_rpr(self):
        for path, vector in self.each("rpr", rpr):
            self.compare(path, vector, [
                (("inverse-dynamics", "tau", "qva"), vector["tau"]), (("mass-matrix", "m", "q"), vector["B"]),
                (("gravity", "g", "q"), vector["g"]), (("coriolis", "c", "qv"), vector["C_qd"]),
                (("forward-kinematics", ("x", "y", "z"), "q"), [row[3] for row in vector["H_E_0"][:3]]),
                (("jacobian", "j", "q"), vector["J_geometric"]),
                (("jacobian", "j", "q", "--representation", "zyz"), vector["J_analytic_zyz"])])
            self.compare_solutions(path, [row[3] for row in vector["H_E_0"][:3]], vector["ik_all_branches"],
                                   [True, False, True])

    def test_the_arms_of_the_catalogue(self):
        for vector in self.vectors("rrr")["tableV"]["vectors"]:
            self.compare("rrr_printed", vector, [
                (("inverse-dynamics", "tau", "qva"), vector["tau"]), (("mass-matrix", "m", "q"), vector["M"]),
                (("gravity", "g", "q"), vector["gravity"]), (("coriolis", "c", "qv"), vector["c"]),
                (("forward-kinematics", ("x", "y", "z"), "q"), vector["fk"])])


main()
