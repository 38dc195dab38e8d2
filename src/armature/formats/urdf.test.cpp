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
#include "armature/testing/urdf_text.hpp"

using namespace armature;
using namespace armature::formats;
using namespace armature::testing;

namespace {

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
  const std::string text = urdf_robot(
      urdf_link("b", "") + urdf_link("l1") + urdf_link("l2") +
      urdf_joint("j1", "revolute", "b", "l1", "<origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/><axis xyz='0 0.6 0.8'/>") +
      urdf_joint("j2", "prismatic", "l1", "l2", "<axis xyz='0 1 0'/><dynamics damping='0.1'/>"));
  const ArmDescription arm = parse_urdf(text, "a.urdf").description;
  const ArmDescription again = parse_urdf(write_urdf(Arm(arm)), "a.urdf").description;
  CHECK(again == arm);
}

TEST_CASE("a frame may be turned by a quaternion, x y z w") {
  const auto turned = [](const std::string& how) {
    return parse_urdf(urdf_robot(urdf_link("b", "") + urdf_link("l") +
                                 urdf_joint("j", "revolute", "b", "l", "<origin " + how + "/>")),
                      "a.urdf");
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

TEST_CASE("what hangs off the chain is lumped into it where it lies at zero, and said so") {
  const std::string arm = urdf_link("base") + urdf_link("l1") + urdf_link("l2") +
                          urdf_joint("j1", "revolute", "base", "l1", "<axis xyz='0 0 1'/>") +
                          urdf_joint("j2", "revolute", "l1", "l2", "<origin xyz='1 0 0'/>");
  const std::string camera = urdf_link("camera") + urdf_link("lens") +
                             urdf_joint("mount", "fixed", "l1", "camera", "<origin xyz='0 0 0.5' rpy='0 0 1'/>") +
                             urdf_joint("focus", "prismatic", "camera", "lens", "<origin xyz='0.2 0 0'/>");
  const ParsedArm parsed = parse_urdf(urdf_robot(arm + camera), "r.urdf", {.tip = "l2"});
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
  const std::string text =
      urdf_robot(urdf_link("world", "") + urdf_link("a") + urdf_link("b") + urdf_link("c") + urdf_link("d") +
                 urdf_joint("w", "fixed", "world", "a") + urdf_joint("j1", "revolute", "a", "b") +
                 urdf_joint("j2", "continuous", "b", "c") + urdf_joint("j3", "revolute", "c", "d"));
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
  const std::string text =
      urdf_robot(urdf_link("base") + urdf_link("pedestal") + urdf_link("l1") + urdf_link("tool0", "") +
                 urdf_joint("p", "fixed", "base", "pedestal") + urdf_joint("j1", "revolute", "base", "l1") +
                 urdf_joint("t", "fixed", "l1", "tool0"));
  const ParsedArm parsed = parse_urdf(text, "t");
  CHECK(parsed.description.joints.back().link.name == "tool0");
  CHECK(parsed.warnings.empty());
}

TEST_CASE("a base that says it stands still by a mass of zero may do so") {
  const std::string still =
      "<inertial><mass value='0'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  const std::string text =
      urdf_robot(urdf_link("world", still) + urdf_link("base", still) + urdf_link("l1") +
                 urdf_joint("w", "fixed", "world", "base") + urdf_joint("j1", "revolute", "base", "l1"));
  CHECK(checked_arm(parse_urdf(text, "t")).dof() == 1);
}

TEST_CASE("a joint that mimics, floats or glides may hang off the chain but not lie in it") {
  const std::string start =
      urdf_link("a", "") + urdf_link("b") + urdf_link("c") + urdf_joint("j1", "revolute", "a", "b");
  for (const std::string& last : {urdf_joint("j2", "floating", "b", "c"), urdf_joint("j2", "planar", "b", "c"),
                                  urdf_joint("j2", "revolute", "b", "c", "<mimic joint='j1'/>")}) {
    CHECK_THROWS_AS(parse_urdf(urdf_robot(start + last), "t", {.tip = "c"}), FormatError);
    CHECK(parse_urdf(urdf_robot(start + last), "t", {.tip = "b"}).description.joints.size() == 1);
  }
}

TEST_CASE("a mesh stays in its package, or below the folder above the file's") {
  const auto with_mesh = [](const std::string& path) {
    return urdf_robot(urdf_link("a", "<visual><geometry><mesh filename='" + path + "'/></geometry></visual>") +
                      urdf_link("b") + urdf_joint("j", "revolute", "a", "b"));
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
      urdf_robot(
          "<material name='red'><color rgba='1 0 0 1'/></material>" +
          urdf_link("a", "<visual><geometry><sphere radius='0.2'/></geometry></visual>") +
          urdf_link("b", urdf_mass + shapes) + urdf_joint("j", "revolute", "a", "b") +
          urdf_link("c",
                    urdf_mass + "<visual><geometry><sphere radius='0.3'/></geometry><material name='own'/></visual>") +
          urdf_joint("k", "fixed", "b", "c", "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>")),
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

TEST_CASE("a capsule is a cylinder with two balls, where its origin puts them") {
  const std::string capsule =
      "<collision><origin xyz='1 0 0' rpy='0 1.5707963267948966 0'/><geometry><capsule radius='0.1' "
      "length='0.4'/></geometry></collision>";
  const ParsedArm parsed = parse_urdf(
      urdf_robot(urdf_link("base") + urdf_link("l", urdf_mass + capsule) + urdf_joint("j", "revolute", "base", "l")),
      "a.urdf");
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

TEST_CASE("joints that mimic follow their leaders in any order of the file, and one that has none is told") {
  const auto hand = [](const std::string& one, const std::string& two) {
    return urdf_robot(
        urdf_link("b", "") + urdf_link("l") + urdf_link("f") + urdf_link("g") + urdf_link("k") +
        urdf_joint("j", "revolute", "b", "l") +
        urdf_joint("first", "revolute", "l", "f", "<mimic joint='" + one + "' multiplier='2'/>") +
        urdf_joint("second", "revolute", "l", "g", "<mimic joint='" + two + "' multiplier='-1' offset='0.1'/>") +
        urdf_joint("lead", "revolute", "l", "k"));
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
