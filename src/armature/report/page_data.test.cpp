// web/src/data.ts, which declares the data of a page to its scripts, is generated from the lists of their fields.
#include "armature/report/internal/page_data.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <typeinfo>
#include <utility>

#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature::report;

namespace {

/// "LogEvent" of armature::record::LogEvent.
template <class T>
std::string name_of_type() {
  char* whole = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  const std::string name = whole;
  std::free(whole);
  return name.substr(name.rfind(':') + 1);
}

template <class T>
T example() {
  return {};
}
template <>
PageLog example() {
  static const Log none;
  return {&none};
}
template <>
PageData example() {
  static const Report none;
  return {&none};
}

/// Declares a struct, and before it those of its fields.
class Declarations {
 public:
  std::string text;

  template <class T>
  std::string declared() {
    const std::string name = name_of_type<T>();
    if (!known_.insert(name).second) return name;
    std::string outer = std::exchange(lines_, {});
    T one = example<T>();
    fields(*this, one);
    text += fmt::format("export interface {} {{\n{}}}\n", name, std::exchange(lines_, std::move(outer)));
    return name;
  }
  template <class T>
  void operator()(const char* key, const T& value) {
    const std::string type = type_of(value);
    lines_ += fmt::format("  {}{}: {};\n", key, type.starts_with("Packed") ? "?" : "", type);
  }
  template <class E>
  void operator()(const char* key, E, std::initializer_list<const char*> words) {
    lines_ += fmt::format("  {}: '{}';\n", key, fmt::join(words, "' | '"));
  }

 private:
  static std::string type_of(const std::string&) { return "string"; }
  static std::string type_of(bool) { return "boolean"; }
  static std::string type_of(int) { return "number"; }
  static std::string type_of(std::size_t) { return "number"; }
  static std::string type_of(double) { return "number"; }
  static std::string type_of(const std::pair<std::string, std::string>&) { return "[string, string]"; }
  static std::string type_of(const std::vector<double>&) { return "Packed"; }
  static std::string type_of(const ExactNumbers&) { return "Packed"; }
  static std::string type_of(const std::vector<std::complex<double>>&) { return "PackedComplex"; }
  template <class T>
  std::string type_of(const std::vector<T>&) {
    return type_of(T{}) + "[]";
  }
  template <class T, std::size_t n>
  std::string type_of(const std::array<T, n>&) {
    return type_of(T{}) + "[]";
  }
  template <class T>
  std::string type_of(const T&) {
    return declared<T>();
  }

  std::set<std::string> known_;
  std::string lines_;
};

std::string data_ts() {
  Declarations declarations;
  declarations.declared<PageData>();
  return R"(// What the program puts into the page. Generated from src/armature/record/report_fields.hpp and report/internal/page_data.hpp:
// `./dev web` writes it anew. What the fields mean is said where their structs are defined.

/** Numbers: "f4:" or "f8:" and base64 of little-endian floats; left out where there are none. Not a number: a gap. */
export type Packed = string;
/** The same, real and imaginary parts in turn. */
export type PackedComplex = string;

)" + declarations.text;
}

}  // namespace

TEST_CASE("web/src/data.ts declares what the program puts into a page") {
  const std::string path = std::string(armature::testing::source_folder) + "/web/src/data.ts";
  if (std::getenv("ARMATURE_RECORD") != nullptr) std::ofstream(path) << data_ts();
  std::ifstream file(path);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  INFO("out of date: ./dev web writes it anew");
  CHECK(written == data_ts());
}
