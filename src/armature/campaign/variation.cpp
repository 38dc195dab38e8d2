#include "armature/campaign/variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/campaign/identified_spread.hpp"
#include "armature/campaign/internal/normal.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/key_path.hpp"
#include "armature/formats/load_arm.hpp"

namespace armature::campaign {

namespace {

constexpr std::string_view arm_prefix = "arm.";
constexpr const char* noise_name = "noise";

void put_text(Yaml& map, const std::string& key, const std::string& text) {
  Yaml::Entry* entry = map.entry(key);
  if (!entry) entry = &map.entries.emplace_back(Yaml::Entry{key, map.place, {.place = map.place}});
  entry->value = {.kind = Yaml::Kind::text, .place = entry->value.place, .text = text};
}

/// Every number of the value, in lists too, times or plus another.
void change_numbers(Yaml& value, Varied::Mode mode, const WrittenQuantity& by, const std::string& key,
                    const Place& place) {
  for (Yaml& item : value.list) change_numbers(item, mode, by, key, place);
  if (value.kind == Yaml::Kind::list) return;
  const auto refuse = [&](const std::string& finding, const std::string& hint) {
    throw FormatError(fmt::format("'{}' {}", printable(key), finding), hint, place);
  };
  if (value.kind != Yaml::Kind::text)
    refuse("has no number to start from", "give the whole value, without times or plus");
  WrittenQuantity q;
  try {
    q = read_quantity(value.text);
  } catch (const Error&) {
    refuse(fmt::format("is '{}', which is no number", printable(value.text)), "give the whole value instead");
  }
  if (mode == Varied::Mode::times) {
    q.value *= by.value;
  } else {
    if (!by.unit.empty() && !q.unit.empty() && !(q.dimension == by.dimension))
      refuse(fmt::format("is '{}', to which '{}' cannot be added", printable(value.text), by.unit),
             "a quantity of the same kind");
    q.value += by.value;
    if (q.unit.empty()) {
      q.unit = by.unit;
      q.dimension = by.dimension;
    }
  }
  value.text = quantity_text(q);
}

/// Fit for a header of NumPy's format and for a list.
std::string column_name(const std::string& key) {
  std::string name = printable(key, 200);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\'' || c == '\\' || c == ','; }, '_');
  return name;
}

std::string si_unit(const WrittenQuantity& q) {
  if (q.unit.empty()) return "";
  return q.dimension == dimension::none ? (q.unit == "%" ? "" : "rad") : to_string(q.dimension);
}

}  // namespace

Variation::Variation(const Campaign& campaign)
    : campaign_(campaign),
      scenario_(parse_yaml(campaign.scenario.text, campaign.scenario.places.of("").file)),
      arm_(parse_yaml(write_arm_yaml(campaign.scenario.arm.description()), campaign.scenario.arm.name())),
      believed_(believed_robot(campaign.scenario)) {
  put_text(scenario_, "robot", "arm.yaml");
  Yaml& belief = *values_at(scenario_, "belief", {}, true).front();
  belief.kind = Yaml::Kind::map;
  put_text(belief, "robot", "believed.yaml");
  for (const Varied& v : campaign.vary) {
    inputs_.push_back({column_name(v.key), si_unit(v.distribution.quantity(0))});
    arm_varies_ = arm_varies_ || v.key.starts_with(arm_prefix);
  }
  if (campaign.samples)
    for (std::size_t i = 0; i < campaign.samples->keys.size(); ++i) {
      inputs_.push_back({column_name(campaign.samples->keys[i]), campaign.samples->units[i]});
      arm_varies_ = arm_varies_ || campaign.samples->keys[i].starts_with(arm_prefix);
      repeated_ += i > 0;
    }
  if (campaign.identified) {
    arm_varies_ = true;
    for (Eigen::Index k = 0; k < campaign.identified->factor.cols(); ++k)
      inputs_.push_back({fmt::format("identified_{}", k + 1), ""});
  }
  if (campaign.fresh_noise) inputs_.push_back({noise_name, ""});
}

std::vector<double> Variation::values(const std::vector<double>& point) const {
  std::vector<double> u = point, values;
  for (const Correlated& group : campaign_.correlated) {
    Eigen::VectorXd z(group.varied.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = normal_quantile(u[group.varied[i]]);
    const Eigen::VectorXd together = group.factor * z;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double inside = normal_cumulative(together[i]);
      u[group.varied[i]] = std::clamp(inside, 0x1.0p-53, 1 - 0x1.0p-53);
    }
  }
  std::size_t next = 0;
  for (const Varied& v : campaign_.vary) values.push_back(v.distribution.quantile(u[next++]));
  if (campaign_.samples) {
    const auto count = campaign_.samples->rows.size();
    const auto row = std::min(count - 1, static_cast<std::size_t>(u[next++] * static_cast<double>(count)));
    for (const double x : campaign_.samples->rows[row]) values.push_back(x);
  }
  if (campaign_.identified)
    for (Eigen::Index k = 0; k < campaign_.identified->factor.cols(); ++k) values.push_back(normal_quantile(u[next++]));
  if (campaign_.fresh_noise) values.push_back(u[next++]);
  return values;
}

std::string Variation::drawn_text(std::size_t i, double value) const {
  const Distribution& d = campaign_.vary[i].distribution;
  if (d.kind() == Distribution::Kind::choices) return d.choices()[static_cast<std::size_t>(value)];
  return quantity_text(d.quantity(value));
}

void Variation::apply(Yaml& scenario, Yaml& arm, const std::string& key, const Place& place, Varied::Mode mode,
                      const std::string& value) const {
  const bool of_arm = key.starts_with(arm_prefix);
  const std::string inside = of_arm ? key.substr(arm_prefix.size()) : key;
  for (Yaml* node : values_at(of_arm ? arm : scenario, inside, place, mode == Varied::Mode::set)) {
    if (mode != Varied::Mode::set) {
      change_numbers(*node, mode, read_quantity(value), key, place);
    } else if (node->kind == Yaml::Kind::list && !node->list.empty() && !value.starts_with('[')) {
      throw FormatError(fmt::format("'{}' is a list of {}", printable(key), node->list.size()),
                        fmt::format("name one item, {}.0, or all, {}.*; or multiply them: times", key, key), place);
    } else {
      *node = parse_yaml(value, place.file);
      node->place = place;
    }
  }
}

LoadedScenario Variation::scenario(const std::vector<double>& values, const std::string& name) const {
  Yaml scenario = scenario_, arm = arm_;
  put_text(scenario, "scenario", name);
  std::size_t next = 0;
  for (std::size_t i = 0; i < campaign_.vary.size(); ++i) {
    const Varied& v = campaign_.vary[i];
    apply(scenario, arm, v.key, v.place, v.mode, drawn_text(i, values[next++]));
  }
  if (campaign_.samples)
    for (std::size_t i = 0; i < campaign_.samples->keys.size(); ++i) {
      const std::string text = exact_text(values[next++]) + " " + campaign_.samples->units[i];
      apply(scenario, arm, campaign_.samples->keys[i], campaign_.samples->place, Varied::Mode::set, text);
    }
  std::optional<Arm> truth;
  if (arm_varies_) {
    Eigen::VectorXd z;
    if (campaign_.identified) {
      z = Eigen::Map<const Eigen::VectorXd>(values.data() + next, campaign_.identified->factor.cols());
      next += static_cast<std::size_t>(z.size());
      move_drives(*campaign_.identified, z, arm);
    }
    ParsedArm parsed = read_arm_yaml(arm);
    if (campaign_.identified) move_links(*campaign_.identified, z, parsed.description);
    truth = checked_arm(parsed, campaign_.scenario.kernels);
  }
  if (campaign_.fresh_noise) put_text(scenario, "seed", fmt::format("{:.0f}", values[next++]));
  return scenario_from_tree(scenario, truth ? *truth : campaign_.scenario.arm, believed_);
}

std::string Variation::text(const std::vector<double>& values) const {
  std::string text;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const bool chosen =
        i < campaign_.vary.size() && campaign_.vary[i].distribution.kind() == Distribution::Kind::choices;
    text += fmt::format("{}{} = {}{}{}", i ? ", " : "", inputs_[i].name,
                        chosen ? drawn_text(i, values[i]) : fmt::format("{:.6g}", values[i]),
                        inputs_[i].unit.empty() || chosen ? "" : " ", chosen ? "" : inputs_[i].unit);
  }
  return text;
}

std::string Variation::identity() const {
  std::string text = fmt::format("seed {}\nnoise {}\n", campaign_.seed, campaign_.fresh_noise ? "fresh" : "same");
  const char* const modes[] = {"set", "times", "plus"};
  for (const Varied& v : campaign_.vary)
    text += fmt::format("vary {} {} {}\n", v.key, modes[static_cast<int>(v.mode)], v.distribution.text());
  for (const Correlated& group : campaign_.correlated)
    for (Eigen::Index i = 0; i < group.factor.rows(); ++i) {
      text += fmt::format("correlated {}", campaign_.vary[group.varied[i]].key);
      for (Eigen::Index j = 0; j <= i; ++j) text += " " + exact_text(group.factor(i, j));
      text += "\n";
    }
  if (campaign_.samples)
    for (const std::vector<double>& row : campaign_.samples->rows) {
      text += "samples";
      for (const double x : row) text += " " + exact_text(x);
      text += "\n";
    }
  if (campaign_.identified)
    for (Eigen::Index i = 0; i < campaign_.identified->factor.rows(); ++i) {
      text += "identified " + campaign_.identified->names[i];
      for (Eigen::Index j = 0; j < campaign_.identified->factor.cols(); ++j)
        text += " " + exact_text(campaign_.identified->factor(i, j));
      text += "\n";
    }
  return text + "\n" + campaign_.scenario.text + "\n" + write_arm_yaml(campaign_.scenario.arm.description()) + "\n" +
         write_arm_yaml(believed_.description());
}

}  // namespace armature::campaign
