// Names in generated programs: whatever an arm is called, the program is the same and its name stands in a comment.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "armature/codegen/derive/derive.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/codegen/equations/equations.hpp"
#include "armature/core/characters.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/hostile_names.hpp"

using namespace armature;
using namespace armature::codegen;
namespace fs = std::filesystem;

namespace {

struct NamesFolder {
  NamesFolder() : path(fs::temp_directory_path() / fmt::format("armature-names-{}", getpid())) {
    fs::create_directories(path);
  }
  ~NamesFolder() { fs::remove_all(path); }
  [[nodiscard]] bool succeeds(const std::string& command) const {
    return std::system(fmt::format("cd '{}' && {} > printed 2> errors", path.string(), command).c_str()) == 0;
  }
  [[nodiscard]] std::string content(const char* file) const {
    std::ostringstream text;
    text << std::ifstream(path / file).rdbuf();
    return text.str();
  }
  fs::path path;
};

const Program& small_program() {
  static const Program program = derive(catalogue_arm("rpr"), Target::gravity, {.effort = 0});
  return program;
}
Module module_called(const std::string& name) { return {name, 3, "test", {small_program()}}; }

// The lines that are no comment; in a comment-free language of one mark there is nothing else a name can touch.
std::vector<std::string> code_lines(const std::string& text, const std::string& mark) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, mark.size(), mark) != 0) lines.push_back(line);
  }
  return lines;
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size())
    text.replace(i, from.size(), to);
  return text;
}

constexpr const char* neutral = "somebody";
constexpr std::size_t many = 1000;

}  // namespace

TEST_CASE("whatever an arm is called, generated code differs in comments and in one identifier only") {
  const std::vector<std::string> names = testing::hostile_names(many);
  for (const auto& [language, mark] : {std::pair{Language::cpp, "//"},
                                       {Language::c, "//"},
                                       {Language::cuda, "//"},
                                       {Language::matlab, "%"},
                                       {Language::latex, "%"}}) {
    const std::vector<std::string> expected = code_lines(emit(module_called(neutral), language), mark);
    REQUIRE(expected.size() > 5);
    for (const std::string& name : names) {
      const std::string text = emit(module_called(name), language), id = identifier(name);
      std::vector<std::string> lines = code_lines(text, mark);
      for (std::string& line : lines) {
        line = replaced(line, "struct " + id + " {", fmt::format("struct {} {{", neutral));
        line = replaced(line, id + "_gravity(", fmt::format("{}_gravity(", neutral));
      }
      CAPTURE(visible(name));
      CHECK((lines == expected));
      CHECK((visible(text, "\n") == text));  // nothing in it acts on a terminal
    }
  }
}

TEST_CASE("identifiers are words that belong to nobody") {
  std::vector<std::string> names = testing::hostile_names(many);
  for (const std::string& name : names) {
    const std::string id = identifier(name);
    CAPTURE(id);
    CHECK(id.size() <= 32);
    CHECK(id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos);
    CHECK(((id[0] >= 'a' && id[0] <= 'z') || (id[0] >= 'A' && id[0] <= 'Z')));
    CHECK(id.find("__") == std::string::npos);
  }
  CHECK(identifier("rrr") == "rrr");
  CHECK(identifier("UR5_e") == "UR5_e");
  CHECK(identifier("my arm") == "my_arm");
  CHECK(identifier("class") == "arm_class");
  CHECK(identifier("7dof") == "arm_7dof");
}

// Every word that the compiler meets in <cmath> is tried as a name beside those of the list: types, macros, keywords.
TEST_CASE("a compiler accepts a thousand arms of any name, as C++, C and CUDA") {
  const NamesFolder folder;
  std::vector<std::string> names = testing::hostile_names(many);
  std::ofstream(folder.path / "words.cpp") << "#include <cmath>\n";
  REQUIRE(
      folder.succeeds("{ g++ -std=gnu++17 -E words.cpp; g++ -std=gnu++17 -dM -E words.cpp | cut -d' ' -f2; } "
                      "| grep -v '^#' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u"));
  std::istringstream words(folder.content("printed"));
  for (std::string word; words >> word;)
    if (word[0] != '_') names.push_back(word);
  REQUIRE(names.size() > many + 500);

  std::ofstream cpp(folder.path / "cpp.cpp"), c(folder.path / "c.c"), cuda(folder.path / "cuda.cpp");
  cuda << "#define __host__\n#define __device__\n#include <cmath>\n";
  std::set<std::string> seen;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool fresh = seen.insert(identifier(names[k])).second;
    if (!fresh && k >= many) continue;
    const Module module = module_called(names[k]);
    const auto renamed = [&](std::string text, const std::string& what) {  // two arms may come to the same identifier
      if (fresh) return text;
      const std::string from = fmt::format(fmt::runtime(what), identifier(names[k])),
                        to = fmt::format(fmt::runtime(what), fmt::format("again_{}", k));
      return replaced(std::move(text), from, to);
    };
    cpp << replaced(renamed(emit(module, Language::cpp), "struct {} {{"), "#pragma once\n", "");
    c << renamed(emit(module, Language::c), "void {}_gravity(");
    cuda << replaced(renamed(emit(module, Language::cuda), "void {}_gravity("), "#pragma once\n", "");
  }
  cpp.close();
  c.close();
  cuda.close();
  for (const std::string command :
       {"g++ -std=gnu++17 -trigraphs -fsyntax-only -w cpp.cpp", "cc -std=c99 -trigraphs -fsyntax-only -w c.c",
        "g++ -std=gnu++17 -fsyntax-only -w cuda.cpp"}) {
    CAPTURE(command);
    const bool accepted = folder.succeeds(command);
    CHECK_MESSAGE(accepted, folder.content("errors").substr(0, 2000));
  }
}

TEST_CASE("Python imports a thousand arms of any name and runs nothing of it") {
  const NamesFolder folder;
  const std::vector<std::string> names = testing::hostile_names(many);
  std::ofstream(folder.path / "neutral.py") << emit(module_called(neutral), Language::python);
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::ofstream(folder.path / fmt::format("{}.py", k)) << emit(module_called(names[k]), Language::python);
    std::ofstream(folder.path / fmt::format("{}.name", k)) << visible(names[k]);
  }
  std::ofstream(folder.path / "check.py") << R"(import ast, sys, types
sys.modules["numpy"] = types.ModuleType("numpy")
def body(tree): return [ast.dump(x) for x in tree.body[1:]]
expected = body(ast.parse(open("neutral.py", encoding="utf-8").read()))
assert len(expected) > 2
for k in range(int(sys.argv[1])):
    text, name = (open(f"{k}.{end}", "rb").read() for end in ("py", "name"))
    tree = ast.parse(text)
    assert body(tree) == expected, name
    assert f"Arm '{name.decode()}'," in ast.get_docstring(tree, clean=False), name
    exec(compile(tree, f"{k}.py", "exec"), {})
)";
  CHECK_MESSAGE(folder.succeeds(fmt::format("python3 -W error check.py {}", names.size())), folder.content("errors"));
}

TEST_CASE("Octave runs arms of any name") {
  if (std::system("octave-cli --version > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: no Octave");
    return;
  }
  const NamesFolder folder;
  std::ofstream script(folder.path / "check.m");
  script << "1;\n";
  std::string expected;
  std::set<std::string> seen;
  for (const std::string& name : testing::hostile_names(many)) {
    const std::string text = emit(module_called(name), Language::matlab), id = identifier(name);
    if (seen.insert(id).second) {
      script << text << fmt::format("printf('%.12g\\n', {}_gravity([0.3; 0.2; -0.4])(1));\n", id);
      expected += fmt::format("{:.12g}\n", evaluate(small_program(), {0.3, 0.2, -0.4})[0]);
    }
  }
  script.close();
  CHECK_MESSAGE(folder.succeeds("octave-cli --norc check.m"), folder.content("errors").substr(0, 2000));
  CHECK(folder.content("printed") == expected);
}

TEST_CASE("equations name arm and joints in comments only") {
  ArmDescription description = catalogue_arm("rpr").description();
  const auto groups = equations(Arm(description), {EquationPart::gravity}, InertiaNames::base);
  const auto emitted = [&](const std::string& name, EquationStyle style) {
    description.name = description.joints[1].name = name;
    return emit_equations(Arm(description), "test", groups, style);
  };
  const std::size_t lines = code_lines(emitted(neutral, EquationStyle::markdown), "\n").size();
  for (const std::string& name : testing::hostile_names_in_order(many)) {
    CAPTURE(name);
    for (const auto& [style, mark] : {std::pair{EquationStyle::text, "#"}, {EquationStyle::latex, "%"}})
      CHECK((code_lines(emitted(name, style), mark) == code_lines(emitted(neutral, style), mark)));
    const std::string page = emitted(name, EquationStyle::markdown);
    CHECK(page.find_first_of("<>") == std::string::npos);  // no element, no address
    CHECK(page.find("](") == std::string::npos);
    CHECK((code_lines(page, "\n").size() == lines));
  }
}
