// Arms, scenarios, formulas, quantities, reports.
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/report_json.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/formats/urdf_limbs.hpp"
#include "armature/numerics/formula.hpp"
#include "armature/scenario/scenario_yaml.hpp"
#include "targets.hpp"

namespace armature::fuzz {

namespace {

/// Throws Broken where an error is no sentence.
void judge(const Error& error) {
  if (error.finding().empty()) throw Broken("an error without a finding");
}

/// What `make` returns; Broken where it throws Error.
template <class F>
auto must(const std::string& law, F&& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Broken(law + ": " + error.what());
  }
}

void check_finite(const Arm& arm) {
  for (const Body& body : arm.bodies())
    if (!parameters(body.inertia).allFinite() || !body.X_PB0.p.allFinite()) throw Broken("an arm is not finite");
  if (!arm.gravity().allFinite()) throw Broken("gravity is not finite");
}

/// The text of the arm file is a fixed point of reading and writing.
void check_arm_file(const ArmDescription& description) {
  const std::string once = write_arm_yaml(description);
  const ArmDescription again =
      must("an arm file that was written is refused", [&] { return parse_arm_yaml(once, "again.yaml"); });
  if (!(again == description)) throw Broken("an arm file reads back as another arm");
}

bool near(const Pose<double>& a, const Pose<double>& b, double size) {
  return (a.p - b.p).norm() <= 1e-9 * size && (a.R - b.R).norm() <= 1e-6;
}

}  // namespace

bool urdf(std::string_view bytes) {
  try {  // what a person sees of a file that has no clear arm, and what is computed of one that cannot exist
    urdf_tree_text(bytes, "x.urdf");
    check_finite(checked_arm(parse_urdf(bytes, "x.urdf", {.as_given = true})));
  } catch (const Error& error) {
    judge(error);
  }
  try {
    const ParsedArm parsed = parse_urdf(bytes, "x.urdf");
    const Arm arm = checked_arm(parsed);
    check_finite(arm);
    check_arm_file(parsed.description);
    std::string text;
    try {
      text = write_urdf(arm);
    } catch (const ModelError&) {  // URDF cannot say everything
      return true;
    }
    const Arm again =
        must("a URDF that was written is refused", [&] { return checked_arm(parse_urdf(text, "again")); });
    if (again.dof() != arm.dof()) throw Broken("a URDF reads back with other joints");
    double size = 1;
    for (const Body& body : arm.bodies()) size += body.X_PB0.p.norm();
    for (int i = 0; i < arm.dof(); ++i)
      if (again.body(i).revolute != arm.body(i).revolute || !near(again.body(i).X_PB0, arm.body(i).X_PB0, size))
        throw Broken("a URDF reads back with other frames");
    return true;
  } catch (const Error& error) {
    judge(error);
    return false;
  }
}

bool arm(std::string_view bytes) {
  try {
    const ParsedArm parsed = read_arm_yaml(bytes, "x.yaml");
    check_arm_file(parsed.description);
    check_finite(checked_arm(parsed));
    return true;
  } catch (const Error& error) {
    judge(error);
    return false;
  }
}

bool scenario(std::string_view bytes) {
  const auto slide = [](const std::string& robot, const ArmChoice&) {
    if (robot.empty()) throw FormatError("there is no such arm", "`armature arms` lists them");
    return JointKinds{false, false, true};
  };
  try {
    const std::vector<ParsedScenario> cases = parse_cases(bytes, "x.yaml", slide);
    for (const ParsedScenario& one : cases) {
      const std::string once = write_scenario(one.scenario, slide("rrr", {}));
      const std::string again = must("a scenario that was written is refused", [&] {
        return write_scenario(parse_scenario(once, "again.yaml", slide).scenario, slide("rrr", {}));
      });
      if (once != again) throw Broken("a scenario reads back as another one:\n" + once + "---\n" + again);
    }
    return true;
  } catch (const Error& error) {
    judge(error);
    return false;
  }
}

bool formula(std::string_view bytes) {
  const auto value_of = [](const Formula& f) {
    const CompiledFormula compiled(f, [](const Formula& name) { return static_cast<int>(name.name.size()); });
    std::array<double, 64> values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.3 + 0.1 * static_cast<double>(i);
    return compiled(values.data(), 0b0101);
  };
  try {
    for (const Statement& statement : read_statements(bytes, "x.model")) {
      const std::string once = text(*statement.formula);
      const FormulaPtr again = must("a formula that was written is refused", [&] { return read_formula(once); });
      if (text(*again) != once) throw Broken("a formula reads back as another one: " + once + " and " + text(*again));
      const double a = value_of(*statement.formula), b = value_of(*again);
      if (!(a == b || (std::isnan(a) && std::isnan(b))))
        throw Broken("a formula reads back with another value: " + once);
      names_in(*statement.formula);
      latex(*statement.formula, [](const std::string& name) { return name; });
    }
    return true;
  } catch (const Error& error) {
    judge(error);
    return false;
  }
}

bool quantity(std::string_view bytes) {
  bool read = false;
  for (const Dimension wanted : {dimension::none, dimension::length, dimension::torque, dimension::rate}) try {
      const double value = parse_quantity(bytes, wanted);
      if (!std::isfinite(value)) throw Broken("a quantity is not finite");
      const double again =
          must("a number that was written is refused", [&] { return parse_quantity(exact_text(value), wanted); });
      if (again != value) throw Broken("a number reads back as another one");
      read = true;
    } catch (const Error& error) {
      judge(error);
    }
  return read;
}

bool report(std::string_view bytes) {
  try {
    const Report found = parse_report(bytes, "report.json");
    const std::vector<std::string> files(found.logs.size());
    const std::string once = report_json(found, files);
    const std::string again = must("a report that was written is refused",
                                   [&] { return report_json(parse_report(once, "again.json"), files); });
    if (once != again) throw Broken("a report reads back as another one");
    return true;
  } catch (const Error& error) {
    judge(error);
    return false;
  }
}

}  // namespace armature::fuzz
