#include "armature/codegen/equations/equations.hpp"

#include <fmt/core.h>

#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "armature/algorithms/base_parameters.hpp"
#include "armature/codegen/derive/derive.hpp"
#include "armature/codegen/equations/internal/named_arm.hpp"
#include "armature/codegen/formulas/check_model.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::codegen;

namespace {

const auto parts = all_equation_parts();

std::string whole_file(const std::string& path) {
  std::ifstream in(fmt::format("{}/{}", testing::source_folder, path));
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string version() {
  const std::string text = whole_file("CMakeLists.txt");
  const auto start = text.find("VERSION", text.find("project(")) + 8;
  return text.substr(start, text.find_first_of(" )\n", start) - start);
}

// The equations in LaTeX as lines of plain formulas: c_{23} becomes c23, \dot{q}_{1} qd1, a b a*b, \frac{a}{b} ((a)/(b)).
class LatexReader {
 public:
  explicit LatexReader(const std::string& text) : text_(text) {}

  std::string lines() {
    std::string result, line;
    bool inside = false, ends_open = false;
    std::istringstream in(text_);
    for (std::string s; std::getline(in, s);) {
      if (s.starts_with("\\begin{")) {
        inside = true;
      } else if (s.starts_with("\\end{")) {
        inside = false;
      } else if (inside) {
        const auto relation = s.find(" &= ");
        if (relation != std::string::npos) {
          if (!line.empty()) result += line + "\n";
          line = formula(s.substr(0, relation)) + " = " + formula(s.substr(relation + 4));
        } else {
          REQUIRE(s.starts_with("&\\quad "));
          line += " " + formula(s.substr(7));
        }
      }
      (void)ends_open;
    }
    return result + line + "\n";
  }

 private:
  static std::string formula(const std::string& latex) {
    std::size_t at = 0;
    return sum(latex, at, '\0');
  }

  static std::string group(const std::string& s, std::size_t& at) {  // {...}
    REQUIRE(s[at] == '{');
    ++at;
    std::string inner = sum(s, at, '}');
    ++at;
    return inner;
  }
  static std::string raw_group(const std::string& s, std::size_t& at) {
    REQUIRE(s[at] == '{');
    const auto end = s.find('}', at);
    std::string inner = s.substr(at + 1, end - at - 1);
    at = end + 1;
    return inner;
  }
  // letters with what stands below them, as one name
  static std::string subscripted(std::string letters, const std::string& s, std::size_t& at) {
    if (s.compare(at, 2, "_{") != 0) return letters;
    ++at;
    const std::string index = raw_group(s, at);
    const bool two_numbers = index.find(',') != std::string::npos && std::isdigit(static_cast<unsigned char>(index[0]));
    for (const char c : index)
      if (c != ',')
        letters += c;
      else if (two_numbers)
        letters += '_';
    return letters;
  }

  static std::string sum(const std::string& s, std::size_t& at, char end) {
    std::string out;
    bool value_before = false;
    std::string power_of;  // \sin^{2}
    const auto value = [&](const std::string& v) {
      out += (value_before ? "*" : "") + v;
      value_before = true;
    };
    while (at < s.size() && s[at] != end) {
      const auto starts = [&](const char* word) { return s.compare(at, std::strlen(word), word) == 0; };
      if (starts("\\\\")) {
        at += 2;
      } else if (s[at] == ' ' || s[at] == '&') {
        ++at;
      } else if (starts("\\right")) {
        return out;
      } else if (starts("\\left(") || s[at] == '(') {
        at += s[at] == '(' ? 1 : 6;
        const bool plain = s[at - 1] == '(' && (at < 6 || s.compare(at - 6, 6, "\\left(") != 0);
        const std::string inner = sum(s, at, plain ? ')' : '\0');
        at += plain ? 1 : 7;
        if (!power_of.empty()) {
          value("(" + power_of + "(" + inner + "))");
          power_of.clear();
        } else {
          value("(" + inner + ")");
        }
      } else if (starts("\\frac")) {
        at += 5;
        const std::string a = group(s, at), b = group(s, at);
        value("((" + a + ")/(" + b + "))");
      } else if (starts("\\sqrt")) {
        at += 5;
        value("sqrt(" + group(s, at) + ")");
      } else if (starts("\\dot{q}") || starts("\\ddot{q}")) {
        const bool twice = starts("\\ddot");
        at += twice ? 8 : 7;
        value(subscripted(twice ? "qdd" : "qd", s, at));
      } else if (starts("\\cdot")) {
        at += 5;
      } else if (starts("\\tau")) {
        at += 4;
        value(subscripted("tau", s, at));
      } else if (s[at] == '\\') {
        std::string name;
        ++at;
        while (std::isalpha(static_cast<unsigned char>(s[at]))) name += s[at++];
        if (name == "operatorname") name = raw_group(s, at);
        REQUIRE(arguments_of(name) > 0);
        power_of = name;
      } else if (s[at] == '+' || s[at] == '-') {
        out += s[at++];
        value_before = false;
      } else if (s[at] == ',') {
        out += s[at++];
        value_before = false;
      } else if (s[at] == '^') {
        ++at;
        out += "^" + raw_group(s, at);
      } else if (std::isdigit(static_cast<unsigned char>(s[at]))) {
        std::string number;
        while (at < s.size() && (std::isdigit(static_cast<unsigned char>(s[at])) || s[at] == '.' || s[at] == 'e' ||
                                 ((s[at] == '-' || s[at] == '+') && s[at - 1] == 'e')))
          number += s[at++];
        value(number);
      } else {
        REQUIRE(std::isalpha(static_cast<unsigned char>(s[at])));
        std::string letters;
        while (at < s.size() && std::isalpha(static_cast<unsigned char>(s[at]))) letters += s[at++];
        value(subscripted(letters, s, at));
      }
    }
    return out;
  }

  std::string text_;
};

ModelCheck check(const Arm& arm, const std::string& text) {
  return check_model(arm, read_statements(text, "equations"), "equations");
}

}  // namespace

TEST_CASE("the equations of an arm say what the library computes, whatever its numbers") {
  std::vector<Arm> arms;
  for (const char* name : {"rrr", "rrr_generic", "rrr_printed", "planar3r", "rpr", "rpr_printed", "asea2", "ur5"})
    arms.push_back(catalogue_arm(name));
  Random random(12);
  for (int k = 0; k < 12; ++k) arms.push_back(testing::random_arm(1 + k % 3, random));
  for (const Arm& arm : arms)
    for (const InertiaNames names : {InertiaNames::base, InertiaNames::links}) {
      CAPTURE(arm.name());
      const ModelCheck result =
          check(arm, emit_equations(arm, "test", equations(arm, parts, names), EquationStyle::text));
      for (const auto& e : result.entries) {
        CAPTURE(e.name);
        CHECK(e.equal());
      }
      CHECK(result.blames.empty());
      const auto n = static_cast<std::size_t>(arm.dof());
      const std::size_t rows = names == InertiaNames::base ? n : 0;  // of r p
      CHECK(result.entries.size() == n * (n + 1) / 2 + n * n + n + 12 + 6 * n + rows);
    }
}

TEST_CASE("there are as many base parameters as the regressor has independent columns") {
  Random random(31);
  for (int k = 0; k < 24; ++k) {
    const Arm arm = testing::random_arm(1 + k % 4, random);
    CAPTURE(k);
    CHECK(static_cast<int>(symbolic_model(arm, InertiaNames::base).base.size()) == base_parameters(arm).count());
  }
  for (const auto& [name, count] : std::map<std::string, int>{{"rrr_generic", 15}, {"rrr", 13}, {"planar3r", 6}})
    CHECK(static_cast<int>(symbolic_model(catalogue_arm(name), InertiaNames::base).base.size()) == count);
}

TEST_CASE("equations in LaTeX read back as what the library computes") {
  for (const char* name : {"rrr", "rrr_generic", "planar3r", "rpr"}) {
    CAPTURE(name);
    const Arm arm = catalogue_arm(name);
    for (const EquationStyle style : {EquationStyle::latex, EquationStyle::markdown}) {
      const auto groups = equations(arm, parts, InertiaNames::base);
      const ModelCheck result = check(arm, LatexReader(emit_equations(arm, "test", groups, style)).lines());
      CHECK(result.equal());
      CHECK(result.entries.size() == 51);
    }
  }
}

TEST_CASE("a program in LaTeX reads back as the program") {
  for (const char* name : {"rrr", "rpr", "ur5"}) {
    const Arm arm = catalogue_arm(name);
    for (const Target target : targets_of(arm)) {
      const Program p = derive(arm, target, {.effort = 0.01});
      CAPTURE(name);
      CAPTURE(p.name);
      const auto statements =
          read_statements(LatexReader(emit({arm.name(), arm.dof(), "test", {p}}, Language::latex)).lines(), "latex");
      std::map<std::string, double> known;
      const std::vector<double> in = check_inputs(p), out = evaluate(p, in);
      std::size_t k = 0;
      const auto element = [](const Signal& s, int i) {
        return s.cols > 1 ? fmt::format("{}{}_{}", s.name, i / s.cols + 1, i % s.cols + 1)
                          : fmt::format("{}{}", s.name, i + 1);
      };
      for (const Signal& s : p.inputs)
        for (int i = 0; i < s.size(); ++i) known[element(s, i)] = in[k++];
      std::vector<double> values;
      for (const Statement& s : statements) {
        std::vector<double> slots;
        const CompiledFormula f(*s.formula, [&](const Formula& name_node) {
          REQUIRE(known.contains(name_node.name));
          slots.push_back(known[name_node.name]);
          return static_cast<int>(slots.size()) - 1;
        });
        known[s.names[0]] = f(slots.data());
      }
      k = 0;
      double worst = 0;
      for (const Signal& s : p.outputs)
        for (int i = 0; i < s.size(); ++i, ++k) {
          REQUIRE(known.contains(element(s, i)));
          const double x = known[element(s, i)];
          if (std::isnan(x) && std::isnan(out[k])) continue;
          worst = std::max(worst, std::abs(x - out[k]) / std::max(1., std::abs(out[k])));
        }
      CHECK(worst < 1e-12);
    }
  }
}

TEST_CASE("the derivations in docs are what is derived") {
  for (const char* name : {"rrr", "rrr_generic", "planar3r", "rpr"}) {
    CAPTURE(name);
    const Arm arm = catalogue_arm(name);
    const auto text =
        emit_equations(arm, version(), equations(arm, parts, InertiaNames::base), EquationStyle::markdown);
    CHECK((text == whole_file(fmt::format("docs/derivations/{}.md", name))));
  }
}

TEST_CASE("equations that would fill a book are refused") {
  const TermBudget small(1e6);
  CHECK_THROWS_WITH_AS(
      symbolic_model(catalogue_arm("panda"), InertiaNames::base),
      "the equations of this arm have too many terms to be written out\n  hint: without --symbolic the model is "
      "written as a program, whatever the size",
      Error);
}

// The header's lines read "a1, d2: meaning."; the equations are read by the reader of formulas.
TEST_CASE("the header of equations explains every symbol that occurs in them, and no other") {
  ArmDescription moved = catalogue_arm("rrr").description();
  moved.base.xyz = {0.1, 0, 0.2};
  moved.tool.xyz = {0, 0.3, 0.1};
  Random random(4);
  for (const Arm& arm : {catalogue_arm("rrr"), catalogue_arm("rpr"), catalogue_arm("planar3r"), Arm(moved),
                         testing::random_arm(3, random), testing::random_arm(2, random)})
    for (const InertiaNames names : {InertiaNames::base, InertiaNames::links}) {
      std::vector<std::vector<EquationPart>> chosen{parts};
      for (const EquationPart part : parts) chosen.push_back({part});
      for (const auto& some : chosen) {
        const auto groups = equations(arm, some, names);
        if (groups.empty()) continue;
        const std::string text = emit_equations(arm, "test", groups, EquationStyle::text);
        std::set<std::string> explained, occurring;
        std::istringstream lines(text);
        std::string line;
        std::getline(lines, line);  // the title
        while (std::getline(lines, line) && line.starts_with("# ")) {
          std::istringstream words(line.substr(2, line.find(':') - 2));
          for (std::string word; std::getline(words >> std::ws, word, ',');) CHECK(explained.insert(word).second);
        }
        for (const Statement& statement : read_statements(text, "t"))
          for (const std::string& name : names_in(*statement.formula)) occurring.insert(name);
        CAPTURE(text.substr(0, 2000));
        CHECK((explained == occurring));
      }
    }
}
