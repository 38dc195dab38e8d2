#include "armature/formats/arm_yaml.hpp"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <locale>
#include <set>
#include <sstream>

#include "armature/core/random.hpp"
#include "armature/formats/arm_keys.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/internal/arm_fields.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::formats;

namespace {

const std::string everything = R"(
arm: everything
description: An arm that says all there is to say
source: ours
notes: "first line\nsecond line"
gravity: [0, 0.5 m/s^2, -9.8]
convention: modified
base: {xyz: [10 cm, 0, 1], rpy: [0, 0, 90 deg]}
joints:
  - name: slide
    type: prismatic
    dh: {d: 200 mm, a: 0.1, alpha: -90 deg}
    limits: {position: [-20 mm, none], velocity: 5 mm/s, acceleration: 2, torque: 1 kN, source: data sheet}
    link: {mass: 500 g, first_moment: [0, 0.1 kg*m, 0], source: weighed,
           inertia: {about: origin, xx: 0.1, yy: 0.2, zz: 0.25, xy: -0.01}}
    friction: {law: stribeck, coulomb: 1 N, static: 2 N, stribeck_velocity: 10 mm/s, viscous: 3 N*s/m, source: fitted}
    drive: {gear_ratio: 500 rad/m, rotor_inertia: 1e-5, stiffness: 1e6 N/m, backlash: 0.1 mm, efficiency: 85 %, hardening: 2 kN/m^3, gear_error: 5 um, gear_error_order: 2, hysteresis_torque: 3 N, hysteresis_stiffness: 1e5 N/m}
  - name: plate
    type: fixed
    origin: {xyz: [0, 0, 0.1]}
    link: {name: flange}
  - name: wrist
    origin: {xyz: [0, 0, 50 mm], rpy: [180 deg, 0, 0]}
    axis: [0, 0.6, 0.8]
    limits: {position: [-360 deg, 7.5], velocity: 60 rpm, torque: 100 mNm}
    link: {name: hand, mass: 1, com: [0, 0, 10 mm], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
    friction: {law: three_sigmoid, f1: 1, f2: -0.2, f3: 0.1, w1: 10 s/rad, w2: 5, w3: 1, viscous: 0.1}
    drive: {torque_constant: 50 mNm/A, resistance: 2 ohm, inductance: 3 mH, back_emf: 0.05 V*s/rad, tachometer: 0.1, current_limit: 800 mA, voltage_limit: 48 V,
            damping: 0.2 N*m*s/rad, source: catalogue}
couplings: {matrix: [[1, 0], [0.5, 1]], source: drawing}
tool: {xyz: [0, 0, 0.2], rpy: [0, 90 deg, 0]}
payload: {mass: 2 kg, com: [0, 0, 30 mm]}
)";

/// Grouping by points and decimal commas, as in German.
struct GermanNumbers : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  bool half() { return random_.uniform() < 0.5; }
  std::size_t below(std::size_t n) { return random_.bits() % n; }
  /// Of any size, often a round number of degrees, sometimes a whole number, zero or the edge of what a double holds.
  double number() {
    switch (below(8)) {
      case 0:
        return 0;
      case 1:
        return static_cast<double>(below(10));
      case 2:
        return std::floor(random_.uniform(-360, 360)) * deg;
      case 3:
        return std::numeric_limits<double>::denorm_min() * static_cast<double>(below(9));
      case 4:
        return std::numeric_limits<double>::max() * random_.uniform(-1, 1);
      default:
        return random_.normal() * std::pow(10.0, std::floor(random_.uniform(-8, 8)));
    }
  }
  Vec3<double> vector() { return {number(), number(), number()}; }
  std::string text() {
    const std::vector<std::string> texts{"",           "ours",     "Table 2, row 3: \"measured\"",
                                         "one\ntwo\n", " spaces ", "# no comment",
                                         "null",       "[a, b]",   "µ, 腕"};
    return texts[below(texts.size())];
  }
  void operator()(const char*, double& field, const FileUnit&, Presence, const char*) { field = number(); }
  void operator()(const char*, std::optional<double>& field, const FileUnit&, const char*) {
    if (half()) field = number();
  }
  void operator()(const char*, std::vector<double>& field, const FileUnit&, const char*) {
    for (std::size_t k = below(4); k > 0; --k) field.push_back(number());
  }
  void operator()(const char*, std::string& field, const char*) { field = text(); }
  void operator()(const char*, std::optional<Flexibility>& field, const char* rigidity, const JointUnits& units,
                  const char*, const char*) {
    if (half()) list_fields(field.emplace(), rigidity, units, *this);
  }
  void operator()(const char*, const Part&, const char*) {}

 private:
  Random random_;
};

MassProperties random_mass(Chance& chance) {
  MassProperties mass{chance.number(), chance.vector(), chance.half(), {}, chance.half(), chance.text()};
  Mat3<double> A;
  A << chance.vector(), chance.vector(), chance.vector();
  mass.tensor = A.selfadjointView<Eigen::Upper>();
  return mass;
}

template <std::size_t... Index>
Friction random_friction(Chance& chance, const JointUnits& units, std::index_sequence<Index...>) {
  const std::size_t number = chance.below(sizeof...(Index));
  Friction friction;
  ((number == Index ? void(friction = std::variant_alternative_t<Index, Friction>{}) : void()), ...);
  std::visit([&](auto& law) { list_fields(law, units, chance); }, friction);
  return friction;
}

ArmDescription random_description(Chance& chance) {
  ArmDescription arm;
  arm.name = "arm";
  arm.description = chance.text();
  arm.source = chance.text();
  arm.notes = chance.text();
  if (chance.half()) arm.unphysical = "numbers by chance";
  arm.gravity = chance.vector();
  arm.convention = chance.half() ? DhConvention::standard : DhConvention::modified;
  if (chance.half()) arm.base = {chance.vector(), chance.vector()};
  if (chance.half()) arm.tool = {chance.vector(), chance.vector()};
  if (chance.half()) arm.payload = random_mass(chance);
  const std::size_t n = 1 + chance.below(6);
  if (chance.half()) {
    arm.couplings = Eigen::MatrixXd(n, n);
    for (double& entry : arm.couplings->reshaped()) entry = chance.number();
    arm.couplings_source = chance.text();
  }
  for (std::size_t i = 0; i < n; ++i) {
    JointDescription joint;
    joint.name = "joint: " + std::to_string(i);
    joint.type = static_cast<JointType>(chance.below(3));
    if (chance.half())
      joint.placement = OriginAxis{{chance.vector(), chance.vector()}, chance.vector()};
    else
      joint.placement = DhRow{chance.number(), chance.number(), chance.number(), chance.number()};
    joint.link.name = "link " + std::to_string(i);
    if (chance.half()) joint.link.mass = random_mass(chance);
    if (joint.type != JointType::fixed) {
      const JointUnits& units = units_of(joint.type);
      if (chance.half()) joint.limits.lower = chance.number();
      if (chance.half()) joint.limits.upper = chance.number();
      list_fields(joint.limits, units, chance);
      joint.friction = random_friction(chance, units, std::make_index_sequence<std::variant_size_v<Friction>>{});
      joint.friction_source = chance.text();
      list_fields(joint.drive, units, chance);
      if (chance.half()) {
        list_fields(joint.spring.emplace(), units, chance);
        joint.spring->stiffness = chance.number();
      }
    }
    if (chance.half()) {
      list_fields(joint.flexible.emplace(), chance);
      joint.flexible->mass = chance.number();
    }
    arm.joints.push_back(joint);
  }
  return arm;
}

}  // namespace

TEST_CASE("an arm file says what it says, in SI") {
  const ArmDescription arm = parse_arm_yaml(everything, "everything.yaml");
  CHECK(arm.name == "everything");
  CHECK(arm.notes == "first line\nsecond line");
  CHECK(arm.gravity == Vec3<double>(0, 0.5, -9.8));
  CHECK(arm.convention == DhConvention::modified);
  CHECK(arm.base == Placement{{0.1, 0, 1}, {0, 0, 90 * deg}});
  REQUIRE(arm.joints.size() == 3);

  const JointDescription& slide = arm.joints[0];
  CHECK(slide.type == JointType::prismatic);
  CHECK(std::get<DhRow>(slide.placement) == DhRow{0, 0.2, 0.1, -90 * deg});
  CHECK(slide.limits == Limits{-0.02, std::nullopt, 0.005, 2, 1000, "data sheet"});
  CHECK(slide.friction == Friction(Stribeck{1, 2, 0.01, 3, 2}));
  CHECK(slide.friction_source == "fitted");
  CHECK(slide.drive.gear_ratio == 500);
  CHECK(slide.drive.backlash == 0.1 * 1e-3);
  CHECK(slide.drive.efficiency == 0.85);
  CHECK(slide.drive.hardening == 2000);
  CHECK(*slide.drive.gear_error == doctest::Approx(5e-6));
  CHECK(slide.drive.hysteresis_stiffness == 1e5);
  CHECK(slide.link.name == "slide_link");
  REQUIRE(slide.link.mass.has_value());
  CHECK(slide.link.mass->mass == 0.5);
  CHECK(slide.link.mass->position_is_first_moment);
  CHECK(slide.link.mass->tensor_about_origin);
  Mat3<double> tensor;
  tensor << 0.1, -0.01, 0, -0.01, 0.2, 0, 0, 0, 0.25;
  CHECK(slide.link.mass->tensor == tensor);

  CHECK(arm.joints[1].type == JointType::fixed);
  CHECK_FALSE(arm.joints[1].link.mass.has_value());

  const JointDescription& wrist = arm.joints[2];
  CHECK(wrist.type == JointType::revolute);
  CHECK(std::get<OriginAxis>(wrist.placement) == OriginAxis{{{0, 0, 0.05}, {180 * deg, 0, 0}}, {0, 0.6, 0.8}});
  CHECK(wrist.limits.lower == -360 * deg);
  CHECK(wrist.limits.upper == 7.5);
  CHECK(wrist.limits.velocity.value() == doctest::Approx(2 * pi).epsilon(1e-15));
  CHECK(wrist.friction == Friction(ThreeSigmoid{{1, -0.2, 0.1}, {10, 5, 1}, 0.1}));
  CHECK(wrist.drive.torque_constant == 0.05);
  CHECK(wrist.drive.source == "catalogue");
  CHECK_FALSE(wrist.link.mass->tensor_about_origin);

  REQUIRE(arm.couplings.has_value());
  CHECK((*arm.couplings)(1, 0) == 0.5);
  CHECK((*arm.couplings)(0, 1) == 0);
  CHECK(arm.tool.rpy == Vec3<double>(0, 90 * deg, 0));
  CHECK(arm.payload->mass == 2);
  CHECK(arm.payload->position == Vec3<double>(0, 0, 0.03));
  CHECK_NOTHROW(checked_arm(read_arm_yaml(everything, "everything.yaml")));
}

TEST_CASE("every unit of an arm file has the dimension it stands for") {
  const auto check = [](const FileUnit& unit) {
    CAPTURE(unit.text);
    if (!unit.text.empty()) CHECK(parse_quantity("1 " + std::string(unit.text), unit.dimension) == 1);
  };
  for (const JointUnits* u : {&revolute_units, &prismatic_units})
    for (const FileUnit& unit : {u->position, u->range, u->velocity, u->acceleration, u->effort, u->viscous,
                                 u->stiffness, u->inverse_velocity, u->gear_ratio})
      check(unit);
  for (const FileUnit& unit : {file_unit::rad, file_unit::m, file_unit::kg, file_unit::kg_m, file_unit::kg_m2,
                               file_unit::m_s2, file_unit::Nm_A, file_unit::Vs_rad, file_unit::ohm, file_unit::henry})
    check(unit);
}

namespace {

/// The first table below a heading, as lines of Markdown; where it lies in the page.
std::pair<std::size_t, std::size_t> table_below(const std::string& page, const std::string& title) {
  const std::size_t heading = page.find("# " + title + "\n");
  REQUIRE_MESSAGE(heading != std::string::npos, title);
  const std::size_t end_of_section = std::min(page.find("\n#", heading), page.size());
  const std::size_t begin = page.find("\n|", heading) + 1;
  REQUIRE_MESSAGE(begin < end_of_section, title);
  std::size_t end = begin;
  while (end < page.size() && page[end] == '|') end = page.find('\n', end) + 1;
  return {begin, end - begin};
}

std::string table_of(const ArmKeySection& section) {
  std::string table = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const ArmKey& key : section.keys)
    table += "| " + key.key + " | " + key.value() + " | " + (key.required ? "required" : key.fallback) + " | " +
             key.meaning + " |\n";
  return table;
}

/// Small arm files with a key that there is not, in the map of each section; it is refused with a list of those that there are.
std::string with_unknown_key(const ArmKeySection& section) {
  const std::string joint = "arm: a\njoints:\n  - name: j\n    origin: {xyz: [0, 0, 0]}\n    axis: [0, 0, 1]\n";
  const std::string body = "mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1";
  if (section.title == "The arm") return joint + "unheard_of: 1\n";
  if (section.title == "A joint") return joint + "    unheard_of: 1\n";
  if (section.title == "Looks") return joint + "    link: {visual: [{sphere: 1, unheard_of: 1}]}\n";
  if (section.title == "dh") return "arm: a\njoints:\n  - name: j\n    dh: {unheard_of: 1}\n";
  if (section.title == "link") return joint + "    link: {" + body + "}, unheard_of: 1}\n";
  if (section.title == "inertia") return joint + "    link: {" + body + ", unheard_of: 1}}\n";
  std::string numbers;
  if (!section.law.empty()) numbers = "law: " + section.law + ", ";
  for (const ArmKey& key : section.keys)
    if (key.required) numbers += key.key + ": 1, ";
  return joint + "    " + section.title.substr(0, section.title.find(':')) + ": {" + numbers + "unheard_of: 1}\n";
}

}  // namespace

TEST_CASE("the page about arm files has every key, and its example is an arm") {
  const std::string path = std::string(testing::source_folder) + "/docs/arm_files.md";
  std::string page;
  const auto read = [&] {
    std::ifstream file(path);
    page.assign(std::istreambuf_iterator<char>(file), {});
  };
  read();
  if (std::getenv("ARMATURE_RECORD") != nullptr) {
    for (const ArmKeySection& section : arm_key_sections())
      if (!section.keys.empty()) {
        const auto [begin, length] = table_below(page, section.title);
        page.replace(begin, length, table_of(section));
      }
    std::ofstream(path) << page;
    read();
  }
  for (const ArmKeySection& section : arm_key_sections()) {
    if (section.keys.empty()) continue;
    const auto [begin, length] = table_below(page, section.title);
    INFO("ARMATURE_RECORD=1 build/test_formats -tc='the page about arm files*' writes the tables anew");
    CHECK(page.substr(begin, length) == table_of(section));
  }
  const std::size_t example = page.find("```yaml\n") + 8;
  CHECK(checked_arm(read_arm_yaml(page.substr(example, page.find("```", example) - example), "docs/arm_files.md"))
            .dof() == 2);
}

TEST_CASE("the keys that are listed are those that are read") {
  const std::vector<ArmKeySection> sections = arm_key_sections();
  std::set<std::string> of_every_law;
  for (const ArmKeySection& section : sections)
    if (section.title == "friction")
      for (const ArmKey& key : section.keys) of_every_law.insert(key.key);
  for (const ArmKeySection& section : sections) {
    CAPTURE(section.title);
    if (section.title == "friction") continue;  // with its laws
    std::set<std::string> listed = section.law.empty() ? std::set<std::string>{} : of_every_law, known;
    for (const ArmKey& key : section.keys) listed.insert(key.key);
    std::string hint;
    try {
      parse_arm_yaml(with_unknown_key(section), "t");
    } catch (const FormatError& error) {
      hint = error.hint();
    }
    CAPTURE(hint);
    REQUIRE(hint.starts_with("known: "));
    std::istringstream words(hint.substr(7));
    for (std::string word; std::getline(words >> std::ws, word, ',');) known.insert(word);
    CHECK(known == listed);
  }
}

TEST_CASE("an arm written and read is the same arm, number for number") {
  for (const std::string& name : catalogue_names()) {
    CAPTURE(name);
    const ArmDescription arm = parse_arm_yaml(catalogue_text(name), name);
    const std::string text = write_arm_yaml(arm);
    CAPTURE(text);
    CHECK(parse_arm_yaml(text, name) == arm);
  }
  CHECK(parse_arm_yaml(write_arm_yaml(parse_arm_yaml(everything, "t")), "t") == parse_arm_yaml(everything, "t"));
  Chance chance(1);
  for (int i = 0; i < 500; ++i) {
    const ArmDescription arm = random_description(chance);
    const std::string text = write_arm_yaml(arm);
    CAPTURE(text);
    const ArmDescription again = parse_arm_yaml(text, "random.yaml");
    REQUIRE(again == arm);
    REQUIRE(write_arm_yaml(again) == text);
  }
}

TEST_CASE("angles are written in degrees where that is exact, in radians where it is not") {
  ArmDescription arm = parse_arm_yaml(everything, "t");
  std::get<DhRow>(arm.joints[0].placement) = {-90 * deg, 0.2, 0, 1.2345};
  arm.joints[2].limits.velocity = 180 * deg;
  const std::string text = write_arm_yaml(arm);
  CAPTURE(text);
  CHECK(text.find("dh: {theta: -90 deg, d: 0.2 m, a: 0, alpha: 1.2345 rad}") != std::string::npos);
  CHECK(text.find("velocity: 180 deg/s") != std::string::npos);
}

TEST_CASE("numbers are read and written the same in any locale") {
  const ArmDescription here = parse_arm_yaml(everything, "t");
  const std::string text = write_arm_yaml(here);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  const char* c_locale = std::setlocale(LC_ALL, "de_DE.UTF-8");  // where the machine has it
  const ArmDescription there = parse_arm_yaml(everything, "t");
  const std::string german = write_arm_yaml(here);
  if (c_locale) std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  CHECK(there == here);
  CHECK(german == text);
}

TEST_CASE("what the model finds wrong is found in the file") {
  const auto complaint = [](std::string from, const std::string& to) {
    std::string text = everything;
    text.replace(text.find(from), from.size(), to);
    try {
      checked_arm(read_arm_yaml(text, "arm.yaml"));
    } catch (const ModelError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(complaint("[-20 mm, none]", "[20 mm, 10 mm]") ==
        "arm.yaml:13:13: joint 'slide', limits: lower 0.02 is above upper 0.01\n  hint: swap them");
  CHECK(
      complaint("axis: [0, 0.6, 0.8]", "axis: [0, 0.6, 1]").starts_with("arm.yaml:22:11: joint 'wrist': its axis has"));
  CHECK(complaint("zz: 0.25", "zz: 0.9").starts_with("arm.yaml:14:11: link 'slide_link': principal moments"));
  CHECK(complaint("gear_ratio: 500 rad/m", "gear_ratio: 0")
            .starts_with("arm.yaml:17:12: joint 'slide', drive: the gear"));
  CHECK(complaint("[0.5, 1]", "[1, 0]").starts_with("arm.yaml:30:12: couplings: the matrix cannot be inverted"));
  CHECK(
      complaint("payload: {mass: 2 kg", "payload: {mass: -2").starts_with("arm.yaml:32:10: arm 'everything', payload"));
}

TEST_CASE("a flexible link is read in its units and written as it was read") {
  const std::string text = R"(
arm: bends
joints:
  - name: shoulder
    dh: {a: 600 mm}
    link: {mass: 2 kg, com: [-300 mm, 0, 0], inertia: {xx: 0.01, yy: 0.07, zz: 0.07}}
    flexible: {mass_per_length: 1.5 kg/m, axial_inertia: 1e-3, segments: 4, source: drawing,
               bending_y: {EI: 90 N*m^2}, bending_z: {stiffness: 2 kN/m, damping: 3 N*s/m},
               torsion: {GJ: 35, damping: 0.1 N*m*s/rad}}
)";
  const ArmDescription arm = parse_arm_yaml(text, "arm.yaml");
  const FlexibleLink& link = arm.joints.at(0).flexible.value();
  CHECK(link.mass_per_length == 1.5);
  CHECK_FALSE(link.mass);
  CHECK(link.bending_y->rigidity == 90);
  CHECK(link.bending_z->stiffness == 2000);
  CHECK(link.bending_z->damping == 3);
  CHECK(link.torsion->rigidity == 35);
  CHECK(link.segments == 4);
  CHECK(link.source == "drawing");
  CHECK(parse_arm_yaml(write_arm_yaml(arm), "again.yaml") == arm);
  CHECK_THROWS_WITH_AS(parse_arm_yaml(std::string(text).replace(text.find("GJ"), 2, "EI"), "arm.yaml"),
                       doctest::Contains("unknown key 'EI'"), FormatError);
}

TEST_CASE("a spring is read in its units and written as it was read") {
  const std::string text = R"(
arm: balanced
joints:
  - name: shoulder
    dh: {a: 600 mm}
    link: {mass: 2 kg, com: [-300 mm, 0, 0], inertia: {xx: 0.01, yy: 0.07, zz: 0.07}}
    spring:
      torque: |
        L = sqrt(0.5 - 0.2*cos(q))   # [m]
        torque = 300*(L - 0.4)*0.1*sin(q)/L
      source: drawing
  - name: elbow
    dh: {a: 600 mm}
    link: {mass: 2 kg, com: [-300 mm, 0, 0], inertia: {xx: 0.01, yy: 0.07, zz: 0.07}}
    spring: {stiffness: 2 N*m/deg, rest: -30 deg}
  - name: lift
    type: prismatic
    dh: {}
    link: {mass: 2 kg, com: [0, 0, 0], inertia: {xx: 0.01, yy: 0.07, zz: 0.07}}
    spring: {positions: [-1, 0 cm, 50 cm], torques: [20 N, 0.03 kN, 31]}
)";
  const ArmDescription arm = parse_arm_yaml(text, "arm.yaml");
  CHECK(arm.joints.at(0).spring->torque.starts_with("L = sqrt(0.5 - 0.2*cos(q))   # [m]\ntorque = "));
  CHECK(arm.joints.at(0).spring->source == "drawing");
  CHECK(arm.joints.at(1).spring->stiffness == 2 / deg);
  CHECK(arm.joints.at(1).spring->rest == -30 * deg);
  CHECK(arm.joints.at(2).spring->positions == std::vector<double>{-1, 0, 0.5});
  CHECK(arm.joints.at(2).spring->torques == std::vector<double>{20, 30, 31});
  CHECK(parse_arm_yaml(write_arm_yaml(arm), "again.yaml") == arm);
  CHECK(Arm(arm).springs().size() == 3);
  const auto refused = [&](const std::string& old, const std::string& changed) {
    return std::string(text).replace(text.find(old), old.size(), changed);
  };
  CHECK_THROWS_WITH_AS(parse_arm_yaml(refused("rest: -30 deg", "rest: 3 m"), "arm.yaml"), doctest::Contains("rest"),
                       FormatError);
  CHECK_THROWS_WITH_AS(parse_arm_yaml(refused("positions: [-1, 0 cm, 50 cm]", "positions: -1"), "arm.yaml"),
                       doctest::Contains("positions"), FormatError);
  CHECK_THROWS_WITH_AS(parse_arm_yaml(refused("rest: -30 deg", "slack: 1"), "arm.yaml"),
                       doctest::Contains("unknown key 'slack'"), FormatError);
}
