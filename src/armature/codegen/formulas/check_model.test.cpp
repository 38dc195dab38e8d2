#include "armature/codegen/formulas/check_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>

#include "armature/codegen/formulas/internal/formula_edits.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::codegen;

namespace {

std::string printed(const std::string& name) {
  std::ifstream in(std::string(testing::source_folder) + "/studies/printed/" + name + ".model");
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

ModelCheck check(const std::string& arm, const std::string& text) {
  return check_model(catalogue_arm(arm), read_statements(text, "file"), "file");
}

using Lines = std::set<std::string>;  // first names of lines
Lines wrong_lines(const ModelCheck& result) {
  Lines names;
  for (const auto& b : result.blames) names.insert(b.names[0]);
  return names;
}

const ModelCheck::Blame& line(const ModelCheck& result, const std::string& name) {
  const auto it =
      std::find_if(result.blames.begin(), result.blames.end(), [&](const auto& b) { return b.names[0] == name; });
  REQUIRE((it != result.blames.end()));
  return *it;
}

// The file with one line's formula replaced.
std::string with(const std::string& text, int line_number, const std::string& line_text) {
  std::istringstream in(text);
  std::string result, one;
  for (int k = 1; std::getline(in, one); ++k) result += (k == line_number ? line_text : one) + "\n";
  return result;
}

std::string joined(const std::vector<std::string>& names) {
  std::string s;
  for (const std::string& n : names) s += n + " = ";
  return s;
}

// The file with every repair made that was found.
std::string repaired(std::string text, const ModelCheck& result) {
  for (const auto& b : result.blames)
    if (!b.repair.empty()) text = with(text, b.line, joined(b.names) + b.repaired);
  return text;
}

}  // namespace

TEST_CASE("the misprints of the printed models are found, and no others") {
  struct Case {
    const char *file, *arm;
    Lines wrong, without_repair;
  };
  const Case cases[] = {
      {"kostic2002_dynamics", "rrr_generic", {"r1_1"}, {}},
      {"kostic2004_dynamics", "rrr_generic", {"p8", "r3_4"}, {}},
      {"kostic2002_inverse_kinematics", "rrr_generic", {"q1", "pwh", "q2", "q3"}, {"q1"}},
      {"kostic2004_inverse_kinematics", "rrr_generic", {"q1", "pwh", "q2", "q3"}, {"q1"}},
      {"tum2019", "planar3r", {"zeta1", "M12", "C11", "h4", "G11", "G12"}, {}},
      {"verona2023_kinematics", "rpr", {"J31"}, {}},
      {"verona2023_inverse_kinematics", "rpr", {"c3", "q2", "s1"}, {"s1"}},
      {"verona2023_analytical_jacobian", "rpr", {}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.file);
    const std::string text = printed(c.file);
    const ModelCheck result = check(c.arm, text);
    CHECK(wrong_lines(result) == c.wrong);
    CHECK(result.equal() == c.wrong.empty());
    Lines without_repair;
    for (const auto& b : result.blames)
      if (b.repair.empty()) without_repair.insert(b.names[0]);
    CHECK(without_repair == c.without_repair);
    CHECK(wrong_lines(check(c.arm, repaired(text, result))) == c.without_repair);
  }
}

TEST_CASE("a misprint is repaired as the formula should have been") {
  CHECK(line(check("rrr_generic", printed("kostic2002_dynamics")), "r1_1").repair == "qd1 -> qdd1");
  const ModelCheck k = check("rrr_generic", printed("kostic2004_dynamics"));
  CHECK(line(k, "p8").repair == "Iyz2 -> Iyz3");
  CHECK(line(k, "r3_4").repair == "qd2 -> qdd2");
  const ModelCheck t = check("planar3r", printed("tum2019"));
  CHECK(line(t, "zeta1").repair == "l2 -> l1");
  CHECK(line(t, "h4").repair == "zeta8 -> zeta6");
  CHECK(line(t, "M12").repair == "a plus between 'zeta8' and '(zeta3 + zeta7)*cos(q2)'");
  CHECK(line(t, "G11").repair == "a plus between 'm2*lc2' and 'm3*l2'");
  CHECK(line(t, "C11").repaired == "h6*qd3 + h5*qd2");
  CHECK(line(check("rpr", printed("verona2023_kinematics")), "J31").repair ==
        "plus before 'a4*cos(theta2)*cos(theta1)'");
}

TEST_CASE("a sine of the RPR arm's inverse kinematics that no single edit repairs is right once rewritten") {
  const std::string text = printed("verona2023_inverse_kinematics");
  const ModelCheck before = check("rpr", text);
  const std::string after =
      with(repaired(text, before), line(before, "s1").line, "s1 = (r*(Pz - a1) - Py*(a3 + d1))/(r^2 + (a3 + d1)^2)");
  CHECK(check("rpr", after).equal());
}

TEST_CASE("a slip put into any line of a right model is blamed on that line") {
  const struct { const char *file, *arm; } models[] = {{"tum2019", "planar3r"}, {"kostic2004_dynamics", "rrr_generic"}};
  Random random(4);
  int tried = 0, found = 0;
  for (const auto& m : models) {
    const std::string text = repaired(printed(m.file), check(m.arm, printed(m.file)));
    REQUIRE(check(m.arm, text).equal());
    const std::vector<Statement> statements = read_statements(text, "file");
    for (int k = 0; k < 40; ++k) {
      std::vector<Statement> spoiled = statements;
      Statement& s = spoiled[random.bits() % spoiled.size()];
      if (s.kind != Statement::Kind::definition) continue;
      const std::vector<Edit> edits = single_edits(s.formula, {}, false);  // signs, factors, exponents, terms left out
      if (edits.empty()) continue;
      const Edit& edit = edits[random.bits() % edits.size()];
      s.formula = edit.formula;
      const ModelCheck result = check_model(catalogue_arm(m.arm), spoiled, "file");
      if (result.equal()) continue;  // 2 sin(2 q) cos(2 q) and the like may be the same
      ++tried;
      CAPTURE(s.names[0]);
      CAPTURE(edit.what);
      const Lines wrong = wrong_lines(result);
      CHECK(wrong.size() == 1);
      // of several lines that only one entry is made of, that entry may be blamed as well
      Lines fair = {s.names[0]};
      if (s.names[0] == "zeta1" || s.names[0] == "zeta4") fair.insert("M11");
      for (const auto& b : result.blames)
        found += fair.contains(b.names[0]) || std::count(b.or_else.begin(), b.or_else.end(), s.names[0]) > 0;
    }
  }
  CHECK(tried >= 50);
  CHECK(found == tried);
}

TEST_CASE("a line beyond repair is blamed, not what uses it") {
  std::string text = repaired(printed("tum2019"), check("planar3r", printed("tum2019")));
  text.replace(text.find("h4 = "), std::string("h4 = -zeta6*sin(q3)").size(), "h4 = 3*cos(q1 + q3) + 7*m1");
  CHECK(wrong_lines(check("planar3r", text)) == Lines{"h4"});
  std::string regressor =
      repaired(printed("kostic2004_dynamics"), check("rrr_generic", printed("kostic2004_dynamics")));
  const auto r = regressor.find("r2_4 = ");
  regressor.replace(r, regressor.find('\n', r) - r, "r2_4 = 3*cos(q1 + q3) + 7*qd1");
  CHECK(wrong_lines(check("rrr_generic", regressor)) == Lines{"r2_4"});
  std::string parameter =
      repaired(printed("kostic2004_dynamics"), check("rrr_generic", printed("kostic2004_dynamics")));
  const auto p = parameter.find("p5 = ");
  parameter.replace(p, parameter.find('\n', p) - p, "p5 = m1*a2^3 + 4*Ixx1");
  CHECK(wrong_lines(check("rrr_generic", parameter)) == Lines{"p5"});
}

TEST_CASE("base parameters and regressors alone are compared by what they span") {
  const std::string all =
      repaired(printed("kostic2004_dynamics"), check("rrr_generic", printed("kostic2004_dynamics")));
  std::string p, r;
  std::istringstream in(all);
  for (std::string one; std::getline(in, one);) {
    if (one.starts_with("given") || one.starts_with("p")) p += one + "\n";
    if (one.starts_with("given") || one.starts_with("r")) r += one + "\n";
  }
  CHECK(check("rrr_generic", p).equal());
  CHECK(check("rrr_generic", r).equal());
  CHECK_FALSE(check("rrr_generic", p + "p16 = m1*Ixx1\n").equal());  // not linear
  std::string fewer = p;
  fewer.erase(fewer.find("p7 = "), fewer.find('\n', fewer.find("p7 = ")) - fewer.find("p7 = "));
  CHECK_FALSE(check("rrr_generic", fewer).equal());
  std::string wrong = r;
  wrong.replace(wrong.find("r1_7 = qdd1"), 11, "r1_7 = qd1 ");
  CHECK_FALSE(check("rrr_generic", wrong).equal());
}

TEST_CASE(
    "a Coriolis matrix that is not of Christoffel form and gives the right torques is told apart from a wrong one") {
  std::string text = repaired(printed("tum2019"), check("planar3r", printed("tum2019")));
  const auto replace = [&](const std::string& line_start, const std::string& by) {
    const auto at = text.find("\n" + line_start) + 1;
    text.replace(at, text.find('\n', at) - at, by);
  };
  replace("C11 = ", "C11 = h5*qd2 + h6*qd3 + 3*qd2");
  replace("C12 = ", "C12 = h5*(qd1 + qd2) + h6*qd3 - 3*qd1");
  const ModelCheck other = check("planar3r", text);
  CHECK_FALSE(other.equal());
  CHECK(
      std::count(
          other.notes.begin(), other.notes.end(),
          "row 1 of C gives the right torques C qd, though not by Christoffel symbols: dM/dt - 2C need not be skew") ==
      1);
  replace("C12 = ", "C12 = h5*(qd1 + qd2) + h6*qd3 - 2*qd1");
  CHECK(check("planar3r", text).notes.empty());
}

TEST_CASE("mistakes in a model file are told with place and hint") {
  const auto says = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH_AS(check("planar3r", text), message.c_str(), FormatError);
  };
  says("M11 = 2*q1 +\n",
       "file:2:1: expected a value, found the end of the file\n  hint: a number, a name, a function call "
       "or a bracket may stand here");
  says("M11 = (q1 + 2\n",
       "file:2:1: expected ')', found the end of the file\n  hint: a bracket was opened and not closed");
  says("M11 = 2q1\n", "file:1:8: '2' is followed by a letter\n  hint: a product is written with *: 2*q1");
  says("M11 = a1 q1\n", "file:1:10: expected an operator, found 'q1'\n  hint: a product is written with *");
  says("M11 = sine(q1)\n", "file:1:7: 'sine' is no function\n  hint: a product is written with *; did you mean 'sin'?");
  says("M11 = atan2(q1)\n", "file:1:7: 'atan2' takes 2 arguments, 1 given\n  hint: atan2(y, x)");
  says("M11 = sin\n", "file:1:7: the function 'sin' has no argument\n  hint: as in sin(q1)");
  says("\n  M11 = zeta\n",
       "file:2:9: 'zeta' is defined nowhere\n  hint: define it, or say with  given NAME = FORMULA  what "
       "it means in our names");
  says("M11 = qdd9\n", "file:1:7: 'qdd9' is defined nowhere\n  hint: did you mean 'qdd1'?");
  says("M11 = 1\nM11 = 2\n", "file:2:1: 'M11' is defined a second time\n  hint: the first time is line 1");
  says("u = v\nv = u\nM11 = u\n",
       "file:1:1: the definition of 'u' leads back to itself\n  hint: every name must rest on earlier ones");
  says("a1 = 3\nM11 = a1\n",
       "file:1:1: 'a1' is a number of the arm or its motion and cannot be defined\n  hint: give it "
       "another name, or say  given a1 = ...  for what it means in our names");
  says("u = 3\n",
       "file: nothing in the file can be compared\n  hint: known are M11 C11 g1 tau1 H14 x y z J11 q1, r1_1 with "
       "p1, and what  means NAME = FORMULA  explains");
  says("# nothing\n", "file: the file defines nothing\n  hint: a line reads  M12 = formula");
  says("M11 = 1 $ 2\n",
       "file:1:9: the character '$' means nothing here\n  hint: letters, digits, + - * / ^ = ( ) [ ] , ± "
       "and # for comments");
  says("M11 = " + std::string(70, '(') + "1" + std::string(70, ')') + "\n",
       "file:1:71: brackets are nested more than 64 deep\n  hint: give inner parts names of their "
       "own");
  says("M11 = " + std::string(5000, '-') + "1\n",
       "file:1:135: brackets are nested more than 64 deep\n  hint: give inner parts names of their "
       "own");
  says("r4_1 = 1\np1 = m1\n", "file:1:1: 'r4_1' is in a row that 3 joints do not have\n  hint: rows count from 1");
  says("sin = 3\n", "file:1:1: 'sin' is a function and cannot be defined\n  hint: choose another name");
}

TEST_CASE("lines go on where a bracket is open or an operator stands last") {
  const auto statements = read_statements("a = 1 +\n  2  # three\nb = c = f0*(\n x1\n + x2)\n", "file");
  REQUIRE(statements.size() == 2);
  CHECK(text(*statements[0].formula) == "1 + 2");
  CHECK(statements[1].names == std::vector<std::string>{"b", "c"});
  CHECK(text(*statements[1].formula) == "f0*(x1 + x2)");
}

TEST_CASE("however deep a formula is that is read, it reads back when it is printed") {
  int read = 0;
  for (const char* piece : {"-", "±", "a^", "a*-", "-(", "sin("})
    for (int depth = 1; depth < 140; ++depth) {
      std::string written;
      for (int i = 0; i < depth; ++i) written += piece;
      written += "a";
      if (written.find('(') != std::string::npos) written.append(static_cast<std::size_t>(depth), ')');
      FormulaPtr f;
      try {
        f = read_formula(written);
      } catch (const FormatError&) {
        continue;
      }
      ++read;
      CAPTURE(written);
      CHECK(text(*read_formula(text(*f))) == text(*f));
    }
  CHECK(read > 250);
}

TEST_CASE("a formula that is printed reads back as itself") {
  for (const char* written : {"a - (b - c)", "a/(b/c)", "(a/b)/c", "-a^2", "(-a)^2", "a*(b/c)", "2^-3", "±sqrt(a) - b",
                              "atan2(-a, b*(c + d))", "a - b*c + d", "-(a + b)*c", "1e-07*a"}) {
    const FormulaPtr f = read_formula(written), g = read_formula(text(*f));
    const double values[] = {0.7, -1.3, 2.1, 0.4};
    const auto slot = [](const Formula& name) { return name.name[0] - 'a'; };
    for (unsigned choice = 0; choice < 2; ++choice)
      CHECK(CompiledFormula(*f, slot)(values, choice) == doctest::Approx(CompiledFormula(*g, slot)(values, choice)));
  }
}

TEST_CASE("a line of any length is judged soon; repairs are searched where that ends soon") {
  const auto judged = [](int terms) {
    std::string text = "M11 = q1*0";
    for (int k = 1; k < terms; ++k) text += fmt::format("+q1*{}", k);
    const std::clock_t start = std::clock();
    const ModelCheck check = check_model(catalogue_arm("planar3r"), read_statements(text, "t"), "t");
    CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 10);
    REQUIRE(check.blames.size() == 1);
    return check.blames[0];
  };
  CHECK(!judged(40).too_long);
  CHECK(judged(800).too_long);
  CHECK(judged(20000).too_long);
}

TEST_CASE("a file of endless definitions is refused, a long chain of them is followed") {
  std::string text = "w0 = q1\n";
  for (int k = 1; k < 3000; ++k) text += fmt::format("w{} = w{}\n", k, k - 1);
  const std::clock_t start = std::clock();
  CHECK_FALSE(check_model(catalogue_arm("planar3r"), read_statements(text + "M11 = w2999\n", "t"), "t").equal());
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 20);
  for (int k = 3000; k < 40000; ++k) text += fmt::format("w{} = w{}\n", k, k - 1);
  CHECK_THROWS_WITH_AS((void)check_model(catalogue_arm("planar3r"), read_statements(text, "t"), "t"),
                       doctest::Contains("t:4001: more than 4000 definitions"), FormatError);
}
