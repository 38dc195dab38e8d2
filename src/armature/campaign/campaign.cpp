#include "armature/campaign/campaign.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <filesystem>
#include <set>

#include "armature/campaign/identified_spread.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/file_kind.hpp"
#include "armature/formats/settings_yaml.hpp"
#include "armature/formats/table.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::campaign {

namespace {

/// A file that a campaign names: beside it, or in the working folder.
std::string beside(const std::string& campaign, const Yaml& value, const std::string& what) {
  const std::string name = text_of(value, what);
  const std::filesystem::path path = std::filesystem::path(campaign).parent_path() / name;
  if (std::filesystem::exists(path)) return path.string();
  if (std::filesystem::exists(name)) return name;
  throw FormatError(fmt::format("there is no file '{}'", printable(name)),
                    "it is looked for beside the campaign and in the working folder", value.place);
}

void refuse_robot_key(const std::string& key, const Place& place) {
  if (key == "robot" || key.starts_with("robot.") || key == "belief.robot" || key.starts_with("belief.robot."))
    throw FormatError(fmt::format("'{}' cannot vary", printable(key)),
                      "what varies of the arm itself are keys of its file: arm.payload.mass", place);
  if (key == "seed")
    throw FormatError("'seed' cannot be drawn", "every run has a seed of its own; noise: same gives all the scenario's",
                      place);
}

std::vector<Varied> read_vary(const Yaml& value) {
  std::vector<Varied> all;
  const YamlMap map(value, "vary");  // a map, or it throws
  for (const Yaml::Entry& entry : value.entries) {
    refuse_robot_key(entry.key, entry.place);
    const std::string what = fmt::format("vary, {}", printable(entry.key));
    Varied::Mode mode = Varied::Mode::set;
    const Yaml* distribution = &entry.value;
    if (entry.value.kind == Yaml::Kind::map && entry.value.entries.size() == 1) {
      const Yaml::Entry& only = entry.value.entries.front();
      if (only.key == "times") {
        mode = Varied::Mode::times;
        distribution = &only.value;
      }
      if (only.key == "plus") {
        mode = Varied::Mode::plus;
        distribution = &only.value;
      }
    }
    all.push_back({entry.key, mode, Distribution(*distribution, what), entry.place});
    if (mode != Varied::Mode::set && all.back().distribution.kind() == Distribution::Kind::choices)
      throw FormatError(fmt::format("{}: choices are set, not multiplied or added", what), "leave times or plus out",
                        entry.place);
    const WrittenQuantity unit = all.back().distribution.quantity(0);
    if (mode == Varied::Mode::times && !(unit.dimension == dimension::none))
      throw FormatError(fmt::format("{}: a factor has no unit", what), "e.g. {times: {normal: [1, 10 %]}}",
                        entry.place);
  }
  return all;
}

Correlated read_correlated(const Yaml& value, const std::vector<Varied>& vary, const std::set<std::size_t>& taken) {
  YamlMap map(value, "correlate");
  const Yaml& keys = map.at("keys");
  const Yaml& given = map.at("correlation");
  map.finish();
  Correlated group;
  for (const Yaml& item : list_of(keys, "correlate, keys")) {
    const std::string key = text_of(item, "correlate, keys");
    const auto found = std::find_if(vary.begin(), vary.end(), [&](const Varied& v) { return v.key == key; });
    if (found == vary.end()) {
      std::vector<std::string> names;
      for (const Varied& v : vary) names.push_back(v.key);
      throw FormatError(fmt::format("'{}' does not vary", printable(key)), suggestion(key, names), item.place);
    }
    group.varied.push_back(static_cast<std::size_t>(found - vary.begin()));
    if (taken.contains(group.varied.back()) || found->distribution.kind() == Distribution::Kind::choices)
      throw FormatError(fmt::format("'{}' cannot be correlated (again)", printable(key)),
                        "each quantity once, and no choices", item.place);
  }
  const auto n = static_cast<Eigen::Index>(group.varied.size());
  Eigen::MatrixXd R = Eigen::MatrixXd::Identity(n, n);
  if (given.kind != Yaml::Kind::list) {
    const double r = quantity_of(given, "correlation", {"", dimension::none});
    R += Eigen::MatrixXd::Constant(n, n, r) - r * Eigen::MatrixXd::Identity(n, n);
  } else {
    if (given.list.size() != group.varied.size())
      throw FormatError(fmt::format("a correlation of {} rows for {} keys", given.list.size(), n), "one row a key",
                        given.place);
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::vector<double> row =
          quantities_of(given.list[i], "correlation", {"", dimension::none}, static_cast<std::size_t>(n));
      for (Eigen::Index j = 0; j < n; ++j) R(i, j) = row[j];
    }
  }
  const Eigen::MatrixXd factor = cholesky(R);
  if (n < 2 || factor.size() == 0 || !R.isApprox(R.transpose()) || !R.diagonal().isOnes())
    throw FormatError("no quantities are correlated so",
                      "two keys or more; a number between -1 and 1, or a symmetric positive definite matrix with 1 on "
                      "its diagonal",
                      given.place);
  group.factor = factor;
  return group;
}

DrawnRows read_samples(const std::string& path, const Place& place) {
  TableReader table(path);
  DrawnRows samples;
  samples.place = place;
  for (const std::string& column : table.columns()) {
    const std::size_t bracket = column.find(" [");
    const bool unit = bracket != std::string::npos && column.ends_with(']');
    samples.keys.push_back(column.substr(0, bracket));
    samples.units.push_back(unit ? column.substr(bracket + 2, column.size() - bracket - 3) : "");
    refuse_robot_key(samples.keys.back(), {path, 1, 0});
  }
  table.select(table.columns());
  std::vector<double> row(samples.keys.size());
  while (table.next(row)) samples.rows.push_back(row);
  return samples;
}

double share_of(const Yaml& value, const std::string& what) {
  const double share = quantity_of(value, what, {"", dimension::none});
  if (!(share > 0 && share < 1))
    throw FormatError(fmt::format("{} is not between 0 and 100 %", what), "e.g. 99 %", value.place);
  return share;
}

void read_requirements(YamlMap& map, Campaign& c) {
  const std::vector<Metric> metrics = metrics_of_arm(c.scenario.arm);
  const Yaml& require = map.at("require");
  const YamlMap checked(require, "require");
  for (const Yaml::Entry& entry : require.entries)
    c.require.push_back(read_requirement(metric_named(metrics, entry.key, entry.place), entry.value));
  if (c.require.empty())
    throw FormatError("nothing is required", "e.g. require: {tool_largest: below 2 mm}", require.place);
  if (const Yaml* record = map.find("record"))
    for (const Yaml& item : list_of(*record, "record"))
      c.record.push_back(metric_named(metrics, text_of(item, "record"), item.place).name);
  if (const Yaml* quantiles = map.find("quantiles")) {
    c.quantiles.clear();
    for (const Yaml& item : list_of(*quantiles, "quantiles")) c.quantiles.push_back(share_of(item, "a quantile"));
  }
  if (const Yaml* target = map.find("target")) c.target = share_of(*target, "target");
}

int whole_number(const Yaml& value, const std::string& what, int most) {
  const double number = quantity_of(value, what, {"", dimension::none});
  if (!(number >= 0 && number <= most && number == std::floor(number)))
    throw FormatError(fmt::format("{} is no whole number from 0 to {}", what, most), "e.g. 1", value.place);
  return static_cast<int>(number);
}

}  // namespace

Campaign load_campaign(const std::string& path, const Overrides& overrides, const KernelSet& kernels) {
  refuse_other_kinds(path, {FileKind::campaign}, "a campaign");
  const Yaml root = parse_yaml(read_text_file(path, largest_yaml), path);
  YamlMap map(root, "campaign");
  for (const char* key : {"question", "seed", "noise", "vary", "correlate", "samples", "identified", "plan", "require",
                          "record", "quantiles", "target", "worst"})
    map.allow(key);
  const std::string name = name_of(map.at("campaign"), "campaign");
  Campaign c{.name = name,
             .question = {},
             .file = path,
             .scenario = load_scenario(beside(path, map.at("scenario"), "scenario"), overrides, kernels)};
  if (const Yaml* question = map.find("question")) c.question = text_of(*question, "question");
  if (const Yaml* seed = map.find("seed")) c.seed = whole_number(*seed, "seed", 2147483647);
  if (const Yaml* noise = map.find("noise")) c.fresh_noise = choice_of(*noise, "noise", {"fresh", "same"}) == 0;
  if (const Yaml* worst = map.find("worst")) c.worst = whole_number(*worst, "worst", 100);
  if (const Yaml* vary = map.find("vary")) c.vary = read_vary(*vary);
  std::set<std::size_t> taken;
  if (const Yaml* groups = map.find("correlate"))
    for (const Yaml& item : list_of(*groups, "correlate")) {
      c.correlated.push_back(read_correlated(item, c.vary, taken));
      taken.insert(c.correlated.back().varied.begin(), c.correlated.back().varied.end());
    }
  if (const Yaml* samples = map.find("samples"))
    c.samples = read_samples(beside(path, *samples, "samples"), samples->place);
  if (const Yaml* identified = map.find("identified"))
    c.identified = read_identified_spread(beside(path, *identified, "identified"), c.scenario.arm);
  if (const Yaml* plan = map.find("plan")) {
    SettingPlaces places;
    read_settings(*plan, {}, places, [&](Fields& f) { c.plan.fields(f); });
  }
  read_requirements(map, c);
  map.finish();
  if (c.vary.empty() && !c.samples && !c.identified && !c.fresh_noise)
    throw FormatError("nothing varies", "add vary, samples or identified, or noise: fresh", root.place);
  if (c.plan.kind == PlanSettings::Kind::sobol_indices && !c.correlated.empty())
    throw FormatError("Sobol' indices are those of independent quantities, and some are correlated",
                      "plan: {kind: sobol}, which gives rank correlations", map.place());
  return c;
}

}  // namespace armature::campaign
