#include <fmt/format.h>

#include <cmath>

#include "armature/core/text.hpp"
#include "armature/formats/settings_units.hpp"
#include "armature/formats/settings_yaml.hpp"

namespace armature::formats {

namespace {

constexpr std::size_t longest_path = 4096;  // [bytes]

/// The first key that must be given and is not. It is spoken of last: a mistyped key says more.
struct MissingKey {
  std::string finding;
  Place place;
};

class SettingsReader final : public Fields {
 public:
  SettingsReader(const Yaml& value, std::string what, const JointKinds& kinds, SettingPlaces& places,
                 MissingKey& missing)
      : map_(value, std::move(what)), kinds_(kinds), places_(places), missing_(missing) {}

  void number(const char* key, double& x, Dimension d, const char*, Range range) override {
    if (const Yaml* v = find(key)) x = in_range(*v, path(key), quantity_of(*v, path(key), unit_of(d)), range);
  }
  void angle(const char* key, double& x, const char*, Range range) override {
    if (const Yaml* v = find(key))
      x = in_range(*v, path(key), quantity_of(*v, path(key), unit_of(dimension::angle, true)), range);
  }
  void of_joint(const char* key, double& x, int joint, const JointDimension& d, const char*, Range range) override {
    const std::size_t i = joint - 1;
    const bool slides = i < kinds_.size() && kinds_[i];
    if (const Yaml* v = find(key)) x = in_range(*v, path(key), quantity_of(*v, path(key), unit_of(d, slides)), range);
  }
  void numbers(const char* key, Numbers x, Dimension d, const char*, std::size_t count, Range range) override {
    if (const Yaml* v = find(key)) x.set(list(*v, path(key), unit_of(d), count, range));
  }
  void angles(const char* key, Numbers x, const char*, std::size_t count) override {
    if (const Yaml* v = find(key)) x.set(list(*v, path(key), unit_of(dimension::angle, true), count, Range::any));
  }
  void joints(const char* key, Numbers x, const JointDimension& d, const char*, Range range, bool must) override {
    if (const Yaml* v = find(key, must)) x.set(one_per_joint(*v, path(key), d, range));
  }
  void task(const char* key, Numbers x, const TaskDimension& d, const TaskAxes& axes, const char*, Range range,
            bool must) override {
    if (const Yaml* v = find(key, must))
      x.set(one_for_all(*v, path(key), axes.about, d, range, fmt::format("coordinates of the task '{}'", axes.name)));
  }
  void joint_rows(const char* key, Rows& x, const JointDimension& d, const char*) override {
    read_rows(key, x, [&](const Yaml& row) { return one_per_joint(row, path(key), d, Range::any); });
  }
  void rows(const char* key, Rows& x, Dimension d, const char*) override {
    const Yaml* v = read_rows(key, x, [&](const Yaml& row) { return list(row, path(key), unit_of(d), 0, Range::any); });
    if (v && x.size() != kinds_.size())
      throw FormatError(fmt::format("{} has {} lists", path(key), x.size()),
                        fmt::format("one per joint: {}", kinds_.size()), v->place);
  }
  void points(const char* key, Rows& x, const char*) override {
    read_rows(key, x, [&](const Yaml& row) { return list(row, path(key), unit_of(dimension::length), 3, Range::any); });
  }
  void integer(const char* key, int& x, const char*, Range range) override {
    const Yaml* v = find(key);
    if (!v) return;
    const double number = quantity_of(*v, path(key), FileUnit{"", dimension::none});
    if (number != std::floor(number) || std::abs(number) > 1e9)
      throw FormatError(fmt::format("{} is {}", path(key), printable(v->text)), "a whole number is needed", v->place);
    x = static_cast<int>(in_range(*v, path(key), number, range));
  }
  void flag(const char* key, bool& x, const char*) override {
    if (const Yaml* v = find(key)) x = choice_of(*v, path(key), {"false", "true"}) == 1;
  }
  void text(const char* key, std::string& x, const char*, bool must) override {
    const Yaml* v = find(key, must);
    if (!v) return;
    const std::string_view k = key;
    if (k == "question")  // may have several lines
      x = text_of(*v, path(key));
    else
      x = v->text.empty() ? text_of(*v, path(key))
                          : name_of(*v, path(key), k == "robot" || k == "table" ? longest_path : longest_name);
  }
  void of_kind(std::string_view kind) override { kind_ = kind; }
  /// Throws FormatError at a key that nobody asked for.
  void finish() const { map_.finish(); }

 private:
  void choice(const char* key, std::size_t& chosen, const Words& words, const char*) override {
    if (const Yaml* v = find(key)) chosen = choice_of(*v, path(key), words);
  }
  void one_group(const char* key, const char*, const std::function<void(Fields&)>& fields) override {
    Yaml absent;  // keys that must be given are missing from a block that is not there, too
    absent.kind = Yaml::Kind::map;
    absent.place = map_.place();
    const Yaml* v = find(key);
    read(v ? *v : absent, path(key), fields);
  }
  void many_groups(const char* key, const char*, const FieldGroups& items) override {
    const Yaml* v = find(key);
    if (!v) return;
    const std::vector<Yaml>& values = list_of(*v, path(key));
    items.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string what = fmt::format("{}[{}]", path(key), i);
      places_.put(what, values[i].place);
      read(values[i], what, [&](Fields& f) { items.list(i, f); });
    }
  }
  [[nodiscard]] std::string path(const char* key) const {
    return map_.what() == "scenario" ? key : map_.what() + "." + key;
  }
  const Yaml* find(const char* key, bool must = false) {
    const Yaml* v = map_.find(key);
    if (v) places_.put(path(key), v->place);
    if (!v && must && missing_.finding.empty())
      missing_ = {kind_.empty() ? fmt::format("{} needs the key '{}'", map_.what(), key)
                                : fmt::format("the law '{}' needs the key '{}'", kind_, key),
                  map_.place()};
    return v;
  }
  static double in_range(const Yaml& v, const std::string& what, double x, Range range) {
    if (range == Range::positive && !(x > 0))
      throw FormatError(fmt::format("{} is {}", what, printable(v.text)), "it must be greater than zero", v.place);
    if (range == Range::not_negative && !(x >= 0))
      throw FormatError(fmt::format("{} is {}", what, printable(v.text)), "it cannot be negative", v.place);
    return x;
  }
  static std::vector<double> list(const Yaml& v, const std::string& what, const FileUnit& unit, std::size_t count,
                                  Range range) {
    if (count == 0 && v.kind == Yaml::Kind::text) return {in_range(v, what, quantity_of(v, what, unit), range)};
    const std::vector<Yaml>& items = list_of(v, what);
    std::vector<double> x = quantities_of(v, what, unit, count > 0 ? count : items.size());
    for (std::size_t i = 0; i < x.size(); ++i) in_range(items[i], what, x[i], range);
    return x;
  }
  /// Lists, one per row; null where there are none.
  const Yaml* read_rows(const char* key, Rows& x, const std::function<std::vector<double>(const Yaml& row)>& read) {
    const Yaml* v = find(key);
    if (!v) return v;
    x.clear();
    for (const Yaml& row : list_of(*v, path(key))) x.push_back(read(row));
    return v;
  }
  std::vector<double> one_per_joint(const Yaml& v, const std::string& what, const JointDimension& d,
                                    Range range) const {
    return one_for_all(v, what, kinds_, d, range, "joints");
  }
  /// The numbers of a list; something that is not a list counts for all, each time in the unit of its place.
  template <class D>
  static std::vector<double> one_for_all(const Yaml& v, const std::string& what, const std::vector<bool>& second,
                                         const D& d, Range range, const std::string& of_what) {
    const std::vector<Yaml> items = v.kind == Yaml::Kind::text ? std::vector(second.size(), v) : list_of(v, what);
    if (items.size() != second.size())
      throw FormatError(fmt::format("{} has {} numbers", what, items.size()),
                        fmt::format("one number for all {}, or one for each: {}", of_what, second.size()), v.place);
    std::vector<double> x;
    for (std::size_t i = 0; i < items.size(); ++i)
      x.push_back(in_range(items[i], what, quantity_of(items[i], what, unit_of(d, second[i])), range));
    return x;
  }
  void read(const Yaml& v, const std::string& what, const std::function<void(Fields&)>& fields) {
    SettingsReader reader(v, what, kinds_, places_, missing_);
    fields(reader);
    reader.finish();
  }

  YamlMap map_;
  const JointKinds& kinds_;
  SettingPlaces& places_;
  MissingKey& missing_;
  std::string kind_;  // that the keys belong to
};

}  // namespace

JointKinds joint_kinds(const Arm& arm) {
  JointKinds kinds;
  for (const Body& body : arm.bodies()) kinds.push_back(!body.revolute);
  return kinds;
}

Place SettingPlaces::of(std::string key) const {
  while (true) {
    const auto found = places_.find(key);
    if (found != places_.end()) return found->second;
    if (key.empty()) return {};
    const std::size_t cut = key.find_last_of(".[");
    key = cut == std::string::npos ? "" : key.substr(0, cut);
  }
}

std::vector<std::string> SettingPlaces::inside(const std::string& block) const {
  std::vector<std::string> keys;
  for (const auto& [key, place] : places_)
    if (key.size() > block.size() + 1 && key.compare(0, block.size(), block) == 0 && key[block.size()] == '.' &&
        key.find_first_of(".[", block.size() + 1) == std::string::npos)
      keys.push_back(key.substr(block.size() + 1));
  return keys;
}

void read_settings(const Yaml& map, const JointKinds& joints_slide, SettingPlaces& places, const ListFields& list) {
  MissingKey missing;
  SettingsReader reader(map, "scenario", joints_slide, places, missing);
  list(reader);
  reader.finish();
  if (!missing.finding.empty()) throw FormatError(missing.finding, "see armature simulate --help-keys", missing.place);
}

}  // namespace armature::formats
