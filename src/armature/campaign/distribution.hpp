// How a quantity is spread over the runs of a campaign.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/core/quantity.hpp"
#include "armature/formats/yaml.hpp"

namespace armature::campaign {

/// One quantity's distribution. Every draw is the quantile of a number between 0 and 1, so that every plan can use it.
class Distribution {
 public:
  enum class Kind { normal, uniform, log_normal, triangular, choices };

  /// Reads one of
  ///     {normal: [mean, deviation]}   {uniform: [low, high]}   {triangular: [low, mode, high]}
  ///     {log_normal: [median, deviation of the logarithm]}   {choices: [a, b], weights: [1, 3]}
  /// all but choices with {between: [low, high]}, which cuts off what lies outside. Throws FormatError with place and hint where no
  /// quantity can be spread so.
  explicit Distribution(const Yaml& value, const std::string& what);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// In SI; of choices: which one, from 0.
  [[nodiscard]] double quantile(double u) const;
  [[nodiscard]] const std::vector<std::string>& choices() const { return choices_; }
  /// As it is given, with the unit that the file uses.
  [[nodiscard]] WrittenQuantity quantity(double value) const { return {value, unit_.dimension, unit_.unit}; }
  /// "normal 2 kg, 0.1 kg"
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void read_numbers(const Yaml& value, const std::string& what, std::size_t count);
  void read_choices(const Yaml& value, const Yaml* weights, const std::string& what);
  void read_bounds(const Yaml& value, const std::string& what);
  double read(const Yaml& value, const std::string& what);
  [[nodiscard]] double untruncated(double u) const;
  [[nodiscard]] double cumulative(double x) const;

  Kind kind_ = Kind::uniform;
  std::vector<double> numbers_;  // in the order of the file
  std::vector<std::string> choices_;
  std::vector<double> sums_;       // of the weights, up to 1
  double below_ = 0, inside_ = 1;  // probability below the lower bound, and between the bounds
  double low_ = 0, high_ = 0;      // the bounds, where there are some
  bool bounded_ = false;
  WrittenQuantity unit_;  // of all its numbers
  std::string text_;
};

}  // namespace armature::campaign
