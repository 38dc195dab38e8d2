#include "setting_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/settings_units.hpp"
#include "text_table.hpp"

namespace armature::app {

namespace {

std::string option_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

/// What goes through the settings of a verb: values and lists of numbers, no blocks.
class OptionFields : public Fields {
 public:
  void angles(const char*, Numbers, const char*, std::size_t) final { no_option(); }
  void task(const char*, Numbers, const TaskDimension&, const TaskAxes&, const char*, Range, bool) final {
    no_option();
  }
  void joint_rows(const char*, Rows&, const JointDimension&, const char*) final { no_option(); }
  void rows(const char*, Rows&, Dimension, const char*) final { no_option(); }
  void points(const char*, Rows&, const char*) final { no_option(); }

 private:
  void one_group(const char*, const char*, const std::function<void(Fields&)>&) final { no_option(); }
  void many_groups(const char*, const char*, const FieldGroups&) final { no_option(); }
  [[noreturn]] static void no_option() { throw std::logic_error("a block cannot be an option of the command line"); }
};

class OptionAdder final : public OptionFields {
 public:
  OptionAdder(Verb& verb, std::map<std::string, std::optional<std::string>>& texts, std::map<std::string, bool>& flags,
              const SettingOptions::Spellings& spellings)
      : verb_(verb), texts_(texts), flags_(flags), spellings_(spellings) {}

  void number(const char* key, double& x, Dimension d, const char* help, Range) override {
    const std::string unit(unit_of(d).text);
    const char* placeholder = d == dimension::time     ? "TIME"
                              : d == dimension::length ? "LENGTH"
                              : d == dimension::rate   ? "SPEED"
                                                       : "NUMBER";
    add(key, placeholder, help, with_unit(x, unit));
  }
  void frequency(const char* key, double& x, const char* help, Range) override {
    add(key, "FREQUENCY", help, with_unit(x, "Hz"));
  }
  void angle(const char* key, double& x, const char* help, Range) override {
    add(key, "ANGLE", help, with_unit(x / deg, "deg"));
  }
  void numbers(const char* key, Numbers x, Dimension, const char* help, std::size_t, Range) override {
    std::vector<std::string> all;
    for (const double number : x.get()) all.push_back(short_text(number));
    add_list(key, help, fmt::format("{}", fmt::join(all, ",")));
  }
  void joints(const char* key, Numbers, const JointDimension&, const char* help, Range, bool) override {
    add_list(key, help, "");
  }
  void integer(const char* key, int& x, const char* help, Range range) override {
    add(key, "N", help, range == Range::positive && x <= 0 ? "" : std::to_string(x));
  }
  void text(const char* key, std::string& x, const char* help, bool) override {
    const auto spelled = spellings_.find(key);
    if (spelled == spellings_.end()) return add(key, "NAME", help, x);
    if (spelled->second.placeholder.empty()) return;
    add(key, spelled->second.placeholder.c_str(), help, x);
    verb_.words(spelled->second.words);
  }
  void flag(const char* key, bool&, const char* help) override { verb_.flag(option_of(key), flags_[key], help); }

 private:
  void choice(const char* key, std::size_t& chosen, const Words& words, const char* help) override {
    add(key, "WORD", fmt::format("{}: {}", help, fmt::join(words, ", ")), words[chosen]);
    verb_.words(words);
  }
  static std::string with_unit(double x, const std::string& unit) {
    return std::isfinite(x) ? short_text(x) + (unit.empty() ? "" : " ") + unit : "";
  }
  void add_list(const char* key, const char* help, const std::string& fallback) {
    const auto spelled = spellings_.find(key);
    add(key, spelled == spellings_.end() ? "LIST" : spelled->second.placeholder.c_str(), help, fallback);
  }
  void add(const char* key, const char* placeholder, const std::string& help, const std::string& fallback) {
    verb_.option(option_of(key), placeholder, texts_[key],
                 fallback.empty() ? help : fmt::format("{} (default {})", help, fallback));
  }

  Verb& verb_;
  std::map<std::string, std::optional<std::string>>& texts_;
  std::map<std::string, bool>& flags_;
  const SettingOptions::Spellings& spellings_;
};

class OptionReader final : public OptionFields {
 public:
  OptionReader(const std::map<std::string, std::optional<std::string>>& texts, const std::map<std::string, bool>& flags,
               const Arm* arm)
      : texts_(texts), flags_(flags), arm_(arm) {}

  void number(const char* key, double& x, Dimension d, const char*, Range range) override {
    x = within(key, parse_option(option_of(key), typed(key), d, x), range);
  }
  void angle(const char* key, double& x, const char*, Range range) override {
    x = within(key, parse_option(option_of(key), typed(key), unit_of(dimension::angle, true), x), range);
  }
  void numbers(const char* key, Numbers x, Dimension d, const char* help, std::size_t count, Range range) override {
    if (!typed(key)) return;
    const std::size_t wanted = count > 0 ? count : split_words(*typed(key)).size();
    x.set(all_within(key, parse_quantities(option_of(key), *typed(key), std::vector(wanted, unit_of(d)), help), range));
  }
  /// One value for all joints, or one per joint.
  void joints(const char* key, Numbers x, const JointDimension& d, const char*, Range range, bool) override {
    if (!typed(key)) return;
    std::string words = *typed(key);
    if (split_words(words).size() == 1)
      for (int i = 1; i < arm_->dof(); ++i) words += "," + *typed(key);
    x.set(all_within(key,
                     parse_joint_quantities(option_of(key), words, *arm_, d.turning, d.sliding,
                                            "one value per joint, or one for all"),
                     range));
  }
  void integer(const char* key, int& x, const char*, Range range) override {
    const double number = within(key, parse_option(option_of(key), typed(key), dimension::none, x), range);
    if (number != std::floor(number) || std::abs(number) > 1e9)
      throw Error(fmt::format("{}: '{}' is not a whole number", option_of(key), printable(*typed(key))),
                  fmt::format("for example {} {}", option_of(key), std::max(x, 1)));
    x = static_cast<int>(number);
  }
  void text(const char* key, std::string& x, const char*, bool must) override {
    if (typed(key)) x = *typed(key);
    if (must && x.empty()) throw Error(option_of(key) + " is required", "see --help");
  }
  void flag(const char* key, bool& x, const char*) override { x = x || flags_.at(key); }

 private:
  void choice(const char* key, std::size_t& chosen, const Words& words, const char*) override {
    if (!typed(key)) return;
    const auto found = std::find(words.begin(), words.end(), *typed(key));
    if (found == words.end())
      throw Error(fmt::format("{}: there is no '{}'", option_of(key), printable(*typed(key))),
                  suggestion(*typed(key), words));
    chosen = static_cast<std::size_t>(found - words.begin());
  }
  [[nodiscard]] std::optional<std::string> typed(const char* key) const {
    const auto found = texts_.find(key);
    return found == texts_.end() ? std::nullopt : found->second;
  }
  double within(const char* key, double x, Range range) const {
    const bool wrong = range == Range::positive ? !(x > 0) : range == Range::not_negative && !(x >= 0);
    if (wrong && typed(key))
      throw Error(fmt::format("{}: '{}' is not {}", option_of(key), printable(*typed(key)),
                              range == Range::positive ? "above zero" : "at least zero"),
                  "see --help");
    return x;
  }

  std::vector<double> all_within(const char* key, const std::vector<double>& numbers, Range range) const {
    for (const double x : numbers) (void)within(key, x, range);
    return numbers;
  }

  const std::map<std::string, std::optional<std::string>>& texts_;
  const std::map<std::string, bool>& flags_;
  const Arm* arm_;
};

}  // namespace

void SettingOptions::add_to(Verb& verb, const ListFields& list, const Spellings& spellings) {
  OptionAdder adder(verb, texts_, flags_, spellings);
  list(adder);
}

void SettingOptions::read(const ListFields& list, const Arm* arm) const {
  OptionReader reader(texts_, flags_, arm);
  list(reader);
}

}  // namespace armature::app
