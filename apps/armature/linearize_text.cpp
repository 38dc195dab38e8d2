#include "linearize_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/text.hpp"
#include "text_table.hpp"

namespace armature::app {

std::string limit_cycle_text(const LoopBalance& balance) {
  if (balance.elements.empty())
    return "\nLimit cycles: none, since the plant has no backlash, no hardening spring and no dry friction.\n";
  std::string text = fmt::format("\nLimit cycles by harmonic balance, from the describing functions of {}\n\n",
                                 fmt::join(balance.elements, ", "));
  if (balance.cycles.empty()) text += "  none: oscillations of every amplitude decay, or all of them grow\n";
  std::vector<std::string> header{"Hz", "oscillation"};
  std::vector<std::vector<std::string>> rows;
  for (const std::string& element : balance.elements) header.push_back(element);
  for (const LimitCycle& cycle : balance.cycles) {
    rows.push_back({short_text(cycle.frequency), cycle.stable ? "sustained" : "unstable: larger ones grow"});
    for (const Swing& swing : cycle.swings)
      rows.back().push_back(fmt::format("{} {}", short_text(swing.amplitude), swing.twist ? "rad" : "rad/s"));
  }
  if (!rows.empty()) text += text_table(header, rows);
  if (balance.load > 1e-6)
    text += fmt::format(
        "\n  Gravity loads the joints with up to {} (N m | N) here, which harmonic balance neglects: it assumes "
        "symmetric "
        "oscillations.\n",
        short_text(balance.load));
  return text;
}

Json limit_cycle_json(const LoopBalance& balance) {
  Json all = Json::array();
  for (const LimitCycle& cycle : balance.cycles) {
    Json one{{"frequency", cycle.frequency}, {"stable", cycle.stable}, {"swings", Json::array()}};
    for (const Swing& swing : cycle.swings)
      one["swings"].push_back(
          {{"element", swing.element}, {"amplitude", swing.amplitude}, {"unit", swing.twist ? "rad" : "rad/s"}});
    all.push_back(std::move(one));
  }
  return all;
}

ReducedAnswer compare(const StateSpace& whole, ReducedModel model, const std::vector<double>& frequencies) {
  ReducedAnswer answer;
  answer.order = static_cast<int>(whole.A.rows());
  answer.from = frequencies.front();
  answer.to = frequencies.back();
  const auto before = frequency_response(whole, 0, 0, frequencies),
             after = frequency_response(model.system, 0, 0, frequencies);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    answer.largest = std::max(answer.largest, std::abs(before[i]));
    answer.error = std::max(answer.error, std::abs(after[i] - before[i]));
    const double decibel = std::abs(20 * std::log10(std::abs(after[i] / before[i])));
    if (decibel > answer.decibel) {
      answer.decibel = decibel;
      answer.at = frequencies[i];
    }
  }
  answer.model = std::move(model);
  return answer;
}

namespace {

const char* name_of(Reduction method) { return method == Reduction::modal ? "modal" : "balanced"; }

}  // namespace

std::string reduced_text(const ReducedAnswer& a) {
  const Eigen::Index order = a.model.system.A.rows();
  std::string text = fmt::format(
      "\nReduced from order {} to {} by {} truncation, the static part of what is left out kept: {}\n\n"
      "  {} of {} states do not decay and are kept as they are.\n"
      "  Hankel singular values of the others:",
      a.order, order, name_of(a.method), a.channel, a.order - a.model.decaying, a.order);
  for (const double value : a.model.hankel) text += " " + short_text(value);
  text += fmt::format(
      "\n  At no frequency is the response off by more than {} (the bound). Between {} Hz and {} Hz, where it reaches "
      "{}, it "
      "is off by {} at most:\n  {:.3g} % of its largest; its magnitude by at most {:.3f} dB, at {} Hz.\n",
      short_text(a.model.bound), short_text(a.from), short_text(a.to), short_text(a.largest), short_text(a.error),
      100 * a.error / a.largest, a.decibel, short_text(a.at));
  return text;
}

Json reduced_json(const ReducedAnswer& a) {
  const StateSpace& s = a.model.system;
  return {{"method", name_of(a.method)},
          {"channel", a.channel},
          {"order", s.A.rows()},
          {"order_before", a.order},
          {"hankel", json_of(a.model.hankel)},
          {"bound", a.model.bound},
          {"error", a.error},
          {"error_db", a.decibel},
          {"error_at", a.at},
          {"A", json_of(s.A)},
          {"B", json_of(s.B)},
          {"C", json_of(s.C)},
          {"D", json_of(s.D)}};
}

std::string reduced_drives_text(const std::vector<ReducedDriveAnswer>& drives, Reduction method) {
  std::vector<std::vector<std::string>> rows;
  const auto percent = [](double share) { return fmt::format("{:.3g} %", 100 * share); };
  for (const ReducedDriveAnswer& d : drives)
    rows.push_back({d.name, std::to_string(d.order), std::to_string(d.reduction.model.system.A.rows()),
                    percent(d.reduction.model.bound), percent(d.error[0]), percent(d.error[1])});
  return fmt::format(
      "\nDrives by {} truncation, the static part of what is left out kept: torque from command and from speed\n\n{}"
      "\n  Errors are shares of the largest response of each; at no frequency are they larger than the bound.\n",
      name_of(method), text_table({"joint", "states", "kept", "bound", "from command", "from speed"}, rows));
}

Json reduced_drives_json(const std::vector<ReducedDriveAnswer>& drives, Reduction method) {
  Json all = Json::array();
  for (const ReducedDriveAnswer& d : drives) {
    const ReducedModel& model = d.reduction.model;
    all.push_back({{"joint", d.joint + 1},
                   {"method", name_of(method)},
                   {"order", model.system.A.rows()},
                   {"order_before", d.order},
                   {"hankel", json_of(model.hankel)},
                   {"bound", model.bound},
                   {"largest", json_of(Eigen::VectorXd(d.reduction.peak))},
                   {"error", json_of(Eigen::VectorXd(d.error))}});
  }
  return all;
}

}  // namespace armature::app
