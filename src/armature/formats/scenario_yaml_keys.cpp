#include <fmt/format.h>

#include "armature/core/text.hpp"
#include "armature/formats/scenario_yaml.hpp"
#include "armature/formats/scenario_yaml_units.hpp"
#include "armature/formats/yaml.hpp"

namespace armature {

namespace {

class Lister {
 public:
  Lister(std::vector<ScenarioKey>& rows, std::string prefix) : rows_(rows), prefix_(std::move(prefix)) {}

  void number(const char* key, double& x, Dimension d, const char* help, Range = Range::any) {
    row(key, std::string(unit_of(d).text), exact_text(x), help);
  }
  void angle(const char* key, double& x, const char* help, Range = Range::any) {
    row(key, std::string(unit_of(dimension::angle, true).text), exact_text(x), help);
  }
  void numbers(const char* key, std::vector<double>&, Dimension d, const char* help, std::size_t count,
               Range = Range::any) {
    row(key, list_text(unit_of(d), count), "", help);
  }
  void angles(const char* key, std::vector<double>&, const char* help, std::size_t count) {
    row(key, list_text(unit_of(dimension::angle, true), count), "", help);
  }
  void task(const char* key, std::vector<double>&, const TaskDimension& d, const std::string&, const char* help,
            Range = Range::any) {
    const std::string_view along = unit_of(d, false).text, about = unit_of(d, true).text;
    row(key,
        fmt::format("one per task coordinate or one for all, {} (about an axis: {})",
                    along.empty() ? "a number" : along, about.empty() ? "a number" : about),
        "", help);
  }
  void points(const char* key, std::vector<std::vector<double>>&, const char* help) {
    row(key, "lists of 3 in m", "", help);
  }
  void joints(const char* key, std::vector<double>&, const JointDimension& d, const char* help, Range = Range::any) {
    row(key, joint_unit(d), "", help);
  }
  void joint_rows(const char* key, std::vector<std::vector<double>>&, const JointDimension& d, const char* help) {
    row(key, "lists, " + joint_unit(d), "", help);
  }
  void rows(const char* key, std::vector<std::vector<double>>&, Dimension d, const char* help) {
    row(key, fmt::format("one list of {} per joint", unit_of(d).text), "", help);
  }
  void integer(const char* key, int& x, const char* help, Range = Range::any) {
    row(key, "whole number", std::to_string(x), help);
  }
  void flag(const char* key, bool& x, const char* help) {
    row(key, "true | false", x ? "true" : "false", help);
    rows_.back().words = {"true", "false"};
  }
  void word(const char* key, std::string& x, const std::vector<std::string>& words, const char* help) {
    row(key, fmt::format("{}", fmt::join(words, " | ")), x, help);
    rows_.back().words = words;
  }
  void text(const char* key, std::string&, const char* help) { row(key, "text", "", help); }
  template <class T>
  void group(const char* key, T& x, const char* help) {
    row(key, "", "", help);
    Lister inner(rows_, prefix_ + key + ".");
    x.fields(inner);
  }
  template <class T>
  void groups(const char* key, std::vector<T>&, const char* help) {
    row(key, "list", "", help);
    if (std::string_view(key) == "terms") return;  // each has the keys of a law, which are listed beside it
    T example;
    Lister inner(rows_, prefix_ + key + "[].");
    example.fields(inner);
  }

  bool of_kind(const std::string&, const std::vector<std::string>& kinds) {
    note_ = fmt::format(" [{}]", fmt::join(kinds, ", "));
    return true;
  }
  void any_kind() { note_.clear(); }

 private:
  static std::string list_text(const FileUnit& unit, std::size_t count) {
    const std::string number = unit.text.empty() ? "numbers" : fmt::format("numbers in {}", unit.text);
    return count > 0 ? fmt::format("list of {} {}", count, number) : "list of " + number;
  }
  static std::string joint_unit(const JointDimension& d) {
    return fmt::format("one per joint or one for all, {} (sliding: {})", unit_of(d, false).text, unit_of(d, true).text);
  }
  void row(const char* key, std::string unit, std::string value, const char* help) {
    rows_.push_back({prefix_ + key, std::move(unit), std::move(value), help + note_, {}});
  }

  std::vector<ScenarioKey>& rows_;
  std::string prefix_, note_;
};

}  // namespace

std::vector<ScenarioKey> scenario_keys() {
  std::vector<ScenarioKey> rows;
  Scenario defaults;
  Lister lister(rows, "");
  defaults.fields(lister);
  return rows;
}

}  // namespace armature
