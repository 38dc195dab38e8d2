#include "armature/report/derive_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/codegen/derive/derive.hpp"
#include "armature/codegen/equations/readable.hpp"

namespace armature::report {

namespace {

struct PublishedCount {
  const char* arms;  // names of built-in arms, each between spaces
  const char* way;
  int add, mul, functions;  // -1: not told apart
  int total;
  const char* source;
};

const PublishedCount published[] = {
    {" rrr rrr_generic ", "closed form, as its authors count it", -1, -1, -1, 393, "[Kostic2002], section V"},
    {" rrr rrr_generic ", "recursion of the Robotics Toolbox", -1, -1, -1, 1050, "[Kostic2002], section V"},
    {" rrr rrr_generic ", "printed (13) times p, zeros left out", 96, 172, 54, 322,
     "counted from studies/printed/kostic2002_dynamics.model"},
    {" rrr rrr_generic ", "the same, common sub-expressions shared (sympy)", 57, 104, 12, 173,
     "counted from its output"},
    {" rrr rrr_generic ", "by a careful hand, all 15 parameters", 45, 50, 4, 99,
     "counted; docs/errata.md corrects (13)"},
    {" rrr ", "recursion of Pinocchio, as executed", -1, -1, -1, 843, "counted; sines and cosines not included"},
    {" ur5 ", "recursion of Pinocchio, as executed", -1, -1, -1, 1824, "counted; sines and cosines not included"},
    {" panda ", "recursion of Pinocchio, as executed", -1, -1, -1, 2087, "counted; sines and cosines not included"},
    {" rrr ", "that traced by CppADCodeGen", -1, -1, -1, 306, "counted; sines and cosines not included"},
    {" ur5 ", "that traced by CppADCodeGen", -1, -1, -1, 569, "counted; sines and cosines not included"},
    {" panda ", "that traced by CppADCodeGen", -1, -1, -1, 1047, "counted; sines and cosines not included"},
};

std::string number_or_nothing(int n) { return n < 0 ? "" : fmt::to_string(n); }

/// Equations as they are set in print.
std::vector<LogText> typeset(const std::vector<EquationGroup>& groups) {
  std::vector<LogText> texts;
  for (const EquationGroup& group : groups) {
    if (!group.remark.empty()) texts.push_back({LogText::Kind::markdown, group.heading, group.remark});
    std::string lines;
    for (const Equation& e : group.equations)
      lines += fmt::format("{} = {}\n\n", latex_name(e.name), latex(*e.shorthand, latex_name));
    texts.push_back({LogText::Kind::latex, group.remark.empty() ? group.heading : "", lines});
  }
  return texts;
}

/// Operations of this arm's inverse dynamics: derived (`ours`), by recursion, and as the literature counts them.
LogTable inverse_dynamics_counts(const Arm& arm, const Operations& ours, long executed) {
  LogTable table{"Inverse dynamics: operations here and elsewhere",
                 {"how", "additions", "multiplications", "functions", "all", "source"},
                 {}};
  const auto add = [&](const char* how, int additions, int multiplications, int functions, long total,
                       const std::string& source) {
    table.rows.push_back({how, number_or_nothing(additions), number_or_nothing(multiplications),
                          number_or_nothing(functions), fmt::to_string(total), source});
  };
  add("derived here", ours.add, ours.mul + ours.div, ours.functions, ours.total(), "this run");
  add("recursion of this library, as executed", -1, -1, -1, executed, "this run, on numbers that count");
  for (const PublishedCount& p : published)
    if (std::string_view(p.arms).find(" " + arm.name() + " ") != std::string_view::npos)
      add(p.way, p.add, p.mul, p.functions, p.total, p.source);
  const bool turns = std::all_of(arm.bodies().begin(), arm.bodies().end(), [](const Body& b) { return b.revolute; });
  if (const int n = arm.dof(); turns && n > 1) {
    add("Newton-Euler for any n revolute joints", 131 * n - 48, 150 * n - 48, -1, 281 * n - 96,
        "[LuhWalkerPaul1980]: 131n - 48 and 150n - 48");
    add("the same, a base at rest left out", 106 * n - 92, 126 * n - 99, -1, 232 * n - 191,
        "[Craig2005]: 106n - 92 and 126n - 99");
  }
  return table;
}

}  // namespace

Report program_report(const Arm& arm, const Module& module, const std::string& text, long executed) {
  Log log;
  LogTable table{"Operations", {"what", "additions", "multiplications", "divisions", "functions", "all"}, {}};
  FigureSeries adds{"additions", {}, {}, FigureSeries::Style::bars},
      muls{"multiplications", {}, {}, FigureSeries::Style::bars},
      functions{"sines, cosines, ...", {}, {}, FigureSeries::Style::bars};
  std::vector<std::string> names;
  std::optional<Operations> inverse_dynamics;
  for (const auto& program : module.programs) {
    const Operations n = count(program.net);
    if (program.name == "inverse_dynamics") inverse_dynamics = n;
    names.push_back(program.name);
    table.rows.push_back({names.back(), fmt::to_string(n.add), fmt::to_string(n.mul), fmt::to_string(n.div),
                          fmt::to_string(n.functions), fmt::to_string(n.total())});
    for (FigureSeries* s : {&adds, &muls, &functions}) s->x.push_back(static_cast<double>(names.size()));
    adds.y.push_back(static_cast<double>(n.add));
    muls.y.push_back(static_cast<double>(n.mul + n.div));
    functions.y.push_back(static_cast<double>(n.functions));
  }
  log.tables.push_back(std::move(table));
  if (inverse_dynamics) log.tables.push_back(inverse_dynamics_counts(arm, *inverse_dynamics, executed));
  log.figures.push_back(
      {"", "What each program costs", {"", "", false, names}, {"operations", ""}, {adds, muls, functions}});
  constexpr int readable_joints = 4;  // beyond that the equations fill books
  if (arm.dof() <= readable_joints)
    log.texts = typeset(equations(
        arm, {EquationPart::mass_matrix, EquationPart::coriolis, EquationPart::gravity, EquationPart::base_parameters},
        InertiaNames::base));
  log.texts.push_back({LogText::Kind::markdown, "The program", "```\n" + text + "\n```"});
  return {.kind = "derive",
          .title = "Model of " + arm.name(),
          .subtitle = "Closed form, derived by machine; c23 stands for cos(q2 + q3), s2 for sin(q2)",
          .logs = {log}};
}

Report equation_report(const Arm& arm, const std::vector<EquationGroup>& groups, long executed) {
  Log log;
  log.tables = {inverse_dynamics_counts(arm, count(derive(arm, Target::inverse_dynamics, {}).net), executed)};
  log.texts = typeset(groups);
  return {.kind = "derive",
          .title = "Equations of " + arm.name(),
          .subtitle = "c23 stands for cos(q2 + q3), s2 for sin(q2)",
          .logs = {log}};
}

}  // namespace armature::report
