#include <fmt/format.h>

#include "armature/core/text.hpp"
#include "armature/formats/settings_units.hpp"
#include "armature/formats/settings_yaml.hpp"

namespace armature::formats {

namespace {

class SettingsWriter final : public Fields {
 public:
  SettingsWriter(std::string& out, std::size_t indent, const JointKinds& kinds)
      : out_(out), indent_(indent), kinds_(kinds) {}

  void number(const char* key, double& x, Dimension d, const char*, Range) override {
    line(key, quantity(x, unit_of(d)));
  }
  void angle(const char* key, double& x, const char*, Range) override {
    line(key, quantity(x, unit_of(dimension::angle, true)));
  }
  void of_joint(const char* key, double& x, int joint, const JointDimension& d, const char*, Range) override {
    line(key, quantity(x, joint_unit(d, joint - 1)));
  }
  void numbers(const char* key, Numbers x, Dimension d, const char*, std::size_t, Range) override {
    line_of(key, x.get(), [&](std::size_t) { return unit_of(d); });
  }
  void angles(const char* key, Numbers x, const char*, std::size_t) override {
    line_of(key, x.get(), [&](std::size_t) { return unit_of(dimension::angle, true); });
  }
  void joints(const char* key, Numbers x, const JointDimension& d, const char*, Range, bool) override {
    line_of(key, x.get(), [&](std::size_t i) { return joint_unit(d, i); });
  }
  void task(const char* key, Numbers x, const TaskDimension& d, const TaskAxes& axes, const char*, Range,
            bool) override {
    line_of(key, x.get(), [&](std::size_t i) { return unit_of(d, i < axes.about.size() && axes.about[i]); });
  }
  void joint_rows(const char* key, Rows& x, const JointDimension& d, const char*) override {
    line_of_rows(key, x, [&](std::size_t i) { return joint_unit(d, i); });
  }
  void rows(const char* key, Rows& x, Dimension d, const char*) override {
    line_of_rows(key, x, [&](std::size_t) { return unit_of(d); });
  }
  void points(const char* key, Rows& x, const char* help) override { rows(key, x, dimension::length, help); }
  void integer(const char* key, int& x, const char*, Range) override { line(key, std::to_string(x)); }
  void flag(const char* key, bool& x, const char*) override { line(key, x ? "true" : "false"); }
  void text(const char* key, std::string& x, const char*, bool) override {
    if (!x.empty()) line(key, yaml_text(x));
  }

 private:
  void choice(const char* key, std::size_t& chosen, const Words& words, const char*) override {
    if (chosen < words.size()) line(key, words[chosen]);
  }
  void one_group(const char* key, const char*, const std::function<void(Fields&)>& fields) override {
    const std::size_t start = out_.size();
    line(key, "");
    const std::size_t empty = out_.size();
    SettingsWriter inner(out_, indent_ + 2, kinds_);
    fields(inner);
    if (out_.size() == empty) out_.resize(start);  // nothing but what is left out
  }
  void many_groups(const char* key, const char*, const FieldGroups& items) override {
    if (items.size == 0) return;
    line(key, "");
    for (std::size_t i = 0; i < items.size; ++i) {
      const std::size_t start = out_.size();
      SettingsWriter inner(out_, indent_ + 4, kinds_);
      items.list(i, inner);
      out_[start + indent_ + 2] = '-';
    }
  }
  void line(const char* key, const std::string& value) {
    out_ += std::string(indent_, ' ') + key + ":" + (value.empty() ? "" : " " + value) + "\n";
  }
  [[nodiscard]] FileUnit joint_unit(const JointDimension& d, std::size_t i) const {
    return unit_of(d, i < kinds_.size() && kinds_[i]);
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
  template <class U>
  void line_of(const char* key, const std::vector<double>& x, U unit) {
    if (!x.empty()) line(key, list(x, unit));
  }
  template <class U>
  void line_of_rows(const char* key, const Rows& x, U unit) {
    if (x.empty()) return;
    std::vector<std::string> texts;
    for (const std::vector<double>& row : x) texts.push_back(list(row, unit));
    line(key, fmt::format("[{}]", fmt::join(texts, ", ")));
  }

  std::string& out_;
  std::size_t indent_;
  const JointKinds& kinds_;
};

}  // namespace

std::string write_settings(const JointKinds& joints_slide, const ListFields& list) {
  std::string out;
  SettingsWriter writer(out, 0, joints_slide);
  list(writer);
  return out;
}

}  // namespace armature::formats
