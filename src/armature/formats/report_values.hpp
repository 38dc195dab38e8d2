// The values of a report (record/report_fields.hpp) as JSON; what is done with a field is the writer's own.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "armature/record/report_fields.hpp"

namespace armature::formats {

/// `Writer` derives from this and says by operator()(key, value) what becomes of a field. `Json` is the library's type, so that this
/// header needs no library. Numbers that are not finite are written as null.
template <class Json, class Writer>
class ReportValues {
 public:
  Json json = Json::object();
  template <class E>
  void operator()(const char* key, E value, std::initializer_list<const char*> words) {
    json[key] = words.begin()[static_cast<std::size_t>(value)];
  }

 protected:
  static Json of(const std::string& text) { return text; }
  static Json of(bool value) { return value; }
  static Json of(int value) { return value; }
  static Json of(std::size_t value) { return value; }
  static Json of(double value) { return value; }
  static Json of(const std::complex<double>& value) { return Json::array({value.real(), value.imag()}); }
  static Json of(const std::pair<std::string, std::string>& pair) { return Json::array({pair.first, pair.second}); }
  template <class T>
  static Json of(const std::vector<T>& list) {
    return list_of(list);
  }
  template <class T, std::size_t n>
  static Json of(const std::array<T, n>& list) {
    return list_of(list);
  }
  template <class T>
  static Json of(const T& listed) {
    Writer writer;
    fields(writer, listed);
    return std::move(writer.json);
  }

 private:
  template <class List>
  static Json list_of(const List& list) {
    Json json = Json::array();
    for (const auto& item : list) json.push_back(of(item));
    return json;
  }
};

}  // namespace armature::formats
