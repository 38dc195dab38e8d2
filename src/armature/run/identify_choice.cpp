#include "armature/run/identify_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/identification/periods.hpp"

namespace armature::run {

namespace {

const std::vector<std::pair<std::string, Estimator>> estimators{
    {"wls", Estimator::weighted},  {"ols", Estimator::ordinary},    {"irls", Estimator::robust},
    {"tls", Estimator::total},     {"ml", Estimator::likelihood},   {"iv", Estimator::instruments},
    {"rls", Estimator::recursive}, {"oe", Estimator::output_error}, {"didim", Estimator::direct_inverse},
    {"energy", Estimator::energy}};

std::vector<std::string> estimator_words() {
  std::vector<std::string> words;
  for (const auto& [name, value] : estimators) words.push_back(name);
  words.emplace_back("ekf");  // of one joint, which is another experiment
  return words;
}

Estimator estimator_of(const std::string& word) {
  for (const auto& [name, value] : estimators)
    if (name == word) return value;
  throw Error(fmt::format("there is no estimator '{}' of a whole arm", printable(word)),
              suggestion(word, estimator_words()));
}

/// "stribeck", or with its shape fixed: "stribeck:0.1" (speed), "three_sigmoid:50,8,1" (slopes), "coulomb_viscous:0.05" and
/// "asymmetric:0.05" (speed over which the sign is smoothed).
void read_friction(const std::string& text, IdentifySettings& s) {
  using Law = FrictionShape::Law;
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  const std::vector<std::pair<std::string, Law>> laws{{"none", Law::none},
                                                      {"coulomb_viscous", Law::coulomb_viscous},
                                                      {"asymmetric", Law::asymmetric},
                                                      {"stribeck", Law::stribeck},
                                                      {"three_sigmoid", Law::sigmoids},
                                                      {"lugre", Law::stribeck},
                                                      {"load_dependent", Law::load_dependent}};
  s.choose_friction = word == "choose";
  FrictionShape shape;
  std::vector<std::string> words{"choose"};
  bool known = s.choose_friction;
  for (const auto& [name, law] : laws) {
    if (name == word) {
      shape.law = law;
      known = true;
    }
    words.push_back(name);
  }
  if (!known)
    throw Error(fmt::format("there is no friction law '{}' to ask for", printable(word)), suggestion(word, words));
  s.lugre = word == "lugre";
  s.find_shape = colon == std::string::npos && (shape.law == Law::stribeck || shape.law == Law::sigmoids);
  if (colon != std::string::npos) {
    const std::string rest = text.substr(colon + 1);
    const std::size_t wanted = shape.law == Law::sigmoids ? 3 : 1;
    std::vector<double> numbers;
    for (const std::string& number : split_words(rest)) numbers.push_back(parse_quantity(number, dimension::none));
    const bool fit = numbers.size() == wanted && *std::min_element(numbers.begin(), numbers.end()) > 0;
    if (!fit || word == "choose" || word == "none" || s.lugre || shape.law == Law::load_dependent)
      throw Error(fmt::format("--friction {}", printable(text)),
                  "for example coulomb_viscous:0.05, stribeck:0.1 (rad/s) or three_sigmoid:50,8,1 (s/rad)");
    if (shape.law == Law::sigmoids)
      std::copy(numbers.begin(), numbers.end(), shape.slopes.begin());
    else
      (shape.law == Law::stribeck ? shape.stribeck_velocity : shape.width) = numbers.front();
  }
  s.model.friction = {shape};
}

/// "2.5s..20s", "..20s", "3s..".
TimeWindow parse_window(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos)
    throw Error(fmt::format("--window is '{}'", printable(text)), "from one time to another, e.g. 2.5s..20s");
  TimeWindow window;
  if (dots > 0) window.from = parse_quantity(text.substr(0, dots), dimension::time);
  if (dots + 2 < text.size()) window.to = parse_quantity(text.substr(dots + 2), dimension::time);
  if (window.from >= window.to)
    throw Error(fmt::format("--window {} ends before it begins", printable(text)), "e.g. 2.5s..20s");
  return window;
}

/// The windows of every run, on the common axis.
std::vector<TimeWindow> windows_of(const std::vector<std::string>& texts, const MeasuredLog& log, TimeWindow outer) {
  std::vector<TimeWindow> asked, all;
  for (const std::string& text : texts) asked.push_back(parse_window(text));
  if (asked.empty()) asked.push_back({});
  for (const MeasuredLog::Run& run : log.runs())
    for (const TimeWindow& w : asked) {
      const double from = std::max({w.from, outer.from, run.start}), to = std::min({w.to, outer.to, run.end});
      if (from <= to) all.push_back({from + run.shift, to + run.shift});
    }
  if (all.empty())
    throw Error("no log has any time in the window",
                fmt::format("the first runs from {:.6g} s to {:.6g} s", log.runs()[0].start, log.runs()[0].end));
  return all;
}

/// Takes what was given.
void set(double given, double& value) {
  if (!std::isnan(given)) value = given;
}

std::vector<double> link_weights_of(const std::string& text, int links) {
  std::vector<double> weights;
  for (const std::string& word : split_words(text)) weights.push_back(parse_quantity(word, dimension::none));
  if (weights.size() != static_cast<std::size_t>(links))
    throw Error(fmt::format("--link-weights: '{}' has {} {}, not {}", printable(text), weights.size(),
                            weights.size() == 1 ? "value" : "values", links),
                "give one value per joint, separated by commas");
  if (*std::min_element(weights.begin(), weights.end()) <= 0)
    throw Error("a link weight is not above zero", "1: as the others; 100: this link is known well");
  return weights;
}

}  // namespace

MeasuredLog open_logs(const std::vector<std::string>& paths, const Arm& arm, const ProcessingChoice& choice,
                      bool standing_joints) {
  MeasuredLogSettings settings;
  if (!choice.map.empty()) settings.map = read_log_map(choice.map, arm);
  settings.standing_joints = standing_joints;
  return {paths, arm, settings};
}

void ProcessingChoice::fields(Fields& f) {
  f.text(
      "map", map,
      "YAML file that names the columns where they have other names, and says whether they belong to motors or joints "
      "(docs/logs.md)");
  f.frequency("cutoff", cutoff, "cutoff of the zero-phase filter on the positions (default: rate/5, at most 100 Hz)",
              Range::positive);
  f.frequency("parallel", parallel,
              "cutoff of the parallel filter on the equations (default: rate/12.5, at most 40 Hz)", Range::positive);
  f.integer("decimation", decimation,
            "keep every N-th equation (default: 2.5 equations per period of the parallel filter's cutoff)",
            Range::positive);
  f.number("standstill", standstill, dimension::rate,
           "leave out a joint's equations below this speed (default 0.05 rad/s; sliding joints: 0.005 m/s)",
           Range::not_negative);
  f.number("from", from, dimension::time, "use the log from this time on");
  f.number("to", to, dimension::time, "use the log up to this time");
  std::string window = fmt::format("{}", fmt::join(windows, ","));
  f.text("window", window, "use only these times of each log, \"2.5s..20s,30s..40s\"");
  windows = window.empty() ? std::vector<std::string>{} : split_words(window);
  f.text(
      "torque_delay", torque_delay,
      "how much earlier a row's torque acted; -0.5ms for a command held for 1 ms from its row on; `find` estimates it "
      "(identify only); default: what the log says, else zero");
  f.flag("no_filter", no_filter, "neither filter nor decimate");
  f.flag("observer", observer, "take velocities and accelerations from a Kalman observer instead of a filter");
  f.angle("observer_noise", observer_noise,
          "standard deviation of a position reading, for the observer (default: estimated)", Range::positive);
  f.number("observer_jerk", observer_jerk, dimension::none,
           "density of the jerk in rad/s^3/sqrt(Hz), for the observer (default: estimated)", Range::positive);
  f.flag("measured_velocity", measured_velocity,
         "use the log's velocities (default: where they predict the torques better by a hundredth)");
  f.flag("differences", differences, "take velocities from the positions, though the log has its own");
}

Processing processing_of(const ProcessingChoice& choice, const MeasuredLog& log, bool may_find) {
  Processing p = default_processing(log);
  set(choice.cutoff, p.cutoff);
  set(choice.parallel, p.parallel_cutoff);
  set(choice.standstill, p.standstill);
  set(choice.from, p.from);
  set(choice.to, p.to);
  if (choice.torque_delay == "find" && !may_find)
    throw Error("--torque-delay find is for identify with all joints",
                "give the time that it finds: --torque-delay 0.5ms");
  if (!choice.torque_delay.empty() && choice.torque_delay != "find")
    p.torque_delay = parse_quantity(choice.torque_delay, dimension::time);
  set(choice.observer_noise, p.observer_noise);
  set(choice.observer_jerk, p.observer_jerk);
  if (choice.decimation > 0) p.decimation = choice.decimation;
  if (choice.no_filter) {
    p.cutoff = -1;
    p.parallel_cutoff = -1;
  }
  if (choice.observer) p.motion = Processing::Motion::observer;
  p.measured_velocity = choice.measured_velocity;
  if (p.from >= p.to) throw Error("--from is not before --to", "for example --from 2s --to 18s");
  const bool cut = p.from > -1e299 || p.to < 1e299;
  if (!choice.windows.empty() || (cut && log.runs().size() > 1)) {
    p.windows = windows_of(choice.windows, log, {p.from, p.to});
    p.from = TimeWindow{}.from;
    p.to = TimeWindow{}.to;
  }
  return p;
}

void IdentifyChoice::fields(Fields& f) {
  processing.fields(f);
  own_fields(f);
}

void IdentifyChoice::own_fields(Fields& f) {
  f.text("friction", friction,
         "friction law: choose, none, coulomb_viscous, asymmetric, stribeck, three_sigmoid, lugre or load_dependent; "
         ":NUMBERS fix its "
         "shape (docs/identification.md)");
  f.word(
      "estimator", estimator, estimator_words(),
      "irls is robust; iv and didim need a reference; energy needs no accelerations; oe and didim are for short logs; "
      "ekf is for one joint alone");
  f.number("reference_weight", reference_weight, dimension::none,
           "weight of the described inertia where the log says little (default: by cross-validation)", Range::positive);
  f.text("link_weights", link_weights, "factors on that weight, one per link: 100 where a link is known well");
  f.number("forgetting", forgetting, dimension::none,
           "forgetting factor of rls (default 1: none; 0.9995: over 2000 equations)");
  f.flag("ignore_inertia", ignore_inertia, "give the described inertia no weight");
  f.flag("rotors", rotors, "estimate rotor inertias (default: where that predicts held-out data better)");
  f.flag("no_rotors", no_rotors, "keep the described rotor inertias");
  f.flag("no_springs", no_springs,
         "no torques in the sine and cosine of a joint's angle (default: where they predict held-out data better, and "
         "friction is chosen too)");
  f.flag("no_motor_friction", no_motor_friction, "no separate friction of motors that move several joints");
  f.flag("no_offsets", no_offsets, "no constant torque offset per joint");
  f.flag(
      "find_gravity", find_gravity,
      "estimate the direction of gravity too (a base that is tilted), with an interval; refused where the motion does "
      "not show it");
  f.flag("standing_joints", standing_joints, "accept joints that never move; their parameters stay unknown");
  f.number("period", period, dimension::time,
           "period of a periodic experiment: whole periods are averaged, their differences are the noise",
           Range::positive);
  f.flag("payload", payload, "keep the arm as described and estimate only what its tool carries");
  f.text("joint", joint, "joint for ekf (default: the one that moves)");
  f.text("parameters", parameters,
         "file: say the estimate in these base parameters too, one per line as compute base-parameters prints them");
  f.text("without", without, "those of them that are zero, \"p4,p15\": the others given that");
  f.text("drive_gains", drive_gains,
         "log without the payload that the arm's file describes, while the other logs are with it: what a unit of each "
         "torque column (a current) is worth");
}

void refuse_contradictions(const IdentifyChoice& choice) {
  const bool one_joint = choice.estimator == "ekf";
  if ((!choice.parameters.empty() || choice.find_gravity) &&
      (choice.payload || one_joint || !choice.drive_gains.empty()))
    throw Error(
        fmt::format("{} is about a whole arm: it goes with none of --payload, --drive-gains and --estimator ekf",
                    choice.find_gravity ? "--find-gravity" : "--parameters"),
        "leave it out");
  if (!choice.joint.empty() && !one_joint)
    throw Error("--joint is for --estimator ekf, the filter of one joint", "all joints are identified together");
  if (!choice.without.empty() && choice.parameters.empty())
    throw Error("--without names parameters of --parameters", "--parameters FILE as well");
}

IdentifySettings identify_settings(const IdentifyChoice& choice, const Arm& arm, const MeasuredLog& log) {
  IdentifySettings s;
  s.processing = processing_of(choice.processing, log, true);
  s.find_delay = choice.processing.torque_delay == "find";
  s.find_gravity = choice.find_gravity;
  s.model.rotors = !choice.no_rotors;
  s.model.offsets = !choice.no_offsets;
  s.choose_rotors = !choice.rotors;
  s.choose_velocity = !choice.processing.differences;
  s.choose_springs = !choice.no_springs;
  s.model.coupled_motor_friction = !choice.no_motor_friction;
  if (!choice.friction.empty()) read_friction(choice.friction, s);
  s.estimator = estimator_of(choice.estimator);
  if (!choice.link_weights.empty()) s.link_weights = link_weights_of(choice.link_weights, arm.dof());
  set(choice.forgetting, s.estimation.forgetting);
  s.trust_reference = !choice.ignore_inertia;
  if (!std::isnan(choice.reference_weight)) s.reference_weight = choice.reference_weight;
  return s;
}

MeanPeriod mean_period(const MeasuredLog& log, const Arm& arm, double period, Processing& processing) {
  const PeriodAverage a = average_periods(block_of(log.source(), arm.dof(), {}, most_held_numbers), period);
  MeanPeriod result;
  result.block.start = a.mean.start - period;
  result.block.step = a.mean.step;
  result.block.q = a.mean.q.replicate(3, 1);
  result.block.tau = a.mean.tau.replicate(3, 1);
  processing.from = a.mean.start;
  processing.to = a.mean.start + period - 0.5 * a.mean.step;
  std::vector<std::string> noise;
  for (const double x : a.torque_noise) noise.push_back(short_text(x));
  result.sentence = fmt::format(
      "Mean of {} periods of {:g} s, the first left out; by the repetitions alone one torque reading has a noise of {} "
      "(N m | N){}.",
      a.periods, period, fmt::join(noise, ", "),
      a.drift > 5 ? ", and the mean torque drifts from period to period: is the arm warming up?" : "");
  return result;
}

std::optional<OwnColumns> own_columns(const IdentifyChoice& choice, const Arm& arm) {
  if (choice.parameters.empty()) return std::nullopt;
  OwnColumns own{columns_from_text(arm, read_text_file(choice.parameters, 1 << 20), choice.parameters), {}};
  if (!choice.without.empty()) own.zero = split_words(choice.without);
  (void)own.columns.without(own.zero);  // says which is not there
  return own;
}

std::vector<DriveGain> drive_gains_by_payload(const Arm& arm, const MeasuredLog& carrying, const MeasuredLog& empty,
                                              const ProcessingChoice& choice) {
  if (!arm.description().payload)
    throw Error("the arm's file describes no payload, and --drive-gains needs one that is known",
                "payload: {mass: 5 kg, com: [0, 0, 80 mm]} in the arm's file: what the log was measured with");
  ArmDescription bare = arm.description();
  bare.payload.reset();
  const MotionSource loaded = carrying.source(), free = empty.source();
  return drive_gains(arm, Arm(bare), loaded, default_processing(processing_of(choice, carrying), loaded, arm.dof()),
                     free, default_processing(processing_of(choice, empty), free, arm.dof()));
}

ArmDescription carrying(const Arm& arm, const PayloadEstimate& payload, const std::string& file) {
  ArmDescription with = arm.description();
  if (with.payload)
    throw Error("the arm already carries a payload", "describe it without, then the difference is the payload", {file});
  const Inertia<double> body = inertia_from_parameters<double>(payload.body);
  MassProperties mass;
  mass.mass = body.m;
  mass.position = body.h / body.m;
  mass.tensor = central_inertia(body);
  mass.source = "identified";
  with.payload = mass;
  return with;
}

int joint_called(const Arm& arm, const std::string& asked) {
  std::vector<std::string> names;
  for (int i = 0; i < arm.dof(); ++i) {
    names.push_back(arm.joint(i).name);
    if (asked == names.back() || asked == std::to_string(i + 1)) return i;
  }
  throw Error(fmt::format("--joint: the arm has no joint '{}'", printable(asked)), suggestion(asked, names));
}

double parse_share(const std::string& option, const std::string& text) {
  const bool percent = text.ends_with('%');
  const double share =
      parse_quantity(percent ? text.substr(0, text.size() - 1) : text, dimension::none) / (percent ? 100 : 1);
  if (!(share > 0))
    throw Error(option + " is not above zero", fmt::format("a share of the torques, for example {} 5%", option));
  return share;
}

}  // namespace armature::run
