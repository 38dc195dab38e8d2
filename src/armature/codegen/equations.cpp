#include "armature/codegen/equations.hpp"

#include <fmt/core.h>

#include <array>

#include "armature/codegen/named_arm.hpp"
#include "armature/codegen/readable.hpp"
#include "armature/codegen/reference_names.hpp"
#include "armature/core/text.hpp"

namespace armature {
namespace {

constexpr std::array<std::pair<EquationPart, std::string_view>, 7> words{{
    {EquationPart::base_parameters, "base-parameters"},
    {EquationPart::mass_matrix, "mass-matrix"},
    {EquationPart::coriolis, "coriolis"},
    {EquationPart::gravity, "gravity"},
    {EquationPart::regressor, "regressor"},
    {EquationPart::forward_kinematics, "forward-kinematics"},
    {EquationPart::jacobian, "jacobian"},
}};

class Maker {
 public:
  Maker(std::vector<std::string> symbols, std::vector<bool> joins)
      : full_{symbols, joins, false}, short_{std::move(symbols), std::move(joins), true} {}
  Equation operator()(std::string name, const TrigPoly& f) const {
    return {std::move(name), readable(f, full_), readable(f, short_)};
  }

 private:
  ReadableNames full_, short_;
};

std::vector<Equation> matrix(const Maker& make, const std::string& letter, const SymbolicMatrix& m, bool upper) {
  std::vector<Equation> all;
  for (int i = 0; i < m.rows(); ++i)
    for (int j = upper ? i : 0; j < m.cols(); ++j)
      all.push_back(make(letter == "g" ? fmt::format("g{}", i + 1) : entry_name(letter, i + 1, j + 1), m(i, j)));
  return all;
}

// A sum in lines of bearable length.
std::vector<std::string> lines_of(const Formula& f) {
  const auto whole = latex(f, latex_name);
  constexpr std::size_t wide = 150;  // characters of source, about half of them seen
  if (f.kind != Formula::Kind::sum || whole.size() < wide) return {whole};
  std::vector<std::string> lines{""};
  for (std::size_t k = 0; k < f.parts.size(); ++k) {
    const std::string term = latex(*Formula::sum({f.parts[k]}, {Formula::Sign::plus}), latex_name);
    const bool bracket = f.parts[k]->kind == Formula::Kind::sum;
    const std::string sign = f.signs[k] == Formula::Sign::minus ? "-" : "+";
    std::string piece = bracket ? "\\left(" + term + "\\right)" : term;
    if (k > 0)
      piece = sign + " " + piece;
    else if (sign == "-")
      piece = "-" + piece;
    if (!lines.back().empty() && lines.back().size() + piece.size() > wide) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + piece;
  }
  return lines;
}

std::string aligned(const std::vector<Equation>& equations) {
  std::string text;
  for (std::size_t e = 0; e < equations.size(); ++e) {
    const std::vector<std::string> lines = lines_of(*equations[e].shorthand);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      text += k == 0 ? latex_name(equations[e].name) + " &= " : "&\\quad ";
      text += lines[k];
      text += e + 1 == equations.size() && k + 1 == lines.size() ? "\n" : " \\\\\n";
    }
  }
  return text;
}

// Long groups in several displays, so that pages can break between them.
std::vector<std::vector<Equation>> displays(const std::vector<Equation>& all) {
  std::vector<std::vector<Equation>> parts{{}};
  for (const Equation& e : all) {
    if (parts.back().size() >= 12) parts.emplace_back();
    parts.back().push_back(e);
  }
  return parts;
}

std::string joint_words(const Arm& arm) {
  std::string s;
  for (int i = 0; i < arm.dof(); ++i)
    s += fmt::format("{}q{}: {} '{}'", i ? ", " : "", i + 1, arm.body(i).revolute ? "angle of" : "displacement of",
                     arm.joint(i).name);
  return s;
}

std::vector<std::string> explanation(const Arm& arm, bool links) {
  std::vector<std::string> lines{
      fmt::format("Joints: {}.", joint_words(arm)),
      "a2, d2: lengths of row 2 of the Denavit-Hartenberg table. m3: mass of moving link 3; mcx3, ...: its first "
      "moment;",
      "Ixx3, ...: its inertia tensor, both about the origin of its link frame. g: magnitude of gravity."};
  if (!links) lines.emplace_back("p1, p2, ...: base parameters, the combinations of them that show in the torques.");
  return lines;
}

}  // namespace

std::optional<EquationPart> equation_part_named(std::string_view word) {
  for (const auto& [part, w] : words)
    if (w == word) return part;
  return {};
}
std::vector<EquationPart> all_equation_parts() {
  std::vector<EquationPart> all;
  for (const auto& [part, word] : words) all.push_back(part);
  return all;
}
std::string_view word_for(EquationPart part) {
  for (const auto& [p, word] : words)
    if (p == part) return word;
  return {};
}

std::vector<EquationGroup> equations(const Arm& arm, const std::vector<EquationPart>& parts, InertiaNames names) {
  std::vector<EquationGroup> groups;
  std::optional<SymbolicModel> model;
  std::optional<SymbolicKinematics> kinematics;
  const auto dynamics = [&]() -> const SymbolicModel& {
    if (!model) model = symbolic_model(arm, names);
    return *model;
  };
  const auto geometry = [&]() -> const SymbolicKinematics& {
    if (!kinematics) kinematics = symbolic_kinematics(arm);
    return *kinematics;
  };
  for (const EquationPart part : parts) {
    switch (part) {
      case EquationPart::base_parameters: {
        if (names == InertiaNames::links) break;
        const Maker make(dynamics().symbols, dynamics().joins_previous);
        EquationGroup g{"Base parameters", "", {}};
        for (const auto& p : dynamics().base) g.equations.push_back(make(p.name, p.formula));
        groups.push_back(std::move(g));
        break;
      }
      case EquationPart::mass_matrix:
        groups.push_back({"Mass matrix", "Symmetric: entries above the diagonal stand for those below.",
                          matrix(Maker(dynamics().symbols, dynamics().joins_previous), "M", dynamics().M, true)});
        break;
      case EquationPart::coriolis:
        groups.push_back({"Coriolis and centrifugal matrix", "From the Christoffel symbols of the mass matrix.",
                          matrix(Maker(dynamics().symbols, dynamics().joins_previous), "C", dynamics().C, false)});
        break;
      case EquationPart::gravity:
        groups.push_back(
            {"Gravity", "", matrix(Maker(dynamics().symbols, dynamics().joins_previous), "g", dynamics().g, false)});
        break;
      case EquationPart::regressor: {
        if (names == InertiaNames::links) break;
        const Maker make(dynamics().symbols, dynamics().joins_previous);
        EquationGroup g{"Regressor", "The torques are r p. Entries that are not listed are zero.", {}};
        const SymbolicMatrix& r = dynamics().regressor;
        for (int i = 0; i < r.rows(); ++i)
          for (int j = 0; j < r.cols(); ++j)
            if (!r(i, j).zero()) g.equations.push_back(make(fmt::format("r{}_{}", i + 1, j + 1), r(i, j)));
        groups.push_back(std::move(g));
        break;
      }
      case EquationPart::forward_kinematics:
        groups.push_back({"Pose of the tool", "Columns 1 to 3: its axes in the world; column 4: its origin.",
                          matrix(Maker(geometry().symbols, geometry().joins_previous), "H", geometry().H, false)});
        break;
      case EquationPart::jacobian:
        groups.push_back({"Jacobian of the tool", "Rows 1 to 3: velocity; rows 4 to 6: angular velocity, in the world.",
                          matrix(Maker(geometry().symbols, geometry().joins_previous), "J", geometry().J, false)});
        break;
    }
  }
  return groups;
}

std::string emit_equations(const Arm& arm, const std::string& version, const std::vector<EquationGroup>& groups,
                           EquationStyle style) {
  bool base = false;
  for (const EquationGroup& g : groups) base = base || g.heading == "Base parameters";
  const std::string title =
      fmt::format("Equations of the arm '{}', written by armature {}", printable(arm.name()), version);
  std::string text;
  const auto comment = [&](const std::string& mark, const std::string& line) {
    text += mark + (line.empty() ? "" : " " + line) + "\n";
  };
  switch (style) {
    case EquationStyle::text:
      comment("#", title);
      for (const std::string& line : explanation(arm, !base)) comment("#", line);
      for (const EquationGroup& g : groups) {
        text += "\n";
        comment("#", g.heading + (g.remark.empty() ? "" : ". " + g.remark));
        for (const Equation& e : g.equations) text += fmt::format("{} = {}\n", e.name, armature::text(*e.formula));
      }
      break;
    case EquationStyle::latex:
      comment("%", title + "; needs amsmath");
      for (const std::string& line : explanation(arm, !base)) comment("%", line);
      comment("%", "c_{23} is cos(q2 + q3), s_2 is sin(q2).");
      for (const EquationGroup& g : groups) {
        text += fmt::format("\n% {}\n", g.heading + (g.remark.empty() ? "" : ". " + g.remark));
        for (const auto& part : displays(g.equations)) text += "\\begin{align*}\n" + aligned(part) + "\\end{align*}\n";
      }
      break;
    case EquationStyle::markdown:
      text += fmt::format("# {}\n\n", title);
      for (const std::string& line : explanation(arm, !base)) text += line + "\n";
      text += "c23 stands for cos(q2 + q3), s2 for sin(q2).\n";
      for (const EquationGroup& g : groups) {
        text += fmt::format("\n## {}\n\n", g.heading);
        if (!g.remark.empty()) text += g.remark + "\n\n";
        for (const auto& part : displays(g.equations))
          text += "```math\n\\begin{aligned}\n" + aligned(part) + "\\end{aligned}\n```\n";
      }
      break;
  }
  return text;
}

}  // namespace armature
