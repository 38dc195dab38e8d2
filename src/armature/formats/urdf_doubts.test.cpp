// URDF files as they are found: what is passed over, what is told, and what is refused unless the file is taken at its word.
#include <algorithm>

#include "armature/formats/urdf.hpp"
#include "armature/formats/urdf_limbs.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/urdf_text.hpp"

using namespace armature;
using namespace armature::formats;
using namespace armature::testing;

TEST_CASE("an infinite limit is none") {
  const auto limits = [](const std::string& type, const std::string& limit) {
    return parse_urdf(urdf_robot(urdf_link("b", "") + urdf_link("l") +
                                 urdf_joint("j", type, "b", "l", "<limit " + limit + "/>")),
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

TEST_CASE("extensions of URDF are passed over, those unknown with one warning each") {
  const std::string text =
      urdf_robot(urdf_link("a", "") + urdf_link("b", urdf_mass + "<drake:x/><self_collide>1</self_collide>") +
                 urdf_link("c", urdf_mass + "<self_collide>0</self_collide>") + urdf_joint("j1", "revolute", "a", "b") +
                 urdf_joint("j2", "revolute", "b", "c") + "<gazebo reference='b'/><transmission name='t'/>");
  std::string spaced = text;
  spaced.insert(spaced.find("<robot ") + 7, "xmlns='http://a' xmlns:drake='http://b' ");
  CHECK(parse_urdf(spaced, "t").warnings.size() == 1);
  const ParsedArm parsed = parse_urdf(text, "t");
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].find("unknown <self_collide> in <link>") != std::string::npos);
}

TEST_CASE("a shape of more than 10 m is left out, and kept where the file is taken at its word") {
  const std::string text = urdf_robot(
      urdf_link("a") +
      urdf_link("b", urdf_mass + "<collision><geometry><cylinder radius='50' length='300'/></geometry></collision>"
                                 "<collision><geometry><sphere radius='0.1'/></geometry></collision>") +
      urdf_joint("j", "revolute", "a", "b"));
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
    const ParsedArm parsed =
        parse_urdf(urdf_robot(urdf_link("a") +
                              urdf_link("b", urdf_mass + shape +
                                                 "<visual><geometry><sphere radius='1'/></geometry>"
                                                 "</visual>") +
                              urdf_joint("j", "revolute", "a", "b")),
                   "t");
    CHECK(parsed.warnings.size() == 1);
    CHECK(parsed.description.joints[0].link.shapes.visual.size() == 1);
  }
}

TEST_CASE("numbers that look like other units are refused, and read where the file is taken at its word") {
  const auto arm = [](const std::string& origin, const std::string& limit) {
    return urdf_robot(urdf_link("base") + urdf_link("l") + urdf_joint("j", "revolute", "base", "l", origin + limit));
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
    return urdf_robot(urdf_link("base") + urdf_link("l") + urdf_joint("j", "revolute", "base", "l", inside));
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
    return parse_urdf(
        urdf_robot(urdf_link("base") + urdf_link("l", inertia) + urdf_joint("j", "revolute", "base", "l")), "a.urdf");
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
    return parse_urdf(urdf_robot(urdf_link("base") + urdf_link("l") +
                                 urdf_joint("j", "prismatic", "base", "l",
                                            "<limit lower='0' upper='" + upper + "' effort='5' velocity='2'/>")),
                      "a.urdf");
  };
  CHECK(range("8").warnings.empty());
  REQUIRE(range("80").warnings.size() == 1);
  CHECK(range("80").warnings[0].find("j: a position limit beyond 10 m") != std::string::npos);
  CHECK(range("80").description.joints[0].limits.upper == 80);
}

TEST_CASE("macros that xacro has left are refused, and left out where the file is taken at its word") {
  const std::string text = urdf_robot("<xacro:head_gazebo name='head'/>" + urdf_link("base") + urdf_link("l") +
                                      urdf_joint("j", "revolute", "base", "l"));
  CHECK_THROWS_WITH_AS((void)parse_urdf(text, "a.urdf"), doctest::Contains("expand it first"), FormatError);
  const ParsedArm parsed = parse_urdf(text, "a.urdf", {.as_given = true});
  REQUIRE(parsed.warnings.size() == 1);
  CHECK(parsed.warnings[0].find("<xacro:head_gazebo>") != std::string::npos);
}

TEST_CASE("what exporters leave behind changes no number, and is one warning for all joints") {
  const auto with = [](const std::string& one, const std::string& two) {
    return urdf_robot(urdf_link("base") + urdf_link("l") + urdf_link("m") +
                      urdf_joint("j", "revolute", "base", "l", one) + urdf_joint("k", "revolute", "l", "m", two));
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
        urdf_robot(urdf_link("base") + urdf_link("l") + urdf_link("m") +
                   urdf_joint("j", "revolute", "base", "l", inside) + urdf_joint("k", "revolute", "l", "m", inside));
    CHECK_THROWS_WITH_AS((void)parse_urdf(text, "t"), doctest::Contains("joint 'j': "), FormatError);
    const ParsedArm parsed = parse_urdf(text, "t", {.as_given = true});
    REQUIRE(parsed.warnings.size() == 1);
    CHECK(parsed.warnings[0].find(": j, k: ") != std::string::npos);
  }
  const std::string heavy =
      "<inertial><mass value='2000'/><inertia ixx='90' ixy='0' ixz='0' iyy='90' iyz='0' izz='90'/></inertial>";
  const std::string axis = "<axis xyz='0 2 0'/><limit lower='-1' upper='1' effort='5' velocity='2'/>";
  const ParsedArm parsed = parse_urdf(
      urdf_robot(urdf_link("base") + urdf_link("l", heavy) + urdf_link("m", heavy) +
                 urdf_joint("j", "revolute", "base", "l", axis) + urdf_joint("k", "revolute", "l", "m", axis)),
      "t");
  REQUIRE(parsed.warnings.size() == 2);
  CHECK(parsed.warnings[1].find(": j, k: its axis has length 2\n") != std::string::npos);
  CHECK(parsed.warnings[0].find(": l, m: a mass beyond 1000 kg\n") != std::string::npos);
}

TEST_CASE("a continuous joint has no position limits, and limits that say otherwise are told") {
  const auto parsed = [](const std::string& limit) {
    return parse_urdf(urdf_robot(urdf_link("b", "") + urdf_link("l") +
                                 urdf_joint("j", "continuous", "b", "l", "<limit " + limit + "/>")),
                      "t");
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
    return urdf_robot(urdf_link("b", "") + urdf_link("l") +
                      urdf_joint("j", "revolute", "b", "l", "<origin rpy='" + rpy + "'/>"));
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
  CHECK(hint(urdf_robot(include)).find("--as-given") == std::string::npos);
  const std::string far = "<origin xyz='0 0 300'/>";  // beyond what any arm may have, which --tree need not mind
  const std::string giant = urdf_robot(urdf_link("b") + urdf_link("l") + urdf_joint("j", "revolute", "b", "l", far));
  CHECK(hint(giant).find("--as-given") == std::string::npos);
  CHECK(urdf_tree_text(giant, "t").text.find("j (revolute): l") != std::string::npos);
}
