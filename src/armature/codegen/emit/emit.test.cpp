#include "armature/codegen/emit/emit.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "armature/codegen/derive/derive.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::codegen;
namespace fs = std::filesystem;

namespace {

// All that is a function of the state.
std::vector<Target> emitted_targets(const Arm& arm) {
  std::vector<Target> all = targets_of(arm);
  std::erase(all, Target::inverse_kinematics);
  return all;
}

Module everything(const std::string& name) {
  const Arm arm = catalogue_arm(name);
  Module module{arm.name(), arm.dof(), "test", {}};
  for (const Target target : targets_of(arm)) module.programs.push_back(derive(arm, target, {.effort = 0.02}));
  return module;
}

struct Folder {
  Folder() : path(fs::temp_directory_path() / fmt::format("armature-emit-{}", getpid())) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

bool available(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

// What a program is run with: one state; for inverse kinematics a target in reach, and one out of reach of every branch.
std::vector<std::vector<double>> checks(const Program& p) {
  std::vector<std::vector<double>> all{check_inputs(p)};
  if (p.name != "inverse_kinematics") return all;
  all.push_back(all[0]);
  for (std::size_t k = all[1].size() - 3; k < all[1].size(); ++k) all[1][k] += 100;
  return all;
}

// Runs a script that prints the outputs of all programs for their check inputs, one number per line.
void compare(const Module& module, const fs::path& folder, const std::string& command) {
  const fs::path printed = folder / "printed";
  REQUIRE(std::system(fmt::format("cd '{}' && {} > printed 2> errors", folder.string(), command).c_str()) == 0);
  std::ifstream in(printed);
  for (const Program& program : module.programs) {
    CAPTURE(program.name);
    double worst = 0;
    for (const std::vector<double>& inputs : checks(program))
      for (const double expected : evaluate(program, inputs)) {
        std::string word;
        REQUIRE(static_cast<bool>(in >> word));
        const double value = std::strtod(word.c_str(), nullptr);
        if (std::isnan(expected) || !std::isfinite(value)) {
          CHECK(std::isnan(expected) == std::isnan(value));
          CHECK(!std::isinf(value));
        } else {
          worst = std::max(worst, std::abs(value - expected) / std::max(1., std::abs(expected)));
        }
      }
    CHECK(worst < 1e-12);
  }
}

std::string joined(const double* x, int count, const std::string& separator) {
  std::string s;
  for (int k = 0; k < count; ++k) s += (k ? separator : "") + fmt::format("{}", x[k]);
  return s;
}

}  // namespace

TEST_CASE("generated C runs and is free of warnings") {
  const Folder folder;
  for (const char* name : {"rrr", "rpr", "panda"}) {
    const Module module = everything(name);
    std::ofstream source(folder.path / "check.c");
    source << emit(module, Language::c) << "#include <stdio.h>\nint main(void) {\n";
    for (const Program& p : module.programs)
      for (const std::vector<double>& in : checks(p)) {
        const double* x = in.data();
        std::string arguments;
        source << "  {\n";
        for (const Signal& s : p.inputs) {
          source << fmt::format("    const double {}[] = {{{}}};\n", s.name, joined(x, s.size(), ", "));
          arguments += s.name + ", ";
          x += s.size();
        }
        for (const Signal& s : p.outputs) {
          source << fmt::format("    double out_{}[{}];\n", s.name, s.size());
          arguments += "out_" + s.name + ", ";
        }
        arguments.resize(arguments.size() - 2);
        source << fmt::format("    {}_{}({});\n", identifier(module.arm), p.name, arguments);
        for (const Signal& s : p.outputs)
          source << fmt::format("    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", out_{}[i]);\n", s.size(),
                                s.name);
        source << "  }\n";
      }
    source << "  return 0;\n}\n";
    source.close();
    compare(module, folder.path, "cc -std=c99 -O0 -Wall -Wextra -Werror -pedantic check.c -o check -lm && ./check");
  }
}

TEST_CASE("generated CUDA text is C++ once its qualifiers are defined away") {
  const Folder folder;
  const Module module = everything("ur5");
  std::ofstream source(folder.path / "check.cpp");
  source << "#define __host__\n#define __device__\n#include <cmath>\n#include <cstdio>\n#include \"arm.cuh\"\nint "
            "main() {\n";
  std::ofstream(folder.path / "arm.cuh") << emit(module, Language::cuda);
  const auto call = [&](const Program& p, const std::vector<double>& in) {
    int size = 0;
    for (const Signal& s : p.outputs) size += s.size();
    source << fmt::format("  {{ const double in[] = {{{}}}; double out[{}]; ",
                          joined(in.data(), static_cast<int>(in.size()), ", "), size);
    std::string arguments;
    int offset = 0;
    for (const Signal& s : p.inputs) {
      arguments += fmt::format("in + {}, ", offset);
      offset += s.size();
    }
    offset = 0;
    for (const Signal& s : p.outputs) {
      arguments += fmt::format("out + {}, ", offset);
      offset += s.size();
    }
    arguments.resize(arguments.size() - 2);
    source << fmt::format("{}_{}({}); for (double x : out) std::printf(\"%.17g\\n\", x); }}\n", identifier(module.arm),
                          p.name, arguments);
  };
  for (const Program& p : module.programs)
    for (const std::vector<double>& in : checks(p)) call(p, in);
  source << "}\n";
  source.close();
  compare(module, folder.path, "c++ -std=c++17 -O0 -Wall -Wextra -Werror check.cpp -o check && ./check");
}

TEST_CASE("nvcc compiles generated CUDA text for the host and the device") {
  std::string nvcc = "nvcc";
  if (!available(nvcc + " --version")) nvcc = "/usr/local/cuda/bin/nvcc";
  if (!available(nvcc + " --version")) {
    MESSAGE("skipped: no nvcc");
    return;
  }
  const Folder folder;
  const Arm arm = catalogue_arm("rpr");
  const Program p = derive(arm, Target::inverse_dynamics, {.effort = 0});
  std::ofstream(folder.path / "arm.cuh") << emit({arm.name(), arm.dof(), "test", {p}}, Language::cuda);
  std::ofstream(folder.path / "check.cu")
      << "#include \"arm.cuh\"\n#include <cstdio>\n"
         "__global__ void run(const double* x, double* tau) { rpr_inverse_dynamics(x, x + 3, x + 6, tau); }\n"
         "int main() { const double x[] = {"
      << joined(check_inputs(p).data(), 9, ", ")
      << "}; double tau[3]; rpr_inverse_dynamics(x, x + 3, x + 6, tau);\n"
         "  for (double t : tau) std::printf(\"%.17g\\n\", t); }\n";
  compare({arm.name(), arm.dof(), "test", {p}}, folder.path, nvcc + " -O0 -std=c++17 check.cu -o check && ./check");
}

TEST_CASE("generated Python runs under numpy, for one state and for many") {
  if (!available("/usr/bin/python3 -c 'import numpy'")) {
    MESSAGE("skipped: no numpy");
    return;
  }
  const Folder folder;
  for (const char* name : {"rrr", "rpr", "ur5", "panda"}) {
    const Module module = everything(name);
    std::ofstream(folder.path / "arm.py") << emit(module, Language::python);
    std::ofstream script(folder.path / "check.py");
    script << "import numpy as np\nimport arm\n";
    const auto call = [&](const Program& p, const std::vector<double>& in) {
      const double* x = in.data();
      std::string one, many;
      for (const Signal& s : p.inputs) {
        const std::string a = fmt::format("np.array([{}]){}", joined(x, s.size(), ", "),
                                          s.cols > 1 ? fmt::format(".reshape({}, {})", s.rows, s.cols) : "");
        one += a + ", ";
        many += a + "[..., None] * np.ones(3), ";
        x += s.size();
      }
      script << fmt::format("y = arm.{}({})\nz = arm.{}({})\n", p.name, one, p.name, many);
      script << "y, z = (y, z) if isinstance(y, tuple) else ((y,), (z,))\n"
                "for a, b in zip(y, z):\n    assert np.allclose(a, b[..., 2], rtol=1e-13, atol=1e-13, equal_nan=True)\n"
                "    for v in a.ravel(): print(repr(float(v)))\n";
    };
    for (const Program& p : module.programs)
      for (const std::vector<double>& in : checks(p)) call(p, in);
    script.close();
    compare(module, folder.path, "/usr/bin/python3 check.py");
  }
}

TEST_CASE("generated MATLAB runs under Octave") {
  if (!available("octave-cli --version")) {
    MESSAGE("skipped: no Octave");
    return;
  }
  const Folder folder;
  for (const char* name : {"rrr", "ur5", "panda"}) {
    const Module module = everything(name);
    std::ofstream(folder.path / (identifier(module.arm) + ".m")) << emit(module, Language::matlab);
    std::ofstream script(folder.path / "check.m");
    script << "1;\n";
    const auto call = [&](const Program& p, const std::vector<double>& in) {
      const double* x = in.data();
      std::string arguments, outputs;
      for (const Signal& s : p.inputs) {
        const std::string a = fmt::format("[{}]", joined(x, s.size(), "; "));
        arguments += s.cols > 1 ? fmt::format(", reshape({}, {}, {})'", a, s.cols, s.rows) : ", " + a;
        x += s.size();
      }
      for (const Signal& s : p.outputs) outputs += "out_" + s.name + ", ";
      outputs.resize(outputs.size() - 2);
      script << fmt::format("[{}] = {}('{}'{});\n", outputs, identifier(module.arm), p.name, arguments);
      for (const Signal& s : p.outputs) script << fmt::format("printf('%.17g\\n', out_{}');\n", s.name);
    };
    for (const Program& p : module.programs)
      for (const std::vector<double>& in : checks(p)) call(p, in);
    script.close();
    compare(module, folder.path, "octave-cli --norc check.m");
  }
}

// The compiler's own answer: what the machine code calls, and whether it ever jumps.
TEST_CASE("generated code branches nowhere, allocates nothing and throws nothing") {
  if (!available("nm --version") || !available("objdump --version")) {
    MESSAGE("skipped: no binutils");
    return;
  }
  const Folder folder;
  const auto lines_of = [&](const std::string& command) {
    REQUIRE(std::system(fmt::format("cd '{}' && {} > lines", folder.path.string(), command).c_str()) == 0);
    std::ifstream in(folder.path / "lines");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  };
  for (const char* name : {"rrr", "ur5", "panda"}) {
    std::ofstream(folder.path / "arm.c") << emit(everything(name), Language::c);
    // without errno, which no program asks for, a square root is an instruction
    (void)lines_of("cc -std=c99 -O2 -Dstatic= -Dinline= -fno-math-errno -ffp-contract=off -c arm.c -o arm.o");
    for (const std::string& line : lines_of("nm -u arm.o")) {
      CAPTURE(line);
      const std::string symbol = line.substr(line.find_last_of(' ') + 1);
      CHECK((symbol == "sin" || symbol == "cos" || symbol == "sincos" || symbol == "atan2" || symbol == "sqrt" ||
             symbol == "_GLOBAL_OFFSET_TABLE_"));
    }
    std::size_t instructions = 0;
    for (const std::string& line : lines_of("objdump -d --no-show-raw-insn arm.o")) {
      const auto tab = line.find('\t');
      if (tab == std::string::npos) continue;
      ++instructions;
      CAPTURE(line);
      CHECK((line[tab + 1] != 'j' || line.substr(tab + 1, 4) == "jmp "));  // a jump may stand for a last call
    }
    CHECK(instructions > 500);
  }
}

TEST_CASE("the text holds as many operators as it says") {
  for (const char* name : {"rrr_generic", "rpr", "ur5"}) {
    const Arm arm = catalogue_arm(name);
    for (const Target target : emitted_targets(arm)) {
      const Program p = derive(arm, target, {.effort = 0.02});
      const std::string text = emit({arm.name(), arm.dof(), "test", {p}}, Language::c);
      std::istringstream lines(text.substr(text.find(") {\n") + 4));
      Operations n;
      for (std::string line; std::getline(lines, line);) {
        for (std::size_t i = 0; i < line.size(); ++i) {
          const bool spaced = i > 0 && line[i - 1] == ' ' && line.compare(i + 1, 1, " ") == 0;  // a sign is not spaced
          if (!spaced) continue;
          n.add += line[i] == '+' || line[i] == '-';
          n.mul += line[i] == '*';
          n.div += line[i] == '/';
        }
        for (const char* f : {"sin(", "cos(", "sqrt(", "atan2(", "exp(", "tanh(", "fabs("})
          for (std::size_t at = line.find(f); at != std::string::npos; at = line.find(f, at + 1)) ++n.functions;
      }
      const Operations said = count(p.net);
      CAPTURE(name);
      CAPTURE(p.name);
      CHECK(n.add == said.add);
      CHECK(n.mul == said.mul);
      CHECK(n.div == said.div);
      CHECK(n.functions == said.functions);
    }
  }
}

TEST_CASE("the same arm gives the same text") {
  for (const char* name : {"rrr", "ur5"})
    CHECK(emit(everything(name), Language::cpp) == emit(everything(name), Language::cpp));
}

#if !defined(__SANITIZE_ADDRESS__)  // which would be timed instead
namespace {

// Seconds of processor time to derive one target and write it as C++.
double seconds_for(const Arm& arm, Target target) {
  const std::clock_t start = std::clock();
  const Program p = derive(arm, target);
  CHECK(emit({arm.name(), arm.dof(), "test", {p}}, Language::cpp).size() > 1000);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("each function of a seven-joint arm is derived within ten seconds") {
  const Arm panda = catalogue_arm("panda");
  for (const Target target : targets_of(panda)) {
    CAPTURE(word_for(target));
    CHECK(seconds_for(panda, target) < 10);
  }
}

TEST_CASE("all functions of an arm of sixteen joints are derived within a minute") {
  Random random(16);
  const Arm arm = testing::random_arm(16, random);
  double all = 0;
  for (const Target target : targets_of(arm)) all += seconds_for(arm, target);
  CHECK(all < 60);
}
#endif
