#include "armature/codegen/equations/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>

#include "armature/codegen/emit/internal/emit_languages.hpp"
#include "armature/codegen/equations/internal/named_arm.hpp"
#include "armature/codegen/equations/readable.hpp"
#include "armature/codegen/formulas/internal/reference_names.hpp"

namespace armature::codegen {
namespace {

constexpr std::array<std::pair<EquationPart, std::string_view>, 7> part_words{{
    {EquationPart::base_parameters, "base-parameters"},
    {EquationPart::mass_matrix, "mass-matrix"},
    {EquationPart::coriolis, "coriolis"},
    {EquationPart::gravity, "gravity"},
    {EquationPart::regressor, "regressor"},
    {EquationPart::forward_kinematics, "forward-kinematics"},
    {EquationPart::jacobian, "jacobian"},
}};

constexpr double most_written = 3e7;  // terms looked at to write the equations down: some ten seconds

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

// Symbols of one kind, and what they stand for.
struct Family {
  std::string meaning;
  bool (*holds)(std::string_view letters);  // what precedes the number
  std::vector<std::string> symbols{};
};

// Lines that explain the symbols of the equations, all of them and no other: "m1, m2: mass of that moving link.".
std::vector<std::string> explanation(const Arm& arm, const std::vector<EquationGroup>& groups) {
  using Text = std::string_view;
  std::vector<Family> families{
      {"velocity of that joint", [](Text s) { return s == "qd"; }},
      {"acceleration of that joint", [](Text s) { return s == "qdd"; }},
      {"length a or d in that row of the Denavit-Hartenberg table", [](Text s) { return s == "a" || s == "d"; }},
      {"position of that joint in the frame of the link before it",
       [](Text s) { return s == "px" || s == "py" || s == "pz"; }},
      {"position of the base", [](Text s) { return s == "bx" || s == "by" || s == "bz"; }},
      {"position of the tool in the frame of the last link",
       [](Text s) { return s == "tx" || s == "ty" || s == "tz"; }},
      {"mass of that moving link", [](Text s) { return s == "m"; }},
      {"first moment of that moving link about the origin of its frame", [](Text s) { return s.starts_with("mc"); }},
      {"inertia tensor of that moving link about the origin of its frame",
       [](Text s) { return s.size() == 3 && s[0] == 'I'; }},
      {"magnitude of gravity", [](Text s) { return s == "g"; }},
      {"base parameter: a combination of masses, moments and inertias that shows in the torques",
       [](Text s) { return s == "p"; }}};
  std::set<std::string> positions, seen;
  for (const EquationGroup& g : groups)
    for (const Equation& e : g.equations)
      for (const std::string& name : names_in(*e.formula)) {
        if (!seen.insert(name).second) continue;
        const Text letters = Text(name).substr(0, name.find_first_of("0123456789"));
        if (letters == "q") positions.insert(name);
        for (Family& family : families)
          if (family.holds(letters)) family.symbols.push_back(name);
      }
  std::vector<std::string> lines;
  for (int i = 0; i < arm.dof(); ++i)
    if (const std::string name = fmt::format("q{}", i + 1); positions.contains(name))
      lines.push_back(fmt::format("{}: {} of joint '{}'.", name, arm.body(i).revolute ? "angle" : "displacement",
                                  arm.joint(i).name));
  for (Family& family : families) {
    std::sort(family.symbols.begin(), family.symbols.end(), [](const std::string& a, const std::string& b) {
      return std::tuple(a.size(), Text(a)) < std::tuple(b.size(), Text(b));
    });
    if (!family.symbols.empty())
      lines.push_back(fmt::format("{}: {}.", fmt::join(family.symbols, ", "), family.meaning));
  }
  return lines;
}

// c23 stands for cos(q2 + q3), where a sine or cosine occurs.
bool turns(const std::vector<EquationGroup>& groups) {
  for (const EquationGroup& g : groups)
    for (const Equation& e : g.equations)
      for (const std::string& name : names_in(*e.shorthand))
        if ((name[0] == 'c' || name[0] == 's') && name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1])))
          return true;
  return false;
}

}  // namespace

std::optional<EquationPart> equation_part_named(std::string_view word) {
  for (const auto& [part, w] : part_words)
    if (w == word) return part;
  return {};
}
std::vector<EquationPart> all_equation_parts() {
  std::vector<EquationPart> all;
  for (const auto& [part, word] : part_words) all.push_back(part);
  return all;
}
std::string_view word_for(EquationPart part) {
  for (const auto& [p, word] : part_words)
    if (p == part) return word;
  return {};
}

std::vector<EquationGroup> equations(const Arm& arm, const std::vector<EquationPart>& parts, InertiaNames names) {
  const TermBudget budget(most_written);
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
  const std::string title = fmt::format("Equations of the arm '{}', written by armature {}", arm.name(), version);
  const std::vector<std::string> symbols = explanation(arm, groups);
  std::string text;
  switch (style) {
    case EquationStyle::text:
      text += comment("#", title);
      for (const std::string& line : symbols) text += comment("#", line);
      for (const EquationGroup& g : groups) {
        text += "\n";
        text += comment("#", g.heading + (g.remark.empty() ? "" : ". " + g.remark));
        for (const Equation& e : g.equations)
          text += fmt::format("{} = {}\n", e.name, armature::numerics::text(*e.formula));
      }
      break;
    case EquationStyle::latex:
      text += comment("%", title + "; needs amsmath");
      for (const std::string& line : symbols) text += comment("%", line);
      if (turns(groups)) text += comment("%", "c_{23} is cos(q2 + q3), s_2 is sin(q2).");
      for (const EquationGroup& g : groups) {
        text += "\n" + comment("%", g.heading + (g.remark.empty() ? "" : ". " + g.remark));
        for (const auto& part : displays(g.equations)) text += "\\begin{align*}\n" + aligned(part) + "\\end{align*}\n";
      }
      break;
    case EquationStyle::markdown:
      text += fmt::format("# {}\n\n", markdown_text(title));
      for (const std::string& line : symbols) text += "- " + markdown_text(line) + "\n";
      if (turns(groups)) text += "- c23 stands for cos(q2 + q3), s2 for sin(q2).\n";
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

}  // namespace armature::codegen
