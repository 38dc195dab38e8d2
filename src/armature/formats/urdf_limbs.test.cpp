// Which arm a URDF has, and what is said where it has several.
#include "armature/formats/urdf_limbs.hpp"

#include <chrono>

#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/urdf_text.hpp"

using namespace armature::formats;
using namespace armature::testing;

namespace {

std::string moved(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  double x = 0.3, const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
         "'/><origin xyz='" + std::to_string(x) + " 0 0'/><axis xyz='0 0 1'/>" +
         "<limit lower='-1' upper='1' effort='5' velocity='2'/>" + inside + "</joint>\n";
}
std::string machine(const std::string& inside) { return "<robot name='m'>\n" + inside + "</robot>\n"; }

/// Three joints: base, a1, a2, a3.
std::string three(const std::string& p = "a", const std::string& base = "base") {
  return urdf_link(p + "1") + urdf_link(p + "2") + urdf_link(p + "3") + moved(p + "_j1", "revolute", base, p + "1") +
         moved(p + "_j2", "revolute", p + "1", p + "2") + moved(p + "_j3", "revolute", p + "2", p + "3");
}

std::string tip_of(const ParsedArm& parsed) { return parsed.description.joints.back().link.name; }
int dof_of(const ParsedArm& parsed) { return checked_arm(parsed).dof(); }
bool says(const ParsedArm& parsed, const std::string& words) {
  for (const std::string& warning : all_warnings(parsed))
    if (warning.find(words) != std::string::npos) return true;
  return false;
}
std::string hint_of(const std::string& text, const ArmChoice& choice = {}) {
  try {
    checked_arm(parse_urdf(text, "m.urdf", choice));
  } catch (const Error& error) {
    return std::string(error.finding()) + "\n" + error.hint();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("of several frames on the last link the one named like a tool is the tip, else the farthest") {
  const std::string arm = urdf_link("base", "") + three();
  const auto with = [&](const std::string& one, double x, const std::string& other, double y) {
    return parse_urdf(machine(arm + urdf_link(one, "") + urdf_link(other, "") + moved("f1", "fixed", "a3", one, x) +
                              moved("f2", "fixed", "a3", other, y)),
                      "m.urdf");
  };
  const ParsedArm named = with("ee_link", 0.1, "tool0", 0.1);
  CHECK(tip_of(named) == "tool0");
  CHECK(named.warnings.size() == 1);
  CHECK(says(named, "the arm ends at link 'tool0': a tool frame by its name; others there: ee_link"));
  CHECK(named.description.source == "URDF m.urdf, from base to tool0");
  CHECK(tip_of(with("camera_link", 0.5, "Hand", 0.1)) == "Hand");
  CHECK(tip_of(with("hand_camera", 0.5, "left_flange", 0.1)) == "left_flange");
  CHECK(says(with("p", 0.1, "r", 0.2), "the arm ends at link 'r': the farthest from the last joint; others there: p"));
  CHECK(tip_of(with("handle", 0.1, "r", 0.2)) == "r");  // "hand" is a word of its own
}

TEST_CASE("fingers beyond an arm are held, whatever tells them") {
  const std::string arm =
      urdf_link("base", "") + three() + urdf_link("palm") + moved("wrist", "fixed", "a3", "palm", 0.05);
  const std::string two = urdf_link("f1") + urdf_link("f2");
  const std::vector<std::pair<std::string, std::string>> hands{
      {"by name", moved("left_finger", "prismatic", "palm", "f1", 0.4) + moved("x", "fixed", "a1", "f2", 0.4)},
      {"by the name of one",
       moved("gripper_joint", "revolute", "palm", "f1", 0.4) + moved("x", "fixed", "a2", "f2", 0.4)},
      {"by mimicking", moved("p", "prismatic", "palm", "f1", 0.4) +
                           moved("q", "prismatic", "palm", "f2", 0.4, "<mimic joint='p' multiplier='-1'/>")},
      {"by reach", moved("p", "revolute", "palm", "f1", 0.05) + moved("q", "revolute", "palm", "f2", 0.05)},
  };
  for (const auto& entry : hands) {
    const std::string &how = entry.first, &hand = entry.second;
    CAPTURE(how);
    const ParsedArm parsed = parse_urdf(machine(arm + two + hand), "m.urdf");
    CHECK(dof_of(parsed) == 3);
    CHECK(tip_of(parsed) == "palm");
    const auto held = [](const std::string& w) { return w.find("beside the chain") != std::string::npos; };
    CHECK(std::count_if(parsed.warnings.begin(), parsed.warnings.end(), held) == 1);
    ArmChoice with_finger{.tip = "f1"};
    if (how == "by mimicking") {  // the other finger would move with this one
      CHECK(hint_of(machine(arm + two + hand), with_finger)
                .starts_with("joint 'q': has no motor: it mimics joint 'p' of the arm and carries 1 kg"));
      with_finger.lock = {{"q", "0"}};
    }
    CHECK(dof_of(parse_urdf(machine(arm + two + hand), "m.urdf", with_finger)) == 4);  // who wants it has it
  }
  const ParsedArm jaw =
      parse_urdf(machine(arm + urdf_link("f1") + moved("jointGripper", "revolute", "palm", "f1")), "m.urdf");
  CHECK(dof_of(jaw) == 4);  // all tips share the same joints: there is nothing to choose
  CHECK(says(jaw, "joint 'jointGripper' counts as a joint of the arm\n  hint: `--tip palm` leaves it out"));
}

TEST_CASE("held joints are where they are said to be, and what mimics them follows") {
  const std::string sound = machine(
      urdf_link("base", "") + three() + urdf_link("f1") + urdf_link("f2") + moved("p", "prismatic", "a3", "f1", 0) +
      moved("q", "prismatic", "a3", "f2", 0, "<mimic joint='p' multiplier='-2' offset='0.1'/>"));
  const ParsedArm parsed = parse_urdf(sound, "m.urdf", {.lock = {{"p", "30 mm"}}});
  const Inertia<double> last = inertia_of(*parsed.description.joints.back().link.mass);
  CHECK(last.m == doctest::Approx(3));
  CHECK(last.h[2] == doctest::Approx(0.03 + (0.1 - 2 * 0.03)));
  CHECK(says(parsed, "2 joints beside the chain are held and rigid with it, 2 kg: p=0.03, q=0.04"));
  CHECK(hint_of(sound, {.lock = {{"pp", "0"}}}).find("did you mean 'p'?") != std::string::npos);
  CHECK(hint_of(sound, {.lock = {{"p", "30 kg"}}}).starts_with("lock of joint 'p'"));
}

TEST_CASE("what follows a joint of the arm is missed by its dynamics, wherever it hangs") {
  for (const char* from : {"base", "a1"}) {
    const std::string rod = urdf_link("rod") + moved("r", "revolute", from, "rod", 0.2, "<mimic joint='a_j2'/>");
    const std::string text = machine(urdf_link("base", "") + three() + rod);
    CHECK(hint_of(text).starts_with("joint 'r': has no motor: it mimics joint 'a_j2' of the arm and carries 1 kg"));
    CHECK(dof_of(parse_urdf(text, "m.urdf", {.lock = {{"r", "0"}}})) == 3);
  }
}

TEST_CASE("what is lumped into an arm is written into its file and read again without a change") {
  const std::string turned =
      "<inertial><origin rpy='0.3 0.7 -1.1'/><mass value='1'/>"
      "<inertia ixx='0.11' ixy='0.013' ixz='0.007' iyy='0.13' iyz='0.003' izz='0.17'/></inertial>";
  const std::string text = machine(
      urdf_link("base", "") + three() + urdf_link("extra", turned) +
      "<joint name='e' type='fixed'><parent link='a2'/><child link='extra'/><origin rpy='1 2 3' xyz='1 2 3'/></joint>");
  const ArmDescription arm = parse_urdf(text, "m.urdf").description;
  CHECK(parse_arm_yaml(write_arm_yaml(arm), "m.yaml") == arm);
}

TEST_CASE("a mesh without a name is no reason to stop") {
  const std::string shape = "<visual><geometry><mesh filename=''/></geometry></visual>";
  CHECK(dof_of(parse_urdf(machine(urdf_link("base", shape) + three()), "m.urdf")) == 3);
}

TEST_CASE("several limbs are listed with their joints, masses and commands, and each is an arm by name") {
  const std::string text = machine(
      urdf_link("base", "") + urdf_link("torso") + moved("lift", "prismatic", "base", "torso") + urdf_link("head") +
      moved("pan", "revolute", "torso", "head") + three("left", "torso") + three("right", "torso"));
  CHECK(hint_of(text) ==
        "the robot has 3 limbs\n"
        "pick one by its tip (in a scenario: `robot: {file: m.urdf, tip: left3}`)\n"
        "    lift: 1 joint, 1 kg\n"
        "      pan: 1 joint, 1 kg\n"
        "        armature show m.urdf --tip head\n"
        "      left_j1 to left_j3: 3 joints, 3 kg\n"
        "        armature show m.urdf --tip left3\n"
        "      right_j1 to right_j3: 3 joints, 3 kg\n"
        "        armature show m.urdf --tip right3");
  for (const char* tip : {"left3", "right3"}) {
    const ParsedArm parsed = parse_urdf(text, "m.urdf", {.tip = tip});
    CHECK(dof_of(parsed) == 4);
    CHECK(inertia_of(*parsed.description.joints[0].link.mass).m ==
          doctest::Approx(5));  // torso, head and the other arm
    CHECK(dof_of(parse_urdf(text, "m.urdf", {.base = "torso", .tip = tip})) == 3);
    CHECK(dof_of(parse_urdf(text, "m.urdf", {.tip = tip, .lock = {{"lift", "0.5"}}})) == 3);
  }
  const std::string tree = urdf_tree_text(text, "m.urdf").text;
  for (const char* line : {"  base\n", "    lift (prismatic): torso, 1 kg\n", "armature show m.urdf --tip right3"})
    CHECK(tree.find(line) != std::string::npos);
}

TEST_CASE("a tree is shown whatever of it cannot be read") {
  const auto tree = [](const std::string& inside) {
    return urdf_tree_text(machine(urdf_link("base", "") + inside), "m.urdf");
  };
  const std::string sound = tree(three()).text;
  CHECK(tree(three()).faults.empty());
  const std::string strut = moved("strut", "fixed", "base", "a3"), nowhere = moved("j9", "fixed", "a3", "a9");
  for (const auto& [more, told] : std::vector<std::pair<std::string, std::string>>{
           {strut, "not in the tree  <- line 9: link 'a3' hangs from joint 'a_j3' and from joint 'strut'"},
           {nowhere, "not in the tree  <- line 9: there is no link 'a9'"},
           {urdf_link("a1"), "  a1, 1 kg  <- line 9: two links are called 'a1'"},
           {"<link/>\n", "  (no name)  <- line 9: <link> has no attribute name"},
           {"<lnik name='x'/>\n", "not in the tree  <- line 9: unknown <lnik> in <robot>"},
           {urdf_link("x") + urdf_link("y") + moved("f", "fixed", "x", "y") + moved("b", "fixed", "y", "x"),
            "not in the tree  <- line 9: the joints close a loop through x, y"},
           {urdf_link("x") + moved("ball", "ball", "a3", "x"),
            "ball (of no known type): x, 1 kg  <- line 10: unknown joint type 'ball'"}}) {
    CAPTURE(more);
    const ArmTree shown = tree(three() + more);
    REQUIRE(shown.faults.size() == 1);
    CHECK(shown.faults[0].find("\n  hint: ") != std::string::npos);
    CHECK(shown.text.find(told) != std::string::npos);
    for (const char* line : {"  base\n", "    a_j1 (revolute): a1, 1 kg\n", "      a_j2 (revolute): a2, 1 kg\n"}) {
      CHECK(sound.find(line) != std::string::npos);
      CHECK(shown.text.find(line) != std::string::npos);
    }
  }
}

TEST_CASE("a base that does not stand level sees gravity as the root does") {
  const std::string text = machine(urdf_link("base", "") + urdf_link("mount", "") +
                                   "<joint name='tilt' type='fixed'><parent link='base'/><child link='mount'/>"
                                   "<origin rpy='1.5707963267948966 0 0'/></joint>" +
                                   three("a", "mount"));
  const Vec3<double> from_root = parse_urdf(text, "m.urdf").description.gravity;
  CHECK((from_root - Vec3<double>(0, 0, -9.80665)).norm() == 0);
  const ParsedArm parsed = parse_urdf(text, "m.urdf", {.base = "mount"});
  CHECK((parsed.description.gravity - Vec3<double>(0, -9.80665, 0)).norm() < 1e-12);
  CHECK(says(parsed, "the base 'mount' is not level"));
}

TEST_CASE("an arm on something that floats stands still; parts that are not connected are left out") {
  const std::string floats =
      machine(urdf_link("sea", "") + urdf_link("base") + moved("f", "floating", "sea", "base") + three());
  CHECK(dof_of(parse_urdf(floats, "m.urdf")) == 3);
  CHECK(says(parse_urdf(floats, "m.urdf"), "joint 'f' is floating"));
  const std::string orphan = machine(urdf_link("base", "") + urdf_link("orphan") + three());
  CHECK(dof_of(parse_urdf(orphan, "m.urdf")) == 3);
  CHECK(says(parse_urdf(orphan, "m.urdf"), "several links have no parent: base, orphan"));
  const std::string pair = machine(urdf_link("base", "") + urdf_link("other") + three() + three("b", "other"));
  CHECK(hint_of(pair).find("`armature show m.urdf --base other`") != std::string::npos);
  CHECK(dof_of(parse_urdf(pair, "m.urdf", {.base = "other"})) == 3);
  CHECK(dof_of(parse_urdf(pair, "m.urdf", {.tip = "b3"})) == 3);
}

TEST_CASE("links that nobody weighed: kinematics works, dynamics says which lack what") {
  const std::string shape = "<visual><geometry><sphere radius='0.1'/></geometry></visual>";
  const auto with_last = [&](const std::string& inside) {
    return machine(urdf_link("base", "") + urdf_link("a1") + urdf_link("a2", inside) +
                   moved("j1", "revolute", "base", "a1") + moved("j2", "revolute", "a1", "a2"));
  };
  const std::string looks = with_last(shape);
  CHECK(hint_of(looks).starts_with("link 'a2': has no <inertial>"));
  CHECK(hint_of(looks).find("--as-given") != std::string::npos);
  CHECK(dof_of(parse_urdf(looks, "m.urdf", {.as_given = true})) == 2);
  CHECK(hint_of(with_last("<inertial><mass value='1'/></inertial>")).starts_with("link 'a2': has no <inertia>"));
  const std::string half = "<inertial><mass value='1'/><inertia ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  CHECK(hint_of(with_last(half)).starts_with("link 'a2': has no ixx in its <inertia>"));
  const ParsedArm frame = parse_urdf(with_last(""), "m.urdf");  // neither weighed nor seen: a frame that turns
  CHECK(checked_arm(frame).unphysical() == "link 'a2' moves with a joint of its own and has no mass");
  const std::string nothing = machine(urdf_link("base", "") + urdf_link("a1", shape) + urdf_link("a2", shape) +
                                      moved("j1", "revolute", "base", "a1") + moved("j2", "revolute", "a1", "a2"));
  CHECK(hint_of(nothing).starts_with("link 'a1': has no <inertial>, link 'a2' has no <inertial>"));
  // a cover without mass on a link that has some is harmless
  const std::string cover =
      machine(urdf_link("base", "") + three() + urdf_link("cover", shape) + moved("c", "fixed", "a2", "cover"));
  CHECK(dof_of(parse_urdf(cover, "m.urdf", {.tip = "a3"})) == 3);
  CHECK(says(parse_urdf(cover, "m.urdf", {.tip = "a3"}), "a link without a complete <inertial>: cover"));
}

TEST_CASE("inertia off by rounding is taken, off by more is refused unless it is to be taken as given") {
  const auto with_moments = [](const std::string& a, const std::string& b, const std::string& c) {
    return machine(urdf_link("base", "") +
                   urdf_link("a", "<inertial><mass value='1'/><inertia ixx='" + a + "' ixy='0' ixz='0' iyy='" + b +
                                      "' iyz='0' izz='" + c + "'/></inertial>") +
                   moved("j", "revolute", "base", "a"));
  };
  const ParsedArm rounded = parse_urdf(with_moments("0.33", "0.67", "1.005"), "m.urdf");
  CHECK(checked_arm(rounded).unphysical().empty());
  CHECK(says(rounded, "break the triangle inequality by 0.5 %"));
  CHECK(hint_of(with_moments("0.33", "0.67", "1.1")).find("break the triangle inequality") != std::string::npos);
  CHECK(hint_of(with_moments("0.33", "0.67", "1.1"), {.as_given = true}) == "accepted");
  CHECK(hint_of(with_moments("-0.1", "0.67", "0.67")).find("are not all positive") != std::string::npos);
}

TEST_CASE("large files are read in time or refused by a stated bound") {
  const auto seconds = [](const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    hint_of(text);
    urdf_tree_text(text, "m.urdf");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto joint = [](int i, int parent, const char* type) {
    return "<joint name='j" + std::to_string(i) + "' type='" + type + "'><parent link='" + std::to_string(parent) +
           "'/><child link='" + std::to_string(i) + "'/></joint>";
  };
  for (const char* type : {"fixed", "revolute"}) {
    std::string deep, wide, comb;
    constexpr int count = 12000;
    for (int i = 0; i < count; ++i) {
      const std::string link = "<link name='" + std::to_string(i) + "'/>";
      deep += link;
      wide += link;
      comb += link;
      if (i == 0) continue;
      deep += joint(i, i - 1, type);
      wide += joint(i, 0, type);
      comb += joint(i, i % 2 ? std::max(0, i - 1) : std::max(0, i - 2), type);
    }
    for (const std::string* inside : {&deep, &wide, &comb}) CHECK(seconds(machine(*inside)) < 20);
  }
}

TEST_CASE("the fingers of a hand without an arm are limbs of all their joints, those of an arm's hand are held") {
  const std::string hand = urdf_link("palm", "") + three("thumb", "palm") + three("finger", "palm");
  const std::string hint = hint_of(machine(hand));
  CHECK(hint.find("the robot has 2 limbs") == 0);
  CHECK(hint.find("thumb_j1 to thumb_j3: 3 joints, 3 kg") != std::string::npos);
  CHECK(dof_of(parse_urdf(machine(hand), "m.urdf", {.tip = "finger3"})) == 3);
  const std::string held = urdf_link("base", "") + three() + moved("wrist", "fixed", "a3", "palm") + hand;
  CHECK(dof_of(parse_urdf(machine(held), "m.urdf")) == 3);
}
