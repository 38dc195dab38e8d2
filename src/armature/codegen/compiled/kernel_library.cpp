#include "armature/codegen/compiled/kernel_library.hpp"

#include <fmt/core.h>

#include <array>

#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/core/error.hpp"

namespace armature::codegen {
namespace {

constexpr std::array<Target, 5> kernel_targets{Target::inverse_dynamics, Target::forward_dynamics, Target::mass_matrix,
                                               Target::coriolis, Target::gravity};
constexpr const char* format_word = "armature kernels 1";  // changes with the functions' arguments

// The same functions for eight states: every number of an array is followed by those of the seven other states.
std::string eight_states_at_once(const Module& module) {
  std::string text = "\n#if defined(__GNUC__)\nextern \"C\" {\n";
  for (const Program& p : module.programs) {
    std::string parameters, body, arguments;
    const auto add = [&](const Signal& s, const char* type) {
      parameters += fmt::format("{} {}, ", type, s.name);
      arguments += fmt::format("eight_{}, ", s.name);
      body += fmt::format("  armature_turns::Eight eight_{}[{}];\n", s.name, s.size());
    };
    const auto loop = [](const Signal& s, const char* statement) {
      return fmt::format("  for (int i = 0; i < {}; ++i) {};\n", s.size(),
                         fmt::format(fmt::runtime(statement), s.name));
    };
    for (const Signal& s : p.inputs) {
      add(s, "const double*");
      body += loop(s, "eight_{0}[i] = armature_turns::Eight::load({0} + 8 * i)");
    }
    for (const Signal& s : p.outputs) add(s, "double*");
    parameters.resize(parameters.size() - 2);
    arguments.resize(arguments.size() - 2);
    body += fmt::format("  {}::{}<armature_turns::Eight>({});\n", identifier(module.arm), p.name, arguments);
    for (const Signal& s : p.outputs) body += loop(s, "eight_{0}[i].store({0} + 8 * i)");
    text += fmt::format("void armature_{0}_eight({1});\nvoid armature_{0}_eight({1}) {{\n{2}}}\n", p.name, parameters,
                        body);
  }
  return text + "}\n#endif\n";
}

struct Loaded {
  // a name without a slash would be looked for in the system's folders
  explicit Loaded(const std::string& file)
      : path(file), library(file.find('/') == std::string::npos ? "./" + file : file) {}
  std::string path;
  SharedObject library;
  Kernels kernels;
};

}  // namespace

std::string kernel_source(const Arm& arm, const std::string& version, const std::string& tag,
                          const DeriveSettings& settings) {
  Module module{tag.empty() ? "generated" : "generated_" + tag, arm.dof(), version, {}};
  for (const Target target : kernel_targets) module.programs.push_back(derive(arm, target, settings));
  std::string text = emit(module, Language::cpp);
  text.erase(text.find("#pragma once"), 12);  // a warning in a main file
  const std::string prefix = tag.empty() ? "armature_" : fmt::format("armature_{}_", tag);
  text += "\nextern \"C\" {\n";
  text += fmt::format("extern const char {0}kernels[];\nconst char {0}kernels[] = \"{1}\";\n", prefix, format_word);
  text +=
      fmt::format("extern const unsigned long long {0}checksum;\nconst unsigned long long {0}checksum = {1:#x}ull;\n",
                  prefix, checksum(arm));
  for (const Program& p : module.programs) {
    std::string parameters, arguments;
    for (const Signal& s : p.inputs) {
      parameters += "const double* " + s.name + ", ";
      arguments += s.name + ", ";
    }
    for (const Signal& s : p.outputs) {
      parameters += "double* " + s.name + ", ";
      arguments += s.name + ", ";
    }
    parameters.resize(parameters.size() - 2);
    arguments.resize(arguments.size() - 2);
    text += fmt::format("void {0}{1}({2});\nvoid {0}{1}({2}) {{ {3}::{1}<double>({4}); }}\n", prefix, p.name,
                        parameters, identifier(module.arm), arguments);
  }
  text += "}\n";
  return tag.empty() ? text + eight_states_at_once(module) : text;
}

std::shared_ptr<const Kernels> load_kernels(const std::string& path) {
  auto loaded = std::make_shared<Loaded>(path);
  const auto* format = static_cast<const char*>(loaded->library.find("armature_kernels"));
  const auto* sum = static_cast<const unsigned long long*>(loaded->library.find("armature_checksum"));
  if (!format || !sum)
    throw Error(fmt::format("'{}' holds no functions of an arm", path), "derive ARM --build -o FILE writes one");
  if (std::string_view(format) != format_word)
    throw Error(fmt::format("'{}' was written by another version of this program", path),
                "derive it again with --build");
  Kernels& k = loaded->kernels;
  k.arm = *sum;
  k.source = loaded->path.c_str();
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(loaded->library.find(name));
    if (!function) throw Error(fmt::format("'{}' lacks the function {}", path, name), "derive it again with --build");
  };
  find("armature_inverse_dynamics", k.inverse_dynamics);
  find("armature_forward_dynamics", k.forward_dynamics);
  find("armature_mass_matrix", k.mass_matrix);
  find("armature_coriolis", k.coriolis);
  find("armature_gravity", k.gravity);
  return {loaded, &loaded->kernels};
}

}  // namespace armature::codegen
