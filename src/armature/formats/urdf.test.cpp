#include "armature/formats/urdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <locale>

#include "armature/core/random.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/internal/xml.hpp"
#include "armature/formats/urdf_limbs.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::formats;
using namespace armature::testing;

namespace {

const std::string mass =
    R"(<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>)";

std::string a_link(const std::string& name, const std::string& inside = mass) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}
std::string a_joint(const std::string& name, const std::string& type, const std::string& parent,
                    const std::string& child, const std::string& inside = "") {
  const std::string limit =
      type == "revolute" || type == "prismatic" ? "<limit lower='-1' upper='1' effort='5' velocity='2'/>" : "";
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         (inside.find("<limit") == std::string::npos ? limit : "") + inside + "</joint>\n";
}
std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>\n"; }

/// Two arms with the same bodies, moved by the same joints.
void check_same_chain(const Arm& a, const Arm& b) {
  REQUIRE(a.dof() == b.dof());
  for (int i = 0; i < a.dof(); ++i) {
    CAPTURE(i);
    CHECK(a.body(i).revolute == b.body(i).revolute);
    CHECK(relative_error(a.body(i).X_PB0.R, b.body(i).X_PB0.R) < 1e-14);
    CHECK(relative_error(a.body(i).X_PB0.p, b.body(i).X_PB0.p) < 1e-14);
    CHECK(relative_error(parameters(a.body(i).inertia), parameters(b.body(i).inertia)) < 1e-13);
  }
  CHECK(relative_error(a.X_BT().R, b.X_BT().R) < 1e-14);
  CHECK(relative_error(a.X_BT().p, b.X_BT().p) < 1e-14);
}

}  // namespace

TEST_CASE("a URDF says what it says") {
  const ParsedArm parsed = parse_urdf(R"(<?xml version="1.0"?>
<robot name="two">
  <link name="world"/>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0.2" rpy="0 0 1.5707963267948966"/><mass value="2.5"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.4"/></inertial>
    <visual><geometry><mesh filename="meshes/upper.stl"/></geometry></visual>
  </link>
  <link name="flange"/>
  <link name="fore"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="world"/><child link="upper"/><origin xyz="0 0 0.5" rpy="0 -1.57 0"/><axis xyz="0 0 -1"/>
    <limit lower="-1.5" upper="2" effort="80" velocity="3.1"/><dynamics damping="0.4" friction="1.2"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="upper"/><child link="flange"/><origin xyz="0.3 0 0"/></joint>
  <joint name="slide" type="prismatic">
    <parent link="flange"/><child link="fore"/><limit upper="0.2" effort="0" velocity="0"/>
  </joint>
</robot>)",
                                      "path/two.urdf");
  const ArmDescription& arm = parsed.description;
  CHECK(arm.name == "two");
  CHECK(arm.source == "URDF two.urdf");
  REQUIRE(arm.joints.size() == 3);
  const JointDescription& shoulder = arm.joints[0];
  CHECK(shoulder.type == JointType::revolute);
  CHECK(std::get<OriginAxis>(shoulder.placement) == OriginAxis{{{0, 0, 0.5}, {0, -1.57, 0}}, {0, 0, -1}});
  CHECK(shoulder.limits == Limits{-1.5, 2, 3.1, std::nullopt, 80, ""});
  CHECK(shoulder.friction == Friction(CoulombViscous{1.2, 0.4}));
  CHECK(shoulder.link.name == "upper");
  CHECK(shoulder.link.mass->mass == 2.5);
  CHECK(shoulder.link.mass->position == Vec3<double>(0.1, 0, 0.2));
  Mat3<double> turned;  // a quarter turn about z swaps x and y and the sign of xy
  turned << 0.2, -0.01, 0, -0.01, 0.3, 0, 0, 0, 0.4;
  CHECK((shoulder.link.mass->tensor - turned).norm() < 1e-15);
  CHECK(arm.joints[1].type == JointType::fixed);
  CHECK_FALSE(arm.joints[1].link.mass.has_value());
  const JointDescription& slide = arm.joints[2];
  CHECK(slide.type == JointType::prismatic);
  CHECK(std::get<OriginAxis>(slide.placement).axis == Vec3<double>::UnitX());  // the default of URDF
  CHECK(slide.limits == Limits{0, 0.2, {}, {}, {}, ""});  // a missing bound is 0; a 0 magnitude unknown
  CHECK(slide.friction == Friction(NoFriction{}));
  CHECK(parsed.warnings.size() == 2);
  CHECK(to_string(parsed.places.at("joint 'shoulder', limits")) == "path/two.urdf:13:5");
  CHECK_NOTHROW(checked_arm(parsed));
}

TEST_CASE("an arm written as URDF and read again moves and weighs the same") {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Arm arm = random_arm(1 + i % max_joints, random);
    const std::string text = write_urdf(arm);
    CAPTURE(text);
    check_same_chain(checked_arm(parse_urdf(text, "random.urdf")), arm);
  }
  for (const std::string& name : catalogue_names()) {
    CAPTURE(name);
    const Arm arm = catalogue_arm(name);
    ParsedArm parsed = parse_urdf(write_urdf(arm), name + ".urdf");
    parsed.description.unphysical = arm.unphysical();  // URDF cannot say it
    const Arm again = checked_arm(parsed);
    check_same_chain(again, arm);
    for (int j = 0; j < arm.dof(); ++j) {
      const Limits &was = arm.joint(j).limits, &is = again.joint(j).limits;
      CHECK(again.joint(j).name == arm.joint(j).name);
      CHECK(is.velocity == was.velocity);
      CHECK(is.acceleration == was.acceleration);
      CHECK(is.torque == was.torque);
      CHECK(is.lower == was.lower);
      CHECK(is.upper == was.upper);
    }
  }
}

TEST_CASE("an arm in URDF's own terms is written and read exactly") {
  const std::string text = robot(
      a_link("b", "") + a_link("l1") + a_link("l2") +
      a_joint("j1", "revolute", "b", "l1", "<origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/><axis xyz='0 0.6 0.8'/>") +
      a_joint("j2", "prismatic", "l1", "l2", "<axis xyz='0 1 0'/><dynamics damping='0.1'/>"));
  const ArmDescription arm = parse_urdf(text, "a.urdf").description;
  const ArmDescription again = parse_urdf(write_urdf(Arm(arm)), "a.urdf").description;
  CHECK(again == arm);
}

TEST_CASE("a frame may be turned by a quaternion, x y z w") {
  const auto turned = [](const std::string& how) {
    return parse_urdf(
        robot(a_link("b", "") + a_link("l") + a_joint("j", "revolute", "b", "l", "<origin " + how + "/>")), "a.urdf");
  };
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    Quaternion q;
    for (double& part : q) part = random.uniform(-1, 1);
    q.normalize();
    const std::string text = fmt::format("quat_xyzw='{} {} {} {}'", q[1], q[2], q[3], q[0]);
    CAPTURE(text);
    const Vec3<double> rpy = std::get<OriginAxis>(turned(text).description.joints[0].placement).origin.rpy;
    const Mat3<double> R = rotation_z(rpy[2]) * rotation_y(rpy[1]) * rotation_x(rpy[0]);
    CHECK((R - rotation_from_quaternion(q)).norm() < 1e-12);
  }
  CHECK_THROWS_WITH_AS(turned("quat_xyzw='0 0 0 1' rpy='0 0 1'"), doctest::Contains("both rpy and quat_xyzw"),
                       FormatError);
  CHECK_THROWS_WITH_AS(turned("quat_xyzw='0 0 1 1'"), doctest::Contains("the quaternion has length 1.41421"),
                       FormatError);
  CHECK_THROWS_WITH_AS(turned("quat_xyzw='0 0 1'"), doctest::Contains("write four numbers: x y z w"), FormatError);
}

TEST_CASE("an infinite limit is none") {
  const auto limits = [](const std::string& type, const std::string& limit) {
    return parse_urdf(robot(a_link("b", "") + a_link("l") + a_joint("j", type, "b", "l", "<limit " + limit + "/>")),
                      "a.urdf")
        .description.joints[0]
        .limits;
  };
  for (const std::string type : {"revolute", "prismatic"}) {
    CAPTURE(type);
    CHECK(limits(type, "lower='-inf' upper='.inf' effort='Infinity' velocity='2'") == Limits{{}, {}, 2, {}, {}, ""});
    CHECK(limits(type, "lower='-1' upper='inf' effort='3' velocity='inf'") == Limits{-1, {}, {}, {}, 3, ""});
    CHECK_THROWS_AS(limits(type, "lower='nan' upper='1' effort='3' velocity='1'"), FormatError);
  }
}

TEST_CASE("what hangs off the chain is lumped into it where it lies at zero, and said so") {
  const std::string arm = a_link("base") + a_link("l1") + a_link("l2") +
                          a_joint("j1", "revolute", "base", "l1", "<axis xyz='0 0 1'/>") +
                          a_joint("j2", "revolute", "l1", "l2", "<origin xyz='1 0 0'/>");
  const std::string camera = a_link("camera") + a_link("lens") +
                             a_joint("mount", "fixed", "l1", "camera", "<origin xyz='0 0 0.5' rpy='0 0 1'/>") +
                             a_joint("focus", "prismatic", "camera", "lens", "<origin xyz='0.2 0 0'/>");
  const ParsedArm parsed = parse_urdf(robot(arm + camera), "r.urdf", {.tip = "l2"});
  // by hand: a unit ball at the origin, at (0, 0, 0.5) and at (0.2 cos 1, 0.2 sin 1, 0.5); their tensors are 0.1 x unit
  const Vec3<double> p1(0, 0, 0.5), p2(0.2 * std::cos(1.0), 0.2 * std::sin(1.0), 0.5);
  const Mat3<double> I =
      0.3 * Mat3<double>::Identity() + point_mass_inertia<double>(1, p1) + point_mass_inertia<double>(1, p2);
  const Inertia<double> lumped = inertia_of(*parsed.description.joints[0].link.mass);
  CHECK(lumped.m == doctest::Approx(3));
  CHECK((lumped.h - p1 - p2).norm() < 1e-15);
  CHECK((lumped.I_Bo - I).norm() < 1e-15);
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].starts_with(
      "r.urdf:10:1: a joint beside the chain is held at zero and rigid with it, 1 kg: focus"));
}

TEST_CASE("the chain is the one between base and tip") {
  const std::string text = robot(a_link("world", "") + a_link("a") + a_link("b") + a_link("c") + a_link("d") +
                                 a_joint("w", "fixed", "world", "a") + a_joint("j1", "revolute", "a", "b") +
                                 a_joint("j2", "continuous", "b", "c") + a_joint("j3", "revolute", "c", "d"));
  CHECK(parse_urdf(text, "t").description.joints.size() == 4);
  CHECK(parse_urdf(text, "t", {.base = "a"}).description.joints.size() == 3);
  const ParsedArm middle = parse_urdf(text, "t", {.base = "b", .tip = "c"});
  REQUIRE(middle.description.joints.size() == 1);
  CHECK(middle.description.joints[0].name == "j2");
  CHECK(inertia_of(*middle.description.joints[0].link.mass).m == 2);  // d hangs from the tip
  CHECK(middle.warnings.size() == 2);                                 // j1 above, d lumped
  const auto complaint = [&](const std::string& base, const std::string& tip) {
    try {
      parse_urdf(text, "t", {.base = base, .tip = tip});
    } catch (const FormatError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(complaint("", "e") == "t:1:1: the tip 'e' is no link of this robot\n  hint: did you mean 'a'?");
  CHECK(complaint("wrold", "") == "t:1:1: the base 'wrold' is no link of this robot\n  hint: did you mean 'world'?");
  CHECK(complaint("d", "b").starts_with("t:4:1: link 'b' does not hang from link 'd'"));
  CHECK(complaint("b", "b").starts_with("t:4:1: base and tip are the same link"));
  CHECK(complaint("d", "").starts_with("t:6:1: no joint moves below link 'd'"));
}

TEST_CASE("frames without mass and branches that do not move need no tip and no warning") {
  const std::string text = robot(a_link("base") + a_link("pedestal") + a_link("l1") + a_link("tool0", "") +
                                 a_joint("p", "fixed", "base", "pedestal") + a_joint("j1", "revolute", "base", "l1") +
                                 a_joint("t", "fixed", "l1", "tool0"));
  const ParsedArm parsed = parse_urdf(text, "t");
  CHECK(parsed.description.joints.back().link.name == "tool0");
  CHECK(parsed.warnings.empty());
}

TEST_CASE("a base that says it stands still by a mass of zero may do so") {
  const std::string still =
      "<inertial><mass value='0'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  const std::string text = robot(a_link("world", still) + a_link("base", still) + a_link("l1") +
                                 a_joint("w", "fixed", "world", "base") + a_joint("j1", "revolute", "base", "l1"));
  CHECK(checked_arm(parse_urdf(text, "t")).dof() == 1);
}

TEST_CASE("a joint that mimics, floats or glides may hang off the chain but not lie in it") {
  const std::string start = a_link("a", "") + a_link("b") + a_link("c") + a_joint("j1", "revolute", "a", "b");
  for (const std::string& last : {a_joint("j2", "floating", "b", "c"), a_joint("j2", "planar", "b", "c"),
                                  a_joint("j2", "revolute", "b", "c", "<mimic joint='j1'/>")}) {
    CHECK_THROWS_AS(parse_urdf(robot(start + last), "t", {.tip = "c"}), FormatError);
    CHECK(parse_urdf(robot(start + last), "t", {.tip = "b"}).description.joints.size() == 1);
  }
}

TEST_CASE("extensions of URDF are passed over, those unknown with one warning each") {
  const std::string text =
      robot(a_link("a", "") + a_link("b", mass + "<drake:x/><self_collide>1</self_collide>") +
            a_link("c", mass + "<self_collide>0</self_collide>") + a_joint("j1", "revolute", "a", "b") +
            a_joint("j2", "revolute", "b", "c") + "<gazebo reference='b'/><transmission name='t'/>");
  const ParsedArm parsed = parse_urdf(text, "t");
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].find("unknown <self_collide> in <link>") != std::string::npos);
}

TEST_CASE("a mesh stays in its package, or below the folder above the file's") {
  const auto with_mesh = [](const std::string& path) {
    return robot(a_link("a", "<visual><geometry><mesh filename='" + path + "'/></geometry></visual>") + a_link("b") +
                 a_joint("j", "revolute", "a", "b"));
  };
  for (const char* path : {"a.stl", "meshes/a.stl", "./a.stl", "meshes/../a.stl", "../meshes/a.stl", "..\\a.stl",
                           "package://robot/meshes/a.stl", "model://r/a.dae"}) {
    CAPTURE(path);
    CHECK(parse_urdf(with_mesh(path), "t").warnings.empty());
  }
  for (const char* path : {"../../a.stl", "meshes/../../../a.stl", "/etc/passwd", "file:///etc/passwd",
                           "package://r/../../a.stl", "C:\\a.stl", "..\\..\\a.stl", "https://example.org/a.stl",
                           "~/a.stl", "package:////etc/passwd", "package:///../../a.stl", "a&#10;b.stl", ""}) {
    CAPTURE(path);
    const ParsedArm parsed = parse_urdf(with_mesh(path), "t");  // nobody needs the mesh to move the arm
    REQUIRE(parsed.warnings.size() == 1);
    CHECK(parsed.warnings[0].starts_with("t:2:50: a: a shape cannot be drawn: its mesh "));
  }
  const auto named = [&](const std::string& path) {
    return parse_urdf(with_mesh(path), "t").description.base_shapes.visual.at(0).mesh;
  };
  CHECK(named("..\\meshes\\a.stl") == "../meshes/a.stl");  // as exporters on Windows write it
  CHECK(named("package:///part.stl") == "part.stl");       // a package without a name is the file's folder
}

TEST_CASE("what URDF cannot say stands in a comment, whatever the names") {
  ArmDescription arm = catalogue_arm("rrr").description();
  arm.name = "a <b> & \"c\" -- d";
  arm.joints[0].name = "joint -- <1>";
  arm.joints[0].link.name = "base";  // taken: the root gets another name
  const std::string text = write_urdf(Arm(arm));
  CHECK(text.find("friction at low speed of joint") != std::string::npos);
  const ParsedArm again = parse_urdf(text, "t");
  CHECK(again.description.name == arm.name);
  CHECK(again.description.joints[0].name == arm.joints[0].name);
  CHECK(again.description.joints[0].link.name == "base");
}

TEST_CASE("a URDF is read and written the same in any locale") {
  struct Commas : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
  };
  const Arm arm = catalogue_arm("ur5e");
  const std::string text = write_urdf(arm);
  const ArmDescription here = parse_urdf(text, "t").description;
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  const ArmDescription there = parse_urdf(text, "t").description;
  const std::string written = write_urdf(arm);
  std::locale::global(before);
  CHECK(there == here);
  CHECK(written == text);
}

TEST_CASE("what would be refused when it is read again is not written") {
  ArmDescription arm = catalogue_arm("rrr").description();
  std::get<DhRow>(arm.joints[1].placement).a = 12;  // "12 m" in an arm file; URDF has no units
  CHECK_THROWS_WITH_AS(write_urdf(Arm(arm)), doctest::Contains("cannot be written as a URDF that is read again: xyz"),
                       ModelError);
}

TEST_CASE("what links look like is read with place and colour, and what hangs off the chain keeps its look") {
  const std::string shapes =
      "<visual><origin xyz='0 0 0.1' rpy='0 0 0.5'/><geometry><box size='0.1 0.2 0.3'/></geometry>"
      "<material name='red'/></visual>"
      "<visual><geometry><mesh filename='package://r/a.stl' scale='0.001 0.001 -0.001'/></geometry>"
      "<material name='own'><color rgba='0.1 0.2 0.3 0.4'/></material></visual>"
      "<collision><geometry><cylinder radius='0.05' length='0.4'/></geometry></collision>";
  const ParsedArm parsed = parse_urdf(
      robot("<material name='red'><color rgba='1 0 0 1'/></material>" +
            a_link("a", "<visual><geometry><sphere radius='0.2'/></geometry></visual>") + a_link("b", mass + shapes) +
            a_joint("j", "revolute", "a", "b") +
            a_link("c", mass + "<visual><geometry><sphere radius='0.3'/></geometry><material name='own'/></visual>") +
            a_joint("k", "fixed", "b", "c", "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>")),
      "t", {.tip = "b"});
  CHECK(parsed.warnings.empty());
  const ArmDescription& arm = parsed.description;
  REQUIRE(arm.base_shapes.visual.size() == 1);
  CHECK(arm.base_shapes.visual[0] == Shape{.kind = Shape::Kind::sphere, .size = {0.2, 0, 0}});
  const LinkShapes& b = arm.joints[0].link.shapes;
  REQUIRE(b.visual.size() == 3);
  CHECK(b.visual[0] == Shape{.size = {0.1, 0.2, 0.3}, .place = {{0, 0, 0.1}, {0, 0, 0.5}}, .colour = {{1, 0, 0, 1}}});
  CHECK(b.visual[1].mesh == "package://r/a.stl");
  CHECK(b.visual[1].size == Vec3<double>(0.001, 0.001, -0.001));
  CHECK(b.visual[2].place.xyz == Vec3<double>(1, 0, 0));  // of the link that is rigid with it
  CHECK(b.visual[2].colour == std::array{0.1, 0.2, 0.3, 0.4});
  CHECK(b.collision == std::vector{Shape{.kind = Shape::Kind::cylinder, .size = {0.05, 0.4, 0}}});
  CHECK(parse_arm_yaml(write_arm_yaml(arm), "t") == arm);
  const ArmDescription again = parse_urdf(write_urdf(Arm(arm)), "t").description;
  CHECK(again.base_shapes == arm.base_shapes);
  CHECK(again.joints[0].link.shapes == b);
}

TEST_CASE("a shape of more than 10 m is left out, and kept where the file is taken at its word") {
  const std::string text =
      robot(a_link("a") +
            a_link("b", mass + "<collision><geometry><cylinder radius='50' length='300'/></geometry></collision>"
                               "<collision><geometry><sphere radius='0.1'/></geometry></collision>") +
            a_joint("j", "revolute", "a", "b"));
  const auto shapes = [](const ParsedArm& parsed) { return parsed.description.joints[0].link.shapes.collision.size(); };
  const ParsedArm parsed = parse_urdf(text, "t");
  CHECK(shapes(parsed) == 1);
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].find("b: a shape is larger than 10 m") != std::string::npos);
  CHECK(shapes(parse_urdf(text, "t", {.as_given = true})) == 2);
}

TEST_CASE("a shape that is none is a warning, and the others stay") {
  for (const char* broken :
       {"<box/>", "<box size='1 2'/>", "<cylinder radius='-1' length='1'/>", "<sphere radius='x'/>", "<mesh/>"}) {
    CAPTURE(broken);
    const std::string shape = std::string("<visual><geometry>") + broken + "</geometry></visual>";
    const ParsedArm parsed = parse_urdf(robot(a_link("a") +
                                              a_link("b", mass + shape +
                                                              "<visual><geometry><sphere radius='1'/></geometry>"
                                                              "</visual>") +
                                              a_joint("j", "revolute", "a", "b")),
                                        "t");
    CHECK(parsed.warnings.size() == 1);
    CHECK(parsed.description.joints[0].link.shapes.visual.size() == 1);
  }
}

TEST_CASE("of every law of friction a URDF keeps what it has words for") {
  ArmDescription arm = catalogue_arm("ur5e").description();
  arm.joints[0].friction = Stribeck{.coulomb = 2, .stiction = 3, .viscous = 4, .offset = 0.5};
  arm.joints[1].friction = AsymmetricFriction{1, 3, 5, 7, 0};
  arm.joints[2].friction = LuGre{.sigma0 = 1e5, .sigma1 = 300, .sigma2 = 6, .coulomb = 1, .stiction = 2};
  const std::string text = write_urdf(Arm(arm));
  const ArmDescription again = parse_urdf(text, "t").description;
  CHECK(again.joints[0].friction == Friction{CoulombViscous{2, 4}});
  CHECK(again.joints[1].friction == Friction{CoulombViscous{2, 6}});
  CHECK(again.joints[2].friction == Friction{CoulombViscous{1, 6}});
  CHECK(text.find("Stribeck effect and constant torque of joint") != std::string::npos);
  CHECK(text.find("difference between the directions of friction of joint") != std::string::npos);
}

TEST_CASE("numbers that look like other units are refused, and read where the file is taken at its word") {
  const auto arm = [](const std::string& origin, const std::string& limit) {
    return robot(a_link("base") + a_link("l") + a_joint("j", "revolute", "base", "l", origin + limit));
  };
  const std::string near = "<origin xyz='0 0 1'/>", wide = "<limit lower='-1' upper='1' effort='5' velocity='2'/>";
  const std::string far = "<origin xyz='0 0 30'/>", turned = "<origin rpy='0 0 90'/>",
                    hundred = "<limit lower='-100' upper='100' effort='5' velocity='2'/>";
  for (const std::string& text : {arm(far, wide), arm(turned, wide), arm(near, hundred)}) {
    CHECK_THROWS_WITH_AS((void)parse_urdf(text, "a.urdf"), doctest::Contains("--as-given"), FormatError);
    CHECK(!parse_urdf(text, "a.urdf", {.as_given = true}).warnings.empty());
  }
  CHECK(Arm(parse_urdf(arm(far, wide), "a.urdf", {.as_given = true}).description).body(0).X_PB0.p[2] == 30);
  const std::string comau = "<limit lower='-47.12389' upper='47.12389' effort='5' velocity='2'/>";  // 2700 deg
  CHECK(parse_urdf(arm("<origin rpy='0 0 -7.853982'/>", comau), "a.urdf").warnings.empty());
}

TEST_CASE("limits that cross and friction that pushes are refused, and left out where the file is taken at its word") {
  const auto arm = [](const std::string& inside) {
    return robot(a_link("base") + a_link("l") + a_joint("j", "revolute", "base", "l", inside));
  };
  const std::string crossed = arm("<limit lower='1' upper='-1' effort='5' velocity='2'/>"),
                    pushing = arm("<dynamics damping='-0.5' friction='0.2'/>");
  for (const std::string& text : {crossed, pushing}) {
    CHECK_THROWS_WITH_AS((void)parse_urdf(text, "a.urdf"), doctest::Contains("--as-given"), FormatError);
    CHECK(parse_urdf(text, "a.urdf", {.as_given = true}).warnings.size() == 1);
  }
  const auto joint = [](const std::string& text) {
    return Arm(parse_urdf(text, "a.urdf", {.as_given = true}).description).joint(0);
  };
  CHECK(!joint(crossed).limits.lower);
  CHECK(!joint(crossed).limits.upper);
  CHECK(joint(crossed).limits.torque == 5);
  CHECK(std::get<CoulombViscous>(joint(pushing).friction) == CoulombViscous{0.2, 0});
}

TEST_CASE("moments of inertia in other units are read with a warning") {
  const auto with_moments = [](const std::string& number) {
    const std::string inertia = "<inertial><mass value='1'/><inertia ixx='" + number + "' ixy='0' ixz='0' iyy='" +
                                number + "' iyz='0' izz='" + number + "'/></inertial>";
    return parse_urdf(robot(a_link("base") + a_link("l", inertia) + a_joint("j", "revolute", "base", "l")), "a.urdf");
  };
  for (const char* number : {"900", "1e-9"}) {
    const ParsedArm parsed = with_moments(number);
    REQUIRE(parsed.warnings.size() == 1);
    CHECK(parsed.warnings[0].find("kg m^2") != std::string::npos);
  }
  for (const char* number : {"20", "1e-6", "1e-3"}) CHECK(with_moments(number).warnings.empty());
}

TEST_CASE("a range of more than 10 m is read with a warning") {
  const auto range = [](const std::string& upper) {
    return parse_urdf(robot(a_link("base") + a_link("l") +
                            a_joint("j", "prismatic", "base", "l",
                                    "<limit lower='0' upper='" + upper + "' effort='5' velocity='2'/>")),
                      "a.urdf");
  };
  CHECK(range("8").warnings.empty());
  REQUIRE(range("80").warnings.size() == 1);
  CHECK(range("80").warnings[0].find("j: a position limit beyond 10 m") != std::string::npos);
  CHECK(range("80").description.joints[0].limits.upper == 80);
}

TEST_CASE("macros that xacro has left are refused, and left out where the file is taken at its word") {
  const std::string text =
      robot("<xacro:head_gazebo name='head'/>" + a_link("base") + a_link("l") + a_joint("j", "revolute", "base", "l"));
  CHECK_THROWS_WITH_AS((void)parse_urdf(text, "a.urdf"), doctest::Contains("expand it first"), FormatError);
  const ParsedArm parsed = parse_urdf(text, "a.urdf", {.as_given = true});
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].find("<xacro:head_gazebo>") != std::string::npos);
}

TEST_CASE("a capsule is a cylinder with two balls, where its origin puts them") {
  const std::string capsule =
      "<collision><origin xyz='1 0 0' rpy='0 1.5707963267948966 0'/><geometry><capsule radius='0.1' "
      "length='0.4'/></geometry></collision>";
  const ParsedArm parsed =
      parse_urdf(robot(a_link("base") + a_link("l", mass + capsule) + a_joint("j", "revolute", "base", "l")), "a.urdf");
  CHECK(parsed.warnings.empty());
  const std::vector<Shape>& shapes = parsed.description.joints[0].link.shapes.collision;
  REQUIRE(shapes.size() == 3);
  CHECK(shapes[0].kind == Shape::Kind::cylinder);
  CHECK(shapes[0].size == Vec3<double>(0.1, 0.4, 0));
  for (std::size_t k : {1, 2}) {
    CHECK(shapes[k].kind == Shape::Kind::sphere);
    CHECK(shapes[k].size[0] == 0.1);
    CHECK((shapes[k].place.xyz - Vec3<double>(k == 1 ? 0.8 : 1.2, 0, 0)).norm() < 1e-15);
  }
}

TEST_CASE("what exporters leave behind changes no number, and is one warning for all joints") {
  const auto with = [](const std::string& one, const std::string& two) {
    return robot(a_link("base") + a_link("l") + a_link("m") + a_joint("j", "revolute", "base", "l", one) +
                 a_joint("k", "revolute", "l", "m", two));
  };
  const auto both = [&](const std::string& inside) { return with(inside, inside); };
  const std::string plain = both("");
  struct Leftover {
    const char* what;
    std::string text, warning;  // empty: there is nothing to say
  };
  const std::string wide = "effort='5' velocity='2'";
  const std::vector<Leftover> unlimited{
      {"limits that stand for none", both("<limit lower='-1e308' upper='1.7e308' " + wide + "/>"),
       "t:6:84: j, k: a position limit beyond 1000 rad"},
      {"empty attributes", both("<limit lower='' upper=' ' " + wide + "/><dynamics damping='' friction=''/>"),
       "t:5:167: empty attribute damping in <dynamics>"},
  };
  for (const Leftover& leftover : unlimited) {
    CAPTURE(leftover.what);
    const ParsedArm parsed = parse_urdf(leftover.text, "t");
    CHECK(std::count(parsed.warnings.begin(), parsed.warnings.end(), parsed.warnings[0]) == 1);
    for (const JointDescription& joint : parsed.description.joints) {
      CHECK(joint.limits == Limits{{}, {}, 2, {}, 5, ""});
      CHECK(joint.friction == Friction(NoFriction{}));
    }
  }
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = plain;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const ArmDescription expected = parse_urdf(plain, "t").description;
  CHECK(parse_urdf("<!DOCTYPE robot>\n" + plain, "t").description == expected);
  CHECK(parse_urdf("<!DOCTYPE robot>\n" + plain, "t").warnings.empty());
  for (const std::string& text :
       {replaced("link name='l'", "link name='l '"), replaced("child link='l'", "child link=' l'")}) {
    const ParsedArm parsed = parse_urdf(text, "t");
    CHECK(parsed.description == expected);
    REQUIRE(parsed.warnings.size() == 1);
    CHECK(parsed.warnings[0].find("a blank at the end of a name") != std::string::npos);
  }
  CHECK(parse_urdf(replaced("<robot name='r'>", "<robot name=''>"), "r.urdf").description.joints == expected.joints);
}

TEST_CASE("numbers in doubt of several joints are one warning where the file is taken at its word") {
  for (const std::string inside :
       {"<limit lower='-170' upper='170' effort='5' velocity='2'/>", "<dynamics damping='-1'/>",
        "<limit lower='1' upper='-1' effort='5' velocity='2'/>"}) {
    CAPTURE(inside);
    const std::string text =
        robot(a_link("base") + a_link("l") + a_link("m") + a_joint("j", "revolute", "base", "l", inside) +
              a_joint("k", "revolute", "l", "m", inside));
    CHECK_THROWS_WITH_AS((void)parse_urdf(text, "t"), doctest::Contains("joint 'j': "), FormatError);
    const ParsedArm parsed = parse_urdf(text, "t", {.as_given = true});
    REQUIRE(parsed.warnings.size() == 1);
    CHECK(parsed.warnings[0].find(": j, k: ") != std::string::npos);
  }
}

TEST_CASE("a continuous joint has no position limits, and limits that say otherwise are told") {
  const auto parsed = [](const std::string& limit) {
    return parse_urdf(
        robot(a_link("b", "") + a_link("l") + a_joint("j", "continuous", "b", "l", "<limit " + limit + "/>")), "t");
  };
  for (const char* none : {"effort='5' velocity='2'", "lower='0' upper='0' effort='5' velocity='2'",
                           "lower='-3.14159' upper='3.14159' effort='5' velocity='2'",
                           "lower='-inf' upper='1e16' effort='5' velocity='2'"}) {
    CAPTURE(none);
    CHECK(parsed(none).warnings.empty());
  }
  const ParsedArm told = parsed("lower='-1' upper='1' effort='5' velocity='2'");
  REQUIRE(told.warnings.size() == 1);
  CHECK(told.warnings[0].find("position limits of a continuous joint") != std::string::npos);
  CHECK(told.description.joints[0].limits == Limits{{}, {}, 2, {}, 5, ""});
}

TEST_CASE("joints that mimic follow their leaders in any order of the file, and one that has none is told") {
  const auto hand = [](const std::string& one, const std::string& two) {
    return robot(a_link("b", "") + a_link("l") + a_link("f") + a_link("g") + a_link("k") +
                 a_joint("j", "revolute", "b", "l") +
                 a_joint("first", "revolute", "l", "f", "<mimic joint='" + one + "' multiplier='2'/>") +
                 a_joint("second", "revolute", "l", "g", "<mimic joint='" + two + "' multiplier='-1' offset='0.1'/>") +
                 a_joint("lead", "revolute", "l", "k"));
  };
  const ArmChoice choice{.tip = "l", .lock = {{"lead", "0.3"}}};
  const ParsedArm parsed = parse_urdf(hand("second", "lead"), "t", choice);
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].find("first=-0.4, second=-0.2, lead=0.3") != std::string::npos);
  const std::vector<std::pair<std::string, std::string>> lost{
      {"frist", "lead"}, {"first", "lead"}, {"second", "first"}};  // nobody, itself, each other
  for (const auto& [one, two] : lost) {
    CAPTURE(one);
    const ParsedArm told = parse_urdf(hand(one, two), "t", choice);
    CHECK(told.warnings.size() == 2);
    CHECK(told.warnings[0].find("a joint is to follow one that is not there, or itself: ") != std::string::npos);
  }
}

TEST_CASE("the hint of a number that is none, and of a file that holds a robot elsewhere, leads on") {
  const auto hint = [](const std::string& text) {
    try {
      (void)parse_urdf(text, "t.urdf");
    } catch (const FormatError& error) {
      return error.hint();
    }
    return std::string("accepted");
  };
  const auto turned = [](const std::string& rpy) {
    return robot(a_link("b", "") + a_link("l") + a_joint("j", "revolute", "b", "l", "<origin rpy='" + rpy + "'/>"));
  };
  for (const auto& [rpy, says] : std::vector<std::pair<std::string, std::string>>{{"0 0 pi/2", "write the value"},
                                                                                  {"0 0 (1+2)", "write the value"},
                                                                                  {"0 0 \xE2\x88\x92"
                                                                                   "1",
                                                                                   "as on a keyboard"},
                                                                                  {"0\xC2\xA0"
                                                                                   "0\xC2\xA0"
                                                                                   "1",
                                                                                   "as on a keyboard"},
                                                                                  {"0 0 1,5", "write 0.5, not 0,5"},
                                                                                  {"0 0", "roll pitch yaw"},
                                                                                  {"0 0 1rad", "without a unit"}}) {
    CAPTURE(rpy);
    CHECK(hint(turned(rpy)).find(says) != std::string::npos);
  }
  const std::string inner = turned("0 0 0");
  for (const std::string& text :
       {"<launch><param>" + inner + "</param></launch>", "<robot name='o'>" + inner + "</robot>"})
    CHECK(hint(text).find("put it into a file of its own") != std::string::npos);
  const std::string include =
      "<xacro:include filename='x'/>";  // what --as-given leaves out is offered where the rest is whole
  const auto with_include = [&](std::string text) { return text.replace(text.find('\n'), 1, include); };
  CHECK(hint(with_include(turned("0 0 0"))).find("--as-given") != std::string::npos);
  CHECK(hint(with_include(turned("0 0 ${yaw}"))).find("--as-given") == std::string::npos);
  CHECK(hint(robot(include)).find("--as-given") == std::string::npos);
  const std::string far = "<origin xyz='0 0 300'/>";  // beyond what any arm may have, which --tree need not mind
  const std::string giant = robot(a_link("b") + a_link("l") + a_joint("j", "revolute", "b", "l", far));
  CHECK(hint(giant).find("--as-given") == std::string::npos);
  CHECK(urdf_tree_text(giant, "t").find("j (revolute): l") != std::string::npos);
}
