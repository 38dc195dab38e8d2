"""What links look like: meshes and simple shapes of a URDF on the page, in arm files and in exports."""
import base64
import json
import os
import struct
import unittest
from pathlib import Path

from program import PROGRAM, ROOT, ProgramTest, main, run

SHARED = ROOT.parent / "shared" / "robots"
READER = Path(PROGRAM).parent / "armature-mesh-reader"
SCENARIO = ("scenario: s\nrobot: {}\nreference: {{kind: hold}}\ncontroller: {{kind: joint_pd, kp: 10, kd: 1}}\n"
            "run: {{duration: 20 ms}}\nlimits: ignore\n")
INERTIA = "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial>"

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]


def binary_stl():
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *(c for corner in face for c in CORNERS[corner]), 0) for face in FACES)
    return b"\0" * 80 + struct.pack("<I", len(FACES)) + body


def obj(material=""):
    return material + "".join("v %g %g %g\n" % corner for corner in CORNERS) + ("usemtl blue\n" if material else "") + "".join(
        "f %d %d %d\n" % tuple(c + 1 for c in face) for face in FACES)


def dae(unit="1", up="Y_UP"):
    points = " ".join("%g" % c for corner in CORNERS for c in corner)
    faces = " ".join(str(c) for face in FACES for c in face)
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>0 1 0 1</color></diffuse></lambert></technique>
</profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="green"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="a" count="24">{points}</float_array>
<technique_common><accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="12" material="x"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="vs"><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="x" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#vs"/></scene></COLLADA>"""


def robot(*meshes, more=""):
    shapes = "".join(f"<visual><geometry><mesh filename='{mesh}'/></geometry></visual>" for mesh in meshes)
    return (f"<robot name='r'><link name='base'/><link name='arm'>{INERTIA}{shapes}{more}</link><joint name='j' type='revolute'>"
            "<parent link='base'/><child link='arm'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='9' velocity='2'/>"
            "<dynamics damping='0.5' friction='0.25'/></joint></robot>")


def data_of(page):
    text = page.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    return json.loads(text[start:text.index("</script>", start)])


def box_of(mesh):
    low = [min(p["low"][k] for p in mesh["parts"]) for k in range(3)]
    high = [max(p["low"][k] + p["size"][k] for p in mesh["parts"]) for k in range(3)]
    return low, high


def triangles_of(mesh):
    return sum(len(base64.b64decode(part["triangles"])) // 12 for part in mesh["parts"])


class Meshes(ProgramTest):
    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content)
        return path

    def page(self, urdf, *options, **more):
        """The data of the page, and what was said, for a robot in this folder."""
        scenario = self.write("s.yaml", SCENARIO.format(urdf))
        out = self.folder / "out"
        answer = self.done("simulate", scenario, "-o", out, *options, **more)
        return data_of(out / "index.html"), answer

    def shapes(self, data):
        return [shape for frame in data["logs"][0]["scene"] for shape in frame["shapes"]]

    @unittest.skipUnless(READER.exists(), "the reader of meshes was not built (libassimp-dev, libmeshoptimizer-dev)")
    def test_a_box_is_the_same_box_in_every_format(self):
        self.write("box.stl", binary_stl())
        self.write("box.obj", obj("mtllib box.mtl\n"))
        self.write("box.mtl", "newmtl blue\nKd 0 0 1\n")
        self.write("box.dae", dae())
        self.write("mm.dae", dae("0.001", "Z_UP"))
        self.write("r.urdf", robot("box.stl", "box.obj", "box.dae", "mm.dae"))
        data, answer = self.page("r.urdf")
        self.assertNotIn("mesh", answer.err)
        meshes = {mesh["name"].split(" ", 1)[1]: mesh for mesh in data["meshes"]}
        self.assertEqual([s["mesh"] for s in self.shapes(data)], [m["name"] for m in data["meshes"]])
        for name, scale in (("box.stl", 1), ("box.obj", 1), ("box.dae", 1), ("mm.dae", 0.001)):
            low, high = box_of(meshes[name])
            self.assertEqual(triangles_of(meshes[name]), 12, name)
            self.assertClose(low, [0, 0, 0])
            self.assertClose([h / scale for h in high], [1, 2, 3], 1e-6)  # the up axis of a DAE turns nothing, as in ROS
        self.assertEqual(meshes["box.obj"]["parts"][0]["colour"], [0, 0, 1, 1])
        self.assertEqual(meshes["box.dae"]["parts"][0]["colour"], [0, 1, 0, 1])
        self.assertEqual(meshes["box.stl"]["parts"][0]["colour"], [0, 0, 0, 0])  # none
        first = (self.folder / "out" / "index.html").read_bytes()
        self.done("report", self.folder / "out")
        self.assertEqual(first, (self.folder / "out" / "index.html").read_bytes())

    @unittest.skipUnless(READER.exists(), "the reader of meshes was not built (libassimp-dev, libmeshoptimizer-dev)")
    def test_packages_are_found_by_option_by_environment_and_above_the_file(self):
        self.write("far/share/my_robot/meshes/box.stl", binary_stl())
        self.write("above/my_robot/meshes/box.stl", binary_stl())
        text = robot("package://my_robot/meshes/box.stl")
        self.write("r.urdf", text)
        data, answer = self.page("r.urdf")
        self.assertEqual(answer.err.count("warning"), 1)
        self.assertIn("a mesh is not found: package://my_robot/meshes/box.stl", answer.err)
        self.assertIn("--packages DIR", answer.err)
        self.assertEqual((data["meshes"], self.shapes(data)), ([], []))  # the capsule stands in
        found = [self.page("r.urdf", "--packages", self.folder / "far" / "share"),
                 self.page("r.urdf", "--packages", self.folder / "far" / "share" / "my_robot"),
                 self.page("r.urdf", env={"ROS_PACKAGE_PATH": f"/nowhere:{self.folder}/far/share"}),
                 self.page("r.urdf", env={"AMENT_PREFIX_PATH": str(self.folder / "far")})]
        self.write("above/my_robot/urdf/r.urdf", text)
        found.append(self.page("above/my_robot/urdf/r.urdf"))
        self.write("above/my_robot/urdf/beside.urdf", robot("../meshes/box.stl"))
        found.append(self.page("above/my_robot/urdf/beside.urdf"))
        self.write("my_robot-main/meshes/box.stl", binary_stl())  # the package, downloaded under another name
        self.write("my_robot-main/urdf/r.urdf", text)
        found.append(self.page("my_robot-main/urdf/r.urdf"))
        self.write("export/box.stl", binary_stl())
        self.write("export/no_package.urdf", robot("package:///box.stl"))
        found.append(self.page("export/no_package.urdf"))
        self.write("export/windows.urdf", robot("..\\export\\box.stl"))
        found.append(self.page("export/windows.urdf"))
        for data, answer in found:
            self.assertEqual(answer.err, "")
            self.assertEqual(len(data["meshes"]), 1)
        self.assertNotIn(str(self.folder), json.dumps(data["logs"][0]["scene"]))  # the page tells nobody where files lie
        data, answer = self.page("r.urdf", "--no-meshes")
        self.assertEqual((data["meshes"], self.shapes(data), answer.err), ([], [], ""))

    @unittest.skipUnless(READER.exists(), "the reader of meshes was not built (libassimp-dev, libmeshoptimizer-dev)")
    def test_a_mesh_in_millimetres_is_told_and_left_out(self):
        self.write("box.dae", dae("100", "Z_UP"))  # 100 x 200 x 300 m
        shape = "<collision><geometry><mesh filename='box.dae'/></geometry></collision>"
        self.write("r.urdf", robot("box.dae", more=shape))
        data, answer = self.page("r.urdf")
        self.assertEqual(self.shapes(data), [])
        self.assertEqual(answer.err.count("warning"), 1)
        self.assertIn("a mesh is larger than 20 m: box.dae (100 m)", answer.err)
        self.assertIn("too large to be in metres", self.done("check", self.folder / "r.urdf", "--q", "0").out)
        self.write("scaled.urdf", robot("box.dae").replace("'box.dae'", "'box.dae' scale='0.001 0.001 -0.001'"))
        data, answer = self.page("scaled.urdf")
        self.assertEqual((len(self.shapes(data)), answer.err), (1, ""))

    def test_several_missing_meshes_are_one_warning_and_simple_shapes_need_no_reader(self):
        box = ("<visual><origin xyz='0 0 0.5'/><geometry><box size='0.1 0.2 1'/></geometry>"
               "<material name='m'><color rgba='0.9 0.1 0.1 1'/></material></visual>")
        self.write("r.urdf", robot("a.stl", "b.stl", "c.dae", "d.obj", more=box))
        data, answer = self.page("r.urdf")
        self.assertEqual(answer.err.count("warning"), 1)
        (shape,) = self.shapes(data)
        self.assertEqual((shape["kind"], shape["size"], shape["colour"]), ("box", [0.1, 0.2, 1], [0.9, 0.1, 0.1, 1]))

    @unittest.skipUnless(READER.exists(), "the reader of meshes was not built (libassimp-dev, libmeshoptimizer-dev)")
    def test_hostile_meshes_cost_a_warning_and_nothing_else(self):
        good = binary_stl()
        many = [good[:80] + struct.pack("<I", 0xFFFFFFFF) + good[84:],  # promises more than there is
                good[:100], b"", b"solid x\nfacet normal nan nan nan\n", os.urandom(3000), dae()[:900].encode(),
                dae().replace("0 1 3", "0 1 999999").encode(), obj().replace("f 1", "f -999999999").encode(),
                b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]><COLLADA>&c;</COLLADA>",
                good[:84] + struct.pack("<12fH", 0, 0, 0, *[float("nan")] * 9, 0) * 12]
        for content in many:
            for ending in ("stl", "dae", "obj"):
                self.write(f"x.{ending}", content)
                self.write("r.urdf", robot(f"x.{ending}"))
                data, answer = self.page("r.urdf")
                self.assertLessEqual(answer.err.count("warning"), 1)
                self.assertTrue(data["meshes"] or "could not be read: x." in answer.err, answer.err)
                for mesh in data["meshes"]:  # what is drawn is whole
                    for part in mesh["parts"]:
                        corners = len(base64.b64decode(part["points"])) // 6
                        indices = base64.b64decode(part["triangles"])
                        self.assertLess(max(struct.unpack(f"<{len(indices) // 4}I", indices)), corners)
        self.write("secret.stl", good)
        self.write("r.urdf", robot("x.obj"))
        self.write("x.obj", obj("mtllib ../../../../etc/passwd\n"))
        self.page("r.urdf")
        os.mkfifo(self.folder / "pipe.stl")
        self.write("r.urdf", robot("pipe.stl"))
        self.assertIn("not found", self.page("r.urdf")[1].err)

    @unittest.skipUnless(READER.exists(), "the reader of meshes was not built (libassimp-dev, libmeshoptimizer-dev)")
    def test_arm_files_and_exports_keep_the_looks(self):
        self.write("robot/meshes/box.stl", binary_stl())
        self.write("robot/urdf/r.urdf", robot("package://robot/meshes/box.stl"))
        self.done("export", self.folder / "robot/urdf/r.urdf", "-o", self.folder / "arm.yaml")
        self.assertIn("mesh: robot/meshes/box.stl", (self.folder / "arm.yaml").read_text())
        self.done("export", self.folder / "robot/urdf/r.urdf", "-o", self.folder / "robot/urdf/again.urdf")
        again = (self.folder / "robot/urdf/again.urdf").read_text()
        self.assertIn('filename="package://robot/meshes/box.stl"', again)
        self.assertIn('<dynamics damping="0.5" friction="0.25"/>', again)
        for name in ("arm.yaml", "robot/urdf/again.urdf"):
            data, answer = self.page(name)
            self.assertEqual((len(data["meshes"]), answer.err), (1, ""), name)
        told = self.done("export", self.folder / "arm.yaml", "-o", self.folder / "arm.xml")
        self.assertIn("this MJCF has no place for: meshes", told.err)
        self.assertIn('damping="0.5" frictionloss="0.25"', (self.folder / "arm.xml").read_text())

    def test_what_a_format_has_no_place_for_is_said(self):
        self.assertIn("a URDF has no place for: ", self.done("export", "rrr", "-o", self.folder / "rrr.urdf").err)
        self.assertIn("this MJCF has no place for: ", self.done("export", "rrr", "-o", self.folder / "rrr.xml").err)
        self.done("export", "puma560", "-o", self.folder / "puma.xml")
        text = (self.folder / "puma.xml").read_text()
        for word in (" armature=", " damping=", " frictionloss="):
            self.assertEqual(text.count(word), 6, word)
        self.assertEqual(self.done("export", "rrr", "-o", self.folder / "rrr.yaml").err, "")
        massless = self.write("m.urdf", robot().replace("<link name='base'/>", "<link name='base'/><link name='end'/><joint name='k' type="
                              "'revolute'><parent link='arm'/><child link='end'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"))
        answer = run("export", massless, "-o", self.folder / "m.xml")
        self.assertEqual(answer.code, 2)
        self.assertIn("--repair", answer.err)
        self.assertFalse((self.folder / "m.xml").exists())

    @unittest.skipUnless(READER.exists(), "the reader of meshes was not built (libassimp-dev, libmeshoptimizer-dev)")
    def test_pages_of_makers_robots_are_light(self):
        robots = {"ur3_robot.urdf": 7, "GEN3-7DOF-VISION_ARM_URDF_V12.urdf": 8, "bravo7_gripper.urdf": 6}
        if not SHARED.exists():
            self.skipTest("../shared/robots is absent")
        for name, least in robots.items():
            (path,) = SHARED.rglob(name)
            data, answer = self.page(path)
            self.assertNotIn("mesh", answer.err)
            self.assertGreaterEqual(len(data["meshes"]), least, name)
            self.assertLess(sum(triangles_of(mesh) for mesh in data["meshes"]), 150_000, name)
            self.assertLess((self.folder / "out" / "index.html").stat().st_size, 4_000_000, name)
            self.assertLess(sum(len(p["points"]) + len(p["triangles"]) for m in data["meshes"] for p in m["parts"]), 1_200_000, name)


main()
