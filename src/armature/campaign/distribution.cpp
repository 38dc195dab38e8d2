#include "armature/campaign/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "armature/campaign/internal/normal.hpp"
#include "armature/core/text.hpp"

namespace armature::campaign {

double normal_quantile(double u) { return -std::sqrt(2.0) * boost::math::erfc_inv(2 * u); }
double normal_cumulative(double x) { return 0.5 * boost::math::erfc(-x / std::sqrt(2.0)); }

namespace {

constexpr const char* kind_words[] = {"normal", "uniform", "log_normal", "triangular", "choices"};

}  // namespace

Distribution::Distribution(const Yaml& value, const std::string& what) {
  YamlMap map(value, what);
  const Yaml* chosen = nullptr;
  for (int k = 0; k < 5; ++k) {
    const Yaml* found = map.find(kind_words[k]);
    if (!found) continue;
    if (chosen) throw FormatError(fmt::format("{} has two distributions", what), "keep one of them", found->place);
    chosen = found;
    kind_ = static_cast<Kind>(k);
    text_ = kind_words[k];
  }
  const Yaml* between = map.find("between");
  const Yaml* weights = map.find("weights");
  map.finish();
  if (!chosen)
    throw FormatError(fmt::format("{} has no distribution", what),
                      fmt::format("one of {}", fmt::join(kind_words, ", ")), value.place);
  if (kind_ == Kind::choices)
    read_choices(*chosen, weights, what);
  else
    read_numbers(*chosen, what, kind_ == Kind::triangular ? 3 : 2);
  if (weights && kind_ != Kind::choices)
    throw FormatError(fmt::format("{} has weights without choices", what), "weights belong to choices", weights->place);
  if (between) read_bounds(*between, what);
}

/// One of its numbers; all have the dimension of the first that has a unit.
double Distribution::read(const Yaml& value, const std::string& what) {
  const std::string text = text_of(value, what);
  try {
    const WrittenQuantity q = read_quantity(text);
    if (!q.unit.empty() && !unit_.unit.empty() && !(q.dimension == unit_.dimension))
      throw FormatError(fmt::format("{} mixes units: '{}' beside '{}'", what, printable(text), unit_.unit),
                        "all its numbers are of one kind");
    if (unit_.unit.empty()) unit_ = q;
    text_ += (numbers_.empty() ? " " : ", ") + text;
    return q.value;
  } catch (const Error& error) {
    throw FormatError(error.finding(), error.hint(), value.place);
  }
}

void Distribution::read_numbers(const Yaml& value, const std::string& what, std::size_t count) {
  const std::vector<Yaml>& list = list_of(value, what);
  const char* const forms[] = {"[mean, deviation]", "[low, high]", "[median, deviation of the logarithm]",
                               "[low, mode, high]"};
  const auto refuse = [&](const std::string& finding, const std::string& hint) {
    throw FormatError(fmt::format("{}: {}", what, finding), hint, value.place);
  };
  if (list.size() != count)
    refuse(fmt::format("{} has {} numbers", text_, list.size()), forms[static_cast<int>(kind_)]);
  for (const Yaml& item : list) {
    if (kind_ == Kind::log_normal && numbers_.size() == 1) {  // a plain number, whatever the unit of the median
      const std::string text = text_of(item, what);
      try {
        numbers_.push_back(parse_quantity(text, dimension::none));
      } catch (const Error& error) {
        throw FormatError(error.finding(), "the deviation of a logarithm has no unit: 0.2 or 20 %", item.place);
      }
      text_ += ", " + text;
      continue;
    }
    numbers_.push_back(read(item, what));
  }
  const double a = numbers_[0], b = numbers_[1];
  if (kind_ == Kind::normal && !(b > 0)) refuse("its standard deviation is not positive", "give what spreads it");
  if (kind_ == Kind::uniform && !(a < b)) refuse("its lower end is not below its upper end", "[low, high]");
  if (kind_ == Kind::log_normal && !(a > 0 && b > 0))
    refuse("a log-normal quantity and its spread are positive", "[median, deviation of the logarithm]: [2 kg, 20 %]");
  if (kind_ == Kind::triangular && !(a <= b && b <= numbers_[2] && a < numbers_[2]))
    refuse("its numbers are not in order", "[low, mode, high]");
}

void Distribution::read_choices(const Yaml& value, const Yaml* weights, const std::string& what) {
  for (const Yaml& item : list_of(value, what)) {
    choices_.push_back(text_of(item, what));
    text_ += (choices_.size() == 1 ? " " : ", ") + choices_.back();
  }
  if (choices_.empty()) throw FormatError(fmt::format("{} has no choices", what), "at least one", value.place);
  sums_.assign(choices_.size(), 1);
  if (weights) {
    const std::vector<Yaml>& list = list_of(*weights, what);
    if (list.size() != choices_.size())
      throw FormatError(fmt::format("{} has {} weights for {} choices", what, list.size(), choices_.size()),
                        "one a choice", weights->place);
    for (std::size_t i = 0; i < list.size(); ++i) {
      sums_[i] = quantity_of(list[i], what, {"", dimension::none});
      text_ += (i ? ", " : " weights ") + list[i].text;
      if (!(sums_[i] > 0))
        throw FormatError(fmt::format("{}: a weight is not positive", what), "leave out what never happens",
                          list[i].place);
    }
  }
  double total = 0;
  for (double& sum : sums_) sum = total += sum;
  for (double& sum : sums_) sum /= total;
}

void Distribution::read_bounds(const Yaml& value, const std::string& what) {
  if (kind_ == Kind::choices)
    throw FormatError(fmt::format("{}: choices have no bounds", what), "leave `between` out", value.place);
  const std::vector<Yaml>& list = list_of(value, what);
  if (list.size() != 2) throw FormatError(fmt::format("{}: between is a pair", what), "[low, high]", value.place);
  text_ += " between";
  low_ = read(list[0], what);
  high_ = read(list[1], what);
  below_ = cumulative(low_);
  inside_ = cumulative(high_) - below_;
  bounded_ = true;
  if (!(low_ < high_) || !(inside_ > 1e-6))
    throw FormatError(fmt::format("{}: next to nothing lies between its bounds", what),
                      "[low, high], where the distribution has some weight", value.place);
}

double Distribution::cumulative(double x) const {
  switch (kind_) {
    case Kind::normal:
      return normal_cumulative((x - numbers_[0]) / numbers_[1]);
    case Kind::log_normal:
      return x > 0 ? normal_cumulative(std::log(x / numbers_[0]) / numbers_[1]) : 0;
    case Kind::uniform:
      return std::clamp((x - numbers_[0]) / (numbers_[1] - numbers_[0]), 0.0, 1.0);
    case Kind::triangular: {
      const double a = numbers_[0], c = numbers_[1], b = numbers_[2];
      if (x <= a) return 0;
      if (x >= b) return 1;
      return x < c ? (x - a) * (x - a) / ((b - a) * (c - a)) : 1 - (b - x) * (b - x) / ((b - a) * (b - c));
    }
    default:
      return 0;
  }
}

double Distribution::untruncated(double u) const {
  switch (kind_) {
    case Kind::normal:
      return numbers_[0] + numbers_[1] * normal_quantile(u);
    case Kind::log_normal:
      return numbers_[0] * std::exp(numbers_[1] * normal_quantile(u));
    case Kind::uniform:
      return numbers_[0] + (numbers_[1] - numbers_[0]) * u;
    case Kind::triangular: {
      const double a = numbers_[0], c = numbers_[1], b = numbers_[2], at_mode = (c - a) / (b - a);
      return u < at_mode ? a + std::sqrt(u * (b - a) * (c - a)) : b - std::sqrt((1 - u) * (b - a) * (b - c));
    }
    default:
      return 0;
  }
}

double Distribution::quantile(double u) const {
  if (kind_ == Kind::choices) {
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, u);
    return static_cast<double>(found - sums_.begin());
  }
  if (!bounded_) return untruncated(u);
  return std::clamp(untruncated(below_ + inside_ * u), low_, high_);
}

}  // namespace armature::campaign
