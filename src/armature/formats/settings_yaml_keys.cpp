#include <fmt/format.h>

#include "armature/core/text.hpp"
#include "armature/formats/settings_units.hpp"
#include "armature/formats/settings_yaml.hpp"

namespace armature::formats {

namespace {

class SettingsLister final : public Fields {
 public:
  SettingsLister(std::vector<SettingKey>& table, std::string prefix) : table_(table), prefix_(std::move(prefix)) {}

  void number(const char* key, double& x, Dimension d, const char* help, Range) override {
    row(key, std::string(unit_of(d).text), exact_text(x), help);
  }
  void angle(const char* key, double& x, const char* help, Range) override {
    row(key, std::string(unit_of(dimension::angle, true).text), exact_text(x), help);
  }
  void of_joint(const char* key, double& x, int, const JointDimension& d, const char* help, Range) override {
    row(key, fmt::format("{} (sliding: {})", unit_of(d, false).text, unit_of(d, true).text), exact_text(x), help);
  }
  void numbers(const char* key, Numbers, Dimension d, const char* help, std::size_t count, Range) override {
    row(key, list_text(unit_of(d), count), "", help);
  }
  void angles(const char* key, Numbers, const char* help, std::size_t count) override {
    row(key, list_text(unit_of(dimension::angle, true), count), "", help);
  }
  void joints(const char* key, Numbers, const JointDimension& d, const char* help, Range, bool) override {
    row(key, joint_unit(d), "", help);
  }
  void task(const char* key, Numbers, const TaskDimension& d, const TaskAxes&, const char* help, Range, bool) override {
    const std::string_view along = unit_of(d, false).text, about = unit_of(d, true).text;
    row(key,
        fmt::format("one per task coordinate or one for all, {} (about an axis: {})",
                    along.empty() ? "a number" : along, about.empty() ? "a number" : about),
        "", help);
  }
  void joint_rows(const char* key, Rows&, const JointDimension& d, const char* help) override {
    row(key, "lists, " + joint_unit(d), "", help);
  }
  void rows(const char* key, Rows&, Dimension d, const char* help) override {
    row(key, fmt::format("one list of {} per joint", unit_of(d).text), "", help);
  }
  void points(const char* key, Rows&, const char* help) override { row(key, "lists of 3 in m", "", help); }
  void integer(const char* key, int& x, const char* help, Range) override {
    row(key, "whole number", std::to_string(x), help);
  }
  void flag(const char* key, bool& x, const char* help) override {
    row(key, "true | false", x ? "true" : "false", help, {"true", "false"});
  }
  void text(const char* key, std::string&, const char* help, bool) override { row(key, "text", "", help); }
  [[nodiscard]] bool every_kind() const override { return true; }
  void of_kind(std::string_view kind) override { kind_ = kind; }

 private:
  void choice(const char* key, std::size_t& chosen, const Words& words, const char* help) override {
    row(key, fmt::format("{}", fmt::join(words, " | ")), chosen < words.size() ? words[chosen] : "", help, words);
  }
  void one_group(const char* key, const char* help, const std::function<void(Fields&)>& fields) override {
    row(key, "", "", help);
    SettingsLister inner(table_, prefix_ + key + ".");
    fields(inner);
  }
  void many_groups(const char* key, const char* help, const FieldGroups& items) override {
    row(key, "list", "", help);
    if (std::string_view(key) == "terms")
      return;  // laws inside a law have the keys of a law, which are listed beside it
    SettingsLister inner(table_, prefix_ + key + "[].");
    inner.kind_ = kind_;
    items.list_example(inner);
  }
  static std::string list_text(const FileUnit& unit, std::size_t count) {
    const std::string number = unit.text.empty() ? "numbers" : fmt::format("numbers in {}", unit.text);
    return count > 0 ? fmt::format("list of {} {}", count, number) : "list of " + number;
  }
  static std::string joint_unit(const JointDimension& d) {
    return fmt::format("one per joint or one for all, {} (sliding: {})", unit_of(d, false).text, unit_of(d, true).text);
  }
  /// Kinds that have the same key with the same meaning share its row.
  void row(const char* key, std::string value, std::string fallback, const char* help, Words words = {}) {
    SettingKey fresh{prefix_ + key, std::move(value), std::move(fallback), help, std::move(words), {}};
    if (!kind_.empty()) {
      for (SettingKey& other : table_)
        if (!other.kinds.empty() && other.key == fresh.key && other.value == fresh.value &&
            other.fallback == fresh.fallback && other.meaning == fresh.meaning) {
          other.kinds.push_back(kind_);
          return;
        }
      fresh.kinds.push_back(kind_);
    }
    table_.push_back(std::move(fresh));
  }

  std::vector<SettingKey>& table_;
  std::string prefix_, kind_;
};

}  // namespace

std::vector<SettingKey> list_settings(const ListFields& list) {
  std::vector<SettingKey> table;
  SettingsLister lister(table, "");
  list(lister);
  return table;
}

}  // namespace armature::formats
