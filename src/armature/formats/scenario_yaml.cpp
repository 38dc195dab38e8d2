#include "armature/formats/scenario_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/text.hpp"
#include "armature/formats/yaml.hpp"

namespace armature {

namespace {

/// How a scenario writes the unit of a dimension.
FileUnit unit_of(Dimension d, bool angle = false) {
  struct Row {
    Dimension dimension;
    std::string_view text;
  };
  static constexpr Row rows[] = {{dimension::length, "m"},
                                 {dimension::mass, "kg"},
                                 {dimension::time, "s"},
                                 {dimension::speed, "m/s"},
                                 {dimension::rate, "1/s"},
                                 {dimension::acceleration, "m/s^2"},
                                 {dimension::angular_acceleration, "1/s^2"},
                                 {dimension::inertia, "kg*m^2"},
                                 {dimension::force, "N"},
                                 {dimension::torque, "N*m"},
                                 {{0, 1, -2, 0}, "N/m"},
                                 {{2, 1, -1, 0}, "N*m*s"},
                                 {{0, 1, -1, 0}, "N*s/m"},
                                 {{0, 0, -3, 0}, "1/s^3"},
                                 {{1, 0, -3, 0}, "m/s^3"}};
  if (d == dimension::none) return angle ? FileUnit{"rad", d, 4 * pi * 1.0001, "deg"} : FileUnit{"", d};
  for (const Row& row : rows)
    if (row.dimension == d) return {row.text, d, d == dimension::length ? 20.0 : 0.0, "mm"};
  return {"", d};
}
FileUnit unit_of(const JointDimension& d, bool slides) {
  return slides ? unit_of(d.sliding) : unit_of(d.turning, d.turning == dimension::angle);
}
/// Numbers that are angles say so in their help by the dimension alone; 'none' is a plain number.

[[noreturn]] void wrong_count(const Yaml& value, std::string_view what, std::size_t got, std::size_t wanted) {
  throw FormatError(fmt::format("{} has {} numbers", what, got), fmt::format("one a joint: {}", wanted), value.place);
}

class Reader {
 public:
  Reader(const Yaml& value, std::string what, const JointKinds& kinds) : map_(value, std::move(what)), kinds_(kinds) {}

  void number(const char* key, double& x, Dimension d, const char*) {
    if (const Yaml* v = map_.find(key)) x = quantity_of(*v, path(key), unit_of(d));
  }
  void numbers(const char* key, std::vector<double>& x, Dimension d, const char*, std::size_t count) {
    if (const Yaml* v = map_.find(key))
      x = quantities_of(*v, path(key), unit_of(d), count > 0 ? count : list_of(*v, path(key)).size());
  }
  void joints(const char* key, std::vector<double>& x, const JointDimension& d, const char*) {
    if (const Yaml* v = map_.find(key)) x = one_a_joint(*v, path(key), d);
  }
  void joint_rows(const char* key, std::vector<std::vector<double>>& x, const JointDimension& d, const char*) {
    const Yaml* v = map_.find(key);
    if (!v) return;
    x.clear();
    for (const Yaml& row : list_of(*v, path(key))) x.push_back(one_a_joint(row, path(key), d));
  }
  void rows(const char* key, std::vector<std::vector<double>>& x, Dimension d, const char*) {
    const Yaml* v = map_.find(key);
    if (!v) return;
    x.clear();
    for (const Yaml& row : list_of(*v, path(key)))
      x.push_back(quantities_of(row, path(key), unit_of(d), list_of(row, path(key)).size()));
    if (x.size() != kinds_.size()) wrong_count(*v, path(key), x.size(), kinds_.size());
  }
  void integer(const char* key, int& x, const char*) {
    const Yaml* v = map_.find(key);
    if (!v) return;
    const double number = quantity_of(*v, path(key), FileUnit{"", dimension::none});
    if (number != std::floor(number) || std::abs(number) > 1e9)
      throw FormatError(fmt::format("{} is {}", path(key), v->text), "a whole number is needed", v->place);
    x = static_cast<int>(number);
  }
  void flag(const char* key, bool& x, const char*) {
    if (const Yaml* v = map_.find(key)) x = choice_of(*v, path(key), {"false", "true"}) == 1;
  }
  void word(const char* key, std::string& x, const std::vector<std::string>& words, const char*) {
    if (const Yaml* v = map_.find(key)) x = words[choice_of(*v, path(key), words)];
  }
  void text(const char* key, std::string& x, const char*) {
    if (const Yaml* v = map_.find(key)) x = text_of(*v, path(key));
  }
  template <class T>
  void group(const char* key, T& x, const char*) {
    if (const Yaml* v = map_.find(key)) read(*v, path(key), x);
  }
  template <class T>
  void groups(const char* key, std::vector<T>& x, const char*) {
    const Yaml* v = map_.find(key);
    if (!v) return;
    x.clear();
    for (const Yaml& item : list_of(*v, path(key)))
      read(item, fmt::format("{}[{}]", path(key), x.size()), x.emplace_back());
  }
  void finish() const { map_.finish(); }

 private:
  [[nodiscard]] std::string path(const char* key) const {
    return map_.what() == "scenario" ? key : map_.what() + "." + key;
  }

  std::vector<double> one_a_joint(const Yaml& v, const std::string& what, const JointDimension& d) const {
    const std::vector<Yaml>& list = list_of(v, what);
    if (list.size() != kinds_.size()) wrong_count(v, what, list.size(), kinds_.size());
    std::vector<double> x;
    for (std::size_t i = 0; i < list.size(); ++i) x.push_back(quantity_of(list[i], what, unit_of(d, kinds_[i])));
    return x;
  }
  template <class T>
  void read(const Yaml& v, const std::string& what, T& x) const {
    Reader reader(v, what, kinds_);
    x.fields(reader);
    reader.finish();
  }

  YamlMap map_;
  const JointKinds& kinds_;
};

class Writer {
 public:
  Writer(std::string& out, std::size_t indent, const JointKinds& kinds) : out_(out), indent_(indent), kinds_(kinds) {}

  void number(const char* key, double& x, Dimension d, const char*) { line(key, quantity(x, unit_of(d))); }
  void numbers(const char* key, std::vector<double>& x, Dimension d, const char*, std::size_t) {
    if (!x.empty()) line(key, list(x, [&](std::size_t) { return unit_of(d); }));
  }
  void joints(const char* key, std::vector<double>& x, const JointDimension& d, const char*) {
    if (!x.empty()) line(key, joint_list(x, d));
  }
  void joint_rows(const char* key, std::vector<std::vector<double>>& x, const JointDimension& d, const char*) {
    if (!x.empty()) line_of_rows(key, x, [&](const auto& row) { return joint_list(row, d); });
  }
  void rows(const char* key, std::vector<std::vector<double>>& x, Dimension d, const char*) {
    if (!x.empty())
      line_of_rows(key, x, [&](const auto& row) { return list(row, [&](std::size_t) { return unit_of(d); }); });
  }
  void integer(const char* key, int& x, const char*) { line(key, std::to_string(x)); }
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
    Writer inner(out_, indent_ + 2, kinds_);
    x.fields(inner);
    if (out_.size() == empty) out_.resize(start);  // nothing but what is left out
  }
  template <class T>
  void groups(const char* key, std::vector<T>& x, const char*) {
    if (x.empty()) return;
    line(key, "");
    for (T& item : x) {
      const std::size_t start = out_.size();
      Writer inner(out_, indent_ + 4, kinds_);
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

class Lister {
 public:
  Lister(std::vector<std::vector<std::string>>& rows, std::string prefix) : rows_(rows), prefix_(std::move(prefix)) {}

  void number(const char* key, double& x, Dimension d, const char* help) {
    row(key, std::string(unit_of(d).text), exact_text(x), help);
  }
  void numbers(const char* key, std::vector<double>&, Dimension d, const char* help, std::size_t count) {
    row(key, fmt::format("list{} of {}", count > 0 ? fmt::format(" of {}", count) : "", unit_of(d).text), "", help);
  }
  void joints(const char* key, std::vector<double>&, const JointDimension& d, const char* help) {
    row(key, joint_unit(d), "", help);
  }
  void joint_rows(const char* key, std::vector<std::vector<double>>&, const JointDimension& d, const char* help) {
    row(key, "lists, " + joint_unit(d), "", help);
  }
  void rows(const char* key, std::vector<std::vector<double>>&, Dimension d, const char* help) {
    row(key, fmt::format("one list of {} a joint", unit_of(d).text), "", help);
  }
  void integer(const char* key, int& x, const char* help) { row(key, "whole number", std::to_string(x), help); }
  void flag(const char* key, bool& x, const char* help) { row(key, "true | false", x ? "true" : "false", help); }
  void word(const char* key, std::string& x, const std::vector<std::string>& words, const char* help) {
    row(key, fmt::format("{}", fmt::join(words, " | ")), x, help);
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
    T example;
    Lister inner(rows_, prefix_ + key + "[].");
    example.fields(inner);
  }

 private:
  static std::string joint_unit(const JointDimension& d) {
    return fmt::format("one a joint, {} (sliding: {})", unit_of(d, false).text, unit_of(d, true).text);
  }
  void row(const char* key, std::string unit, std::string value, const char* help) {
    rows_.push_back({prefix_ + key, std::move(unit), std::move(value), help});
  }

  std::vector<std::vector<std::string>>& rows_;
  std::string prefix_;
};

/// Puts `value` under the dotted path into the tree, making maps on the way.
void set_value(Yaml& root, const std::string& path, const std::string& value) {
  const Place place{"--set " + path, 0, 0};
  Yaml* node = &root;
  std::size_t start = 0;
  while (true) {
    const std::size_t dot = path.find('.', start);
    const std::string key = path.substr(start, dot == std::string::npos ? dot : dot - start);
    if (key.empty())
      throw FormatError("an empty name in '" + printable(path) + "'", "write --set run.duration=2s", place);
    if (node->kind == Yaml::Kind::nothing) node->kind = Yaml::Kind::map;
    if (node->kind != Yaml::Kind::map)
      throw FormatError("'" + printable(path) + "' goes into something that has no keys", "see --help-keys", place);
    auto found =
        std::find_if(node->entries.begin(), node->entries.end(), [&](const Yaml::Entry& e) { return e.key == key; });
    if (found == node->entries.end()) {
      Yaml fresh;
      fresh.place = place;
      node->entries.push_back({key, place, fresh});
      found = node->entries.end() - 1;
    }
    node = &found->value;
    if (dot == std::string::npos) break;
    start = dot + 1;
  }
  *node = parse_yaml(value, "--set " + path);
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& file,
                        const std::function<JointKinds(const std::string&)>& joints_slide,
                        const std::vector<std::pair<std::string, std::string>>& overrides) {
  Yaml root = parse_yaml(text, file);
  for (const auto& [path, value] : overrides) set_value(root, path, value);
  YamlMap top(root, "scenario");
  Scenario scenario;
  const JointKinds kinds = joints_slide(text_of(top.at("robot"), "robot"));
  Reader reader(root, "scenario", kinds);
  scenario.fields(reader);
  reader.finish();
  (void)top.at("scenario");
  return scenario;
}

std::string write_scenario(const Scenario& scenario, const JointKinds& joints_slide) {
  std::string out;
  Writer writer(out, 0, joints_slide);
  Scenario copy = scenario;
  copy.fields(writer);
  return out;
}

std::vector<std::vector<std::string>> scenario_keys() {
  std::vector<std::vector<std::string>> rows;
  Scenario defaults;
  Lister lister(rows, "");
  defaults.fields(lister);
  return rows;
}

}  // namespace armature
