#include "generated.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "armature/codegen/emit/emit.hpp"

namespace armature::bench {
namespace {

constexpr Target timed[] = {Target::inverse_dynamics,
                            Target::forward_dynamics,
                            Target::mass_matrix,
                            Target::jacobian,
                            Target::inverse_dynamics_derivatives,
                            Target::forward_dynamics_derivatives};

std::size_t size_of(const std::vector<Signal>& signals) {
  int size = 0;
  for (const Signal& s : signals) size += s.size();
  return static_cast<std::size_t>(size);
}

// extern "C" functions of one form around the arm's templates.
std::string doors(const Module& module) {
  const std::string arm = identifier(module.arm);
  const char* parameters = "const double* a, const double* b, const double* c, double* out";
  std::string text = "using armature_turns::Eight;\nextern \"C\" {\n";
  for (const Program& p : module.programs) {
    std::string one, eight;
    for (std::size_t k = 0; k < p.inputs.size(); ++k) {
      one += fmt::format("{}, ", "abc"[k]);
      eight += fmt::format("(const Eight*){}, ", "abc"[k]);
    }
    int offset = 0;
    for (const Signal& s : p.outputs) {
      one += fmt::format("out + {}, ", offset);
      eight += fmt::format("(Eight*)out + {}, ", offset);
      offset += s.size();
    }
    one.resize(one.size() - 2);
    eight.resize(eight.size() - 2);
    text += fmt::format("void one_{0}({1}) {{\n  (void)b, (void)c;\n  {2}::{0}<double>({3});\n}}\n", p.name, parameters,
                        arm, one);
    text += fmt::format("void eight_{0}({1}) {{\n  (void)b, (void)c;\n  {2}::{0}<Eight>({3});\n}}\n", p.name,
                        parameters, arm, eight);
  }
  return text + "}\n";
}

std::string folder() {
  const char* set = std::getenv("TMPDIR");
  return set ? set : "/tmp";
}

}  // namespace

Generated::Generated(const Arm& arm) {
  Module module{"generated", arm.dof(), "bench", {}};
  for (const Target target : timed) {
    const Program& p = module.programs.emplace_back(derive(arm, target));
    programs_[target] = {p.name, count(p.net).total(), size_of(p.outputs)};
  }
  const std::string path = fmt::format("{}/armature-bench-{}.so", folder(), arm.name());
  std::ofstream(path, std::ios::binary) << compile_shared_object(emit(module, Language::cpp) + doors(module));
  library_ = std::make_unique<SharedObject>(path);
  std::remove(path.c_str());
}

}  // namespace armature::bench
