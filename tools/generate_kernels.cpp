// armature_generate ARM.yaml TAG MAKERS.txt OUT.cpp: the dynamics of an arm as C++, for the library itself.
// Leaves OUT.cpp alone where it was made from the same equations by the same sources (listed in MAKERS.txt): to derive takes
// seconds, to see that nothing changed does not.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "armature/codegen/compiled/kernel_library.hpp"
#include "armature/core/error.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/version.hpp"

using namespace armature::rooms;

namespace {

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// FNV-1a.
struct Digest {
  std::uint64_t value = 14695981039346656037ull;
  void operator()(const std::string& text) {
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "armature_generate ARM.yaml TAG MAKERS.txt OUT.cpp\n";
    return 2;
  }
  try {
    const Arm arm = load_arm(argv[1]).arm;
    Digest digest;
    digest(kernel_source(arm, ARMATURE_VERSION, argv[2], {.effort = 0}));  // the equations, not yet made small
    std::istringstream makers(content(argv[3]));
    for (std::string file; std::getline(makers, file);) digest(content(file));
    const std::string key = fmt::format("// key {:016x}\n", digest.value), out = argv[4];
    if (content(out).starts_with(key)) return 0;
    std::ofstream(out + ".new") << key << kernel_source(arm, ARMATURE_VERSION, argv[2], {.effort = 0.3});
    return std::rename((out + ".new").c_str(), out.c_str()) == 0 ? 0 : 3;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
