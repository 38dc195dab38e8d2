#include "armature/campaign/device_rollout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "armature/campaign/execute.hpp"
#include "armature/campaign/kernel_text.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/key_path.hpp"
#include "armature/formats/settings_yaml.hpp"

namespace armature::campaign {

namespace {

constexpr const char* call_name = "armature_device_rollouts";
constexpr std::string_view call_text = R"cpp(
  extern "C" const char* armature_device_rollouts(int single, long runs, const armature_rollout::Shared* shared,
                                                  const armature_device::Array* arrays, void* stream) {
    return single ? armature_rollout::rollouts<Rollouts, float>(runs, *shared, arrays, stream)
                  : armature_rollout::rollouts<Rollouts, double>(runs, *shared, arrays, stream);
  }
)cpp";

/// With positions and speeds at the start as the lists that they are where the scenario leaves them out.
LoadedScenario with_start(LoadedScenario loaded) {
  StartSettings& start = loaded.scenario.start;
  for (VecX<double>* x : {&start.q, &start.v})
    if (x->size() == 0) *x = VecX<double>::Zero(loaded.arm.dof());
  loaded.text = write_scenario(loaded.scenario, joint_kinds(loaded.arm));
  return loaded;
}

/// One number of an input.
struct Scalar {
  std::string key;
  WrittenQuantity value;  // in the scenario
};

/// A key, and of a list its items.
std::vector<Scalar> scalars_of(const LoadedScenario& loaded, const std::string& key) {
  const bool of_arm = key.starts_with("arm.");
  const Place place{"vary"};
  Yaml tree = parse_yaml(of_arm ? write_arm_yaml(loaded.arm.description()) : loaded.text, place.file);
  const std::vector<Yaml*> found = values_at(tree, of_arm ? key.substr(4) : key, place, true);
  if (found.empty()) throw FormatError(fmt::format("the key '{}' names nothing", printable(key)), "", place);
  const auto scalar = [&](const Yaml& node, const std::string& name) -> Scalar {
    if (node.kind == Yaml::Kind::nothing) return {name, {}};
    try {
      return {name, read_quantity(text_of(node, name))};
    } catch (const Error&) {
      throw FormatError(fmt::format("'{}' is no number", printable(name)), "a key of a number, or of a list of them",
                        place);
    }
  };
  const Yaml& node = *found.front();
  if (node.kind != Yaml::Kind::list) return {scalar(node, key)};
  std::vector<Scalar> items;
  for (std::size_t i = 0; i < node.list.size(); ++i)
    items.push_back(scalar(node.list[i], fmt::format("{}.{}", key, i)));
  return items;
}

/// A scenario whose numbers are tried between their own values and others: what a kernel needs to know of how its loop follows from them.
class Trial {
 public:
  /// Numbers change by this share of their size.
  Trial(const LoadedScenario& loaded, const std::vector<Scalar>& scalars, const std::vector<std::string>& metrics,
        double share)
      : campaign_(campaign_of(loaded, scalars, metrics, share)),
        runs_(campaign_),
        kernel_(runs_, codegen::motion_parameters, true) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  const KernelRuns& kernel() const { return kernel_; }
  bool straight_lines() const { return campaign_.vary.empty() || kernel_.straight_lines(); }

 private:
  static Campaign campaign_of(const LoadedScenario& loaded, const std::vector<Scalar>& scalars,
                              const std::vector<std::string>& metrics, double share) {
    Campaign c{.name = "rollout", .scenario = loaded, .fresh_noise = false, .plan = {.runs = 4}, .record = metrics};
    for (const Scalar& s : scalars) {
      WrittenQuantity other = s.value;
      other.value += share * (other.value == 0 ? 1 : std::abs(other.value));
      const Yaml range =
          parse_yaml(fmt::format("{{uniform: ['{}', '{}']}}", quantity_text(s.value), quantity_text(other)), "vary");
      c.vary.push_back({s.key, Varied::Mode::set, Distribution(range, s.key), {"vary"}});
    }
    return c;
  }

  Campaign campaign_;
  CampaignRuns runs_;
  KernelRuns kernel_;
};

/// Large changes show slopes with less rounding; not every machine can change so much.
std::unique_ptr<const Trial> straight_trial(const LoadedScenario& loaded, const std::vector<Scalar>& scalars,
                                            const std::vector<std::string>& metrics) {
  for (const double share : {0.5, 1e-2, 1e-4}) try {
      auto trial = std::make_unique<const Trial>(loaded, scalars, metrics, share);
      if (trial->straight_lines()) return trial;
    } catch (const NotForKernels&) {
      throw;
    } catch (const Error&) {  // no such machine
      if (share == 1e-4) throw;
    }
  return nullptr;
}

std::unique_ptr<const Trial> trial_of(const LoadedScenario& loaded, const std::vector<Scalar>& scalars,
                                      const std::vector<std::string>& metrics) {
  try {
    if (loaded.scenario.run.integrator.method == Method::automatic)
      throw NotForKernels("run.method is 'auto', which may change its step on the way",
                          "a fixed step: run: {method: rk4}");
    if (auto trial = straight_trial(loaded, scalars, metrics)) return trial;
    for (const Scalar& s : scalars)
      if (!straight_trial(loaded, {s}, metrics))
        throw NotForKernels(fmt::format("its numbers are no straight lines of '{}'", printable(s.key)),
                            "leave it out of what varies");
    throw NotForKernels("its numbers are no straight lines of what varies together",
                        "one of two that multiply each other, as a mass and where its centre is");
  } catch (const NotForKernels& why) {
    throw Error("no kernel computes these rollouts: " + why.finding(), why.hint(), {loaded.places.of("").file});
  }
}

/// The straight lines as numbers, and as text that reads them: first what the scenario says of each input, then where each starts, then number by number
/// what it is there, and its slopes.
struct Lines {
  std::vector<double> numbers;
  std::string text;
};
Lines lines_of(const KernelRuns& kernel, const std::vector<DeviceRollout::Input>& inputs,
               const std::vector<Scalar>& scalars) {
  const std::vector<double> at_origin = kernel.varied_at_origin(), slopes = kernel.slopes();
  for (std::size_t s = 0; s < scalars.size(); ++s) {
    const auto own = slopes.begin() + static_cast<std::ptrdiff_t>(s * at_origin.size());
    if (std::all_of(own, own + static_cast<std::ptrdiff_t>(at_origin.size()), [](double x) { return x == 0; }))
      throw FormatError(fmt::format("'{}' changes nothing in this loop", printable(scalars[s].key)),
                        "leave it out of what varies", {"vary"});
  }
  Lines lines;
  for (const Scalar& s : scalars) lines.numbers.push_back(s.value.value);
  lines.numbers.insert(lines.numbers.end(), kernel.origin().begin(), kernel.origin().end());
  std::size_t j = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (int part = 0; part < inputs[i].width; ++part, ++j)
      lines.text += fmt::format(
          "    const T x{0} = (input[{1}].data ? input[{1}].at<T>(k, {2}) : T(line[{0}])) - T(line[{3}]);\n", j, i,
          part, scalars.size() + j);
  for (std::size_t v = 0; v < at_origin.size(); ++v) {
    const auto number = [&](double x) {
      lines.numbers.push_back(x);
      return fmt::format("T(line[{}])", lines.numbers.size() - 1);
    };
    lines.text += fmt::format("    varied[{}] = {}", v, number(at_origin[v]));
    for (std::size_t s = 0; s < scalars.size(); ++s)
      if (const double slope = slopes[s * at_origin.size() + v]; slope != 0)
        lines.text += fmt::format(" + {} * x{}", number(slope), s);
    lines.text += ";\n";
  }
  if (lines.numbers.empty()) lines.numbers.push_back(0);
  return lines;
}

/// The loop with what rollouts ask of it (codegen/compiled/device_rollout_work.hpp).
std::string rollouts_text(const KernelRuns& kernel, std::size_t inputs, const Lines& lines,
                          const std::vector<std::string>& metrics) {
  std::string told;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const KernelMetric m = kernel_metric(metrics[i]);
    told += fmt::format("    result.at<T>(k, {}) = run.value(armature_rollout::Metric({}), {});\n", i,
                        static_cast<int>(m.metric), m.joint);
  }
  return fmt::format(
             "struct Rollouts : Loop {{\n  static constexpr int inputs = {}, lines = {}, varied = {};\n"
             "  template <class T>\n  ARMATURE_FLAT static void draw(const armature_device::Array* input, long k, "
             "const "
             "double* line, T* varied) {{\n    (void)input, (void)k, (void)line, (void)varied;\n{}  }}\n"
             "  template <class T>\n  ARMATURE_FLAT static void tell(const armature_rollout::Judged<T>& run, const "
             "armature_device::Array& result, long k) {{\n{}"
             "    for (int i = 0; i < 2 * n; ++i) result.at<T>(k, {} + i) = run.figure[run.at.state() + i];\n  "
             "}}\n}};\n",
             inputs, lines.numbers.size(), std::max(1, kernel.varied_count()), lines.text, told, metrics.size())
      .append(call_text);
}

/// The scenario's own loop has these numbers where nothing is given.
void check_own_values(const LoadedScenario& loaded, const KernelRuns& kernel, const std::vector<Scalar>& scalars) {
  const KernelLoop own = kernel_loop(loaded, {.joints = kernel.loop().kind.joints, .states = true},
                                     codegen::motion_parameters, &kernel.table());
  std::vector<double> all = own.numbers;
  all.insert(all.end(), own.parameters.begin(), own.parameters.end());
  const std::vector<double> at_origin = kernel.varied_at_origin(), slopes = kernel.slopes();
  bool same = own.kind == kernel.loop().kind;
  for (std::size_t v = 0; v < at_origin.size() && same; ++v) {
    double number = at_origin[v];
    for (std::size_t s = 0; s < scalars.size(); ++s)
      number += slopes[s * at_origin.size() + v] * (scalars[s].value.value - kernel.origin()[s]);
    const double truth = all[kernel.varied()[v]];
    same = std::abs(number - truth) <= 1e-9 * std::max({std::abs(truth), std::abs(at_origin[v]), 1e-6});
  }
  if (same) return;
  std::string keys;
  for (const Scalar& s : scalars) keys += (keys.empty() ? "" : ", ") + printable(s.key);
  throw Error(fmt::format("the loop of the scenario itself is another one than where {} varies", keys),
              "give what varies a value in the scenario or in the arm: noise and encoders more than zero",
              {loaded.places.of("").file});
}

std::vector<std::string> known_metrics(const Arm& arm, std::vector<std::string> asked) {
  std::vector<std::string> known, usual;
  for (const Metric& metric : metrics_of_arm(arm)) {
    known.push_back(metric.name);
    if (!metric.of_one_joint) usual.push_back(metric.name);
  }
  for (const std::string& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(fmt::format("there is no metric '{}'", printable(name)), suggestion(name, known), {"metrics"});
  return asked.empty() ? usual : asked;
}

}  // namespace

DeviceRollout::DeviceRollout(const LoadedScenario& scenario, const DeviceRolloutSettings& settings) {
  const LoadedScenario loaded = scenario.scenario.start.on_reference ? scenario : with_start(scenario);
  results_ = known_metrics(loaded.arm, settings.metrics);
  std::vector<Scalar> scalars;
  for (const std::string& key : settings.vary) {
    if (std::count(settings.vary.begin(), settings.vary.end(), key) > 1)
      throw Error(fmt::format("'{}' is given twice", printable(key)), "once", {"vary"});
    const std::vector<Scalar> own = scalars_of(loaded, key);
    inputs_.push_back({key, static_cast<int>(own.size())});
    scalars.insert(scalars.end(), own.begin(), own.end());
  }
  const std::unique_ptr<const Trial> trial = trial_of(loaded, scalars, results_);
  const KernelRuns& kernel = trial->kernel();
  check_own_values(loaded, kernel, scalars);
  results_.insert(results_.begin(), "outcome");
  Lines lines = lines_of(kernel, inputs_, scalars);
  const std::string rollouts = rollouts_text(kernel, inputs_.size(), lines, results_);
  for (const char* part : {"q", "qd"})
    for (int i = 0; i < loaded.arm.dof(); ++i) results_.push_back(fmt::format("{}.{}", part, i));
  clock_ = kernel.clock();
  numbers_ = kernel.common();
  line_ = std::move(lines.numbers);
  table_ = kernel.table().rows;
  rests_ = kernel.rests();
  seed_ = kernel.loop().seed;

  const std::string path = codegen::kept_shared_object(
      fmt::format("rollouts on a device, {:g}\n{}\n{}", settings.effort, kernel_loop_key(kernel), rollouts),
      [&] { return kernel_loop_text(kernel, settings.effort) + rollouts; }, codegen::compiler_of(settings.device));
  object_ = std::make_shared<const codegen::SharedObject>(path);
  call_ = reinterpret_cast<Call>(object_->find(call_name));
  if (!call_) throw Error("holds no rollouts for devices", "remove it, so that it is made again", {path});
}

void DeviceRollout::compute(std::size_t runs, std::span<const codegen::DeviceArray> inputs,
                            const codegen::DeviceArray& seeds, const codegen::DeviceArray& result, bool single,
                            void* stream) const {
  if (inputs.size() != inputs_.size())
    throw Error(fmt::format("{} arrays where {} are read", inputs.size(), inputs_.size()), "one per key that varies");
  if (runs == 0) return;
  std::vector<codegen::DeviceArray> arrays(inputs.begin(), inputs.end());
  arrays.push_back(seeds);
  arrays.push_back(result);
  const armature_rollout::Shared shared{clock_.data(), numbers_.data(), line_.data(),
                                        table_.data(), rests_.data(),   seed_};
  codegen::check_device(call_(single ? 1 : 0, static_cast<long>(runs), &shared, arrays.data(), stream));
}

}  // namespace armature::campaign
