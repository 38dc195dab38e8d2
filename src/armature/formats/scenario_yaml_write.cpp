#include <fmt/format.h>

#include <algorithm>

#include "armature/core/text.hpp"
#include "armature/formats/scenario_yaml.hpp"
#include "armature/formats/scenario_yaml_units.hpp"
#include "armature/formats/yaml.hpp"

namespace armature {

namespace {

class ScenarioWriter {
 public:
  ScenarioWriter(std::string& out, std::size_t indent, const JointKinds& kinds)
      : out_(out), indent_(indent), kinds_(kinds) {}

  /// Whether the keys that follow are of this kind.
  static bool of_kind(const std::string& kind, const std::vector<std::string>& kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }
  static void any_kind() {}
  void number(const char* key, double& x, Dimension d, const char*, Range = Range::any) {
    line(key, quantity(x, unit_of(d)));
  }
  void angle(const char* key, double& x, const char*, Range = Range::any) {
    line(key, quantity(x, unit_of(dimension::angle, true)));
  }
  void numbers(const char* key, std::vector<double>& x, Dimension d, const char*, std::size_t, Range = Range::any) {
    if (!x.empty()) line(key, list(x, [&](std::size_t) { return unit_of(d); }));
  }
  void angles(const char* key, std::vector<double>& x, const char*, std::size_t) {
    if (!x.empty()) line(key, list(x, [&](std::size_t) { return unit_of(dimension::angle, true); }));
  }
  void joints(const char* key, std::vector<double>& x, const JointDimension& d, const char*, Range = Range::any) {
    if (!x.empty()) line(key, joint_list(x, d));
  }
  void task(const char* key, std::vector<double>& x, const TaskDimension& d, const std::string& task, const char*,
            Range = Range::any) {
    const std::vector<bool> about = coordinates_of(task);
    if (!x.empty()) line(key, list(x, [&](std::size_t i) { return unit_of(d, i < about.size() && about[i]); }));
  }
  void points(const char* key, std::vector<std::vector<double>>& x, const char*) {
    rows(key, x, dimension::length, "");
  }
  void joint_rows(const char* key, std::vector<std::vector<double>>& x, const JointDimension& d, const char*) {
    if (!x.empty()) line_of_rows(key, x, [&](const auto& row) { return joint_list(row, d); });
  }
  void rows(const char* key, std::vector<std::vector<double>>& x, Dimension d, const char*) {
    if (!x.empty())
      line_of_rows(key, x, [&](const auto& row) { return list(row, [&](std::size_t) { return unit_of(d); }); });
  }
  void integer(const char* key, int& x, const char*, Range = Range::any) { line(key, std::to_string(x)); }
  void flag(const char* key, bool& x, const char*) { line(key, x ? "true" : "false"); }
  void word(const char* key, std::string& x, const std::vector<std::string>&, const char*) { line(key, x); }
  void text(const char* key, std::string& x, const char*) {
    if (!x.empty()) line(key, yaml_text(x));
  }
  template <class T>
  void group(const char* key, T& x, const char*) {
    const std::size_t start = out_.size();
    line(key, "");
    const std::size_t empty = out_.size();
    ScenarioWriter inner(out_, indent_ + 2, kinds_);
    x.fields(inner);
    if (out_.size() == empty) out_.resize(start);  // nothing but what is left out
  }
  template <class T>
  void groups(const char* key, std::vector<T>& x, const char*) {
    if (x.empty()) return;
    line(key, "");
    for (T& item : x) {
      const std::size_t start = out_.size();
      ScenarioWriter inner(out_, indent_ + 4, kinds_);
      item.fields(inner);
      out_[start + indent_ + 2] = '-';
    }
  }

 private:
  void line(const char* key, const std::string& value) {
    out_ += std::string(indent_, ' ') + key + ":" + (value.empty() ? "" : " " + value) + "\n";
  }
  static std::string quantity(double x, const FileUnit& unit) {
    return exact_text(x) + (unit.text.empty() ? "" : " " + std::string(unit.text));
  }
  template <class U>
  static std::string list(const std::vector<double>& x, U unit) {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < x.size(); ++i) items.push_back(quantity(x[i], unit(i)));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  std::string joint_list(const std::vector<double>& x, const JointDimension& d) const {
    return list(x, [&](std::size_t i) { return unit_of(d, i < kinds_.size() && kinds_[i]); });
  }
  template <class F>
  void line_of_rows(const char* key, const std::vector<std::vector<double>>& x, F row_text) {
    std::vector<std::string> texts;
    for (const auto& row : x) texts.push_back(row_text(row));
    line(key, fmt::format("[{}]", fmt::join(texts, ", ")));
  }

  std::string& out_;
  std::size_t indent_;
  const JointKinds& kinds_;
};

}  // namespace

std::string write_scenario(const Scenario& scenario, const JointKinds& joints_slide) {
  std::string out;
  ScenarioWriter writer(out, 0, joints_slide);
  Scenario copy = scenario;
  copy.fields(writer);
  return out;
}

}  // namespace armature
