#include "armature/campaign/kernel_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>

#include "armature/core/text.hpp"
#include "armature/core/threads.hpp"

namespace armature::campaign {

namespace {

constexpr std::uint64_t probes = 12;  // runs that are worked out to see what varies
constexpr long lanes = 8;             // runs that a kernel of the host makes side by side
constexpr double same_line = 1e-12;   // of a number's size: rounding of its text and units

std::vector<std::string> words_of(const std::string& key) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= key.size();) {
    const std::size_t dot = std::min(key.find('.', start), key.size());
    words.push_back(key.substr(start, dot - start));
    start = dot + 1;
  }
  return words;
}

/// Whether a key is one of the numbers of a run in a kernel, not part of its text or of the reference.
bool may_vary(const std::string& key) {
  const std::vector<std::string> words = words_of(key);
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (words[0] == "start") return has("q") || has("v");
  if (words[0] == "controller") return has("kp") || has("kd");
  if (words[0] == "sensors") return has("position_noise") || has("speed_noise") || has("encoder");
  if (words[0] != "arm" || words.size() < 2) return false;
  if (words[1] == "payload") return true;
  return words.size() > 3 && words[1] == "joints" &&
         (words[3] == "friction" || words[3] == "link" || words[3] == "limits" || words[3] == "drive");
}

void check_keys(const Campaign& campaign) {
  const auto check = [](const std::string& key) {
    if (!may_vary(key))
      throw NotForKernels(
          fmt::format("'{}' varies, which is a constant of a kernel", printable(key)),
          "what may vary there: start, kp and kd, noise and encoder of the sensors, and the payload, friction, links, "
          "limits and drives of the arm");
  };
  for (const Varied& v : campaign.vary) check(v.key);
  if (campaign.samples)
    for (const std::string& key : campaign.samples->keys) check(key);
}

}  // namespace

KernelRuns::KernelRuns(const CampaignRuns& runs, MotionParameters parameters, bool states)
    : runs_(runs),
      parameters_(std::move(parameters)),
      figures_{.states = states},
      arm_(runs.campaign().scenario.arm),
      believed_(runs.campaign().scenario.believed) {
  check_keys(runs.campaign());
  for (const Metric& metric : runs.metrics()) figures_.joints = figures_.joints || metric.of_one_joint;
  const LoadedScenario first = runs.scenario(0);
  arm_ = first.arm;
  believed_ = first.believed;
  base_ = kernel_loop(first, figures_, parameters_);
  table_ = kernel_table(first, base_);
  base_ = kernel_loop(first, figures_, parameters_, &table_);
  all_ = base_.numbers;
  all_.insert(all_.end(), base_.parameters.begin(), base_.parameters.end());
  find_what_varies();
  if (base_.automatic) try_steps();
  find_slopes();
  std::sort(varied_.begin(), varied_.end());
  for (const std::size_t i : varied_)
    if (i >= base_.numbers.size()) varied_parameters_.push_back(i - base_.numbers.size());
  find_rests();
  for (const Metric& metric : runs.metrics()) metrics_.push_back(kernel_metric(metric.name));
}

std::optional<KernelRuns::Numbers> KernelRuns::numbers_of(const LoadedScenario& loaded) const {
  KernelLoop loop;
  try {
    loop = kernel_loop(loaded, figures_, parameters_, &table_);
  } catch (const NotForKernels&) {
    return std::nullopt;
  }
  if (!(loop.kind == base_.kind) || loop.parameters.size() != base_.parameters.size()) return std::nullopt;
  Numbers numbers{std::move(loop.numbers), loop.seed};
  numbers.all.insert(numbers.all.end(), loop.parameters.begin(), loop.parameters.end());
  return numbers;
}

/// What differs among the first runs. Their references must be one.
void KernelRuns::find_what_varies() {
  const std::uint64_t count = std::min(probes, runs_.plan().runs());
  std::uint64_t others = 0;
  for (std::uint64_t run = 1; run < count; ++run) {
    std::optional<LoadedScenario> drawn;
    try {
      drawn = runs_.scenario(run);
    } catch (const FormatError&) {
      continue;  // no such machine: said when its turn comes
    }
    const LoadedScenario& loaded = *drawn;
    if (run < 3 && kernel_table(loaded, base_).rows != table_.rows)
      throw NotForKernels("the reference differs from run to run: it starts where the arm does, or is noisy",
                          "give reference.from, or leave start.q alone");
    const std::optional<Numbers> numbers = numbers_of(loaded);
    if (!numbers) {  // it is simulated
      if (2 * ++others > count)
        throw NotForKernels("runs differ in more than numbers: most are another loop than run 0", "");
      continue;
    }
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (numbers->all[i] != all_[i] && std::find(varied_.begin(), varied_.end(), i) == varied_.end())
        varied_.push_back(i);
  }
}

/// A simulation whose fixed step is its own choice gives it up where it comes by a place for which it is too long. Where one of the first
/// runs does, any may. Runs that come by an end stop are seen one by one.
void KernelRuns::try_steps() const {
  for (std::uint64_t run = 0; run < std::min(probes, runs_.plan().runs()); ++run) try {
      const LoadedScenario loaded = runs_.scenario(run);
      if (!numbers_of(loaded)) continue;  // it is simulated anyway
      const RunResult result = run_timed(loaded);
      const auto& events = result.log.events;
      const bool stopped =
          std::any_of(events.begin(), events.end(), [](const LogEvent& e) { return e.kind == "contact"; });
      if (!stopped && !result.integration.starts_with(to_string(Method::rk4)))
        throw NotForKernels(fmt::format("run.method is 'auto', which makes run {} by {}", run, result.integration),
                            "a fixed step: run: {method: rk4}");
    } catch (const FormatError&) {
      // no such machine: said when its turn comes
    }
}

/// None where there is no such machine, or where it is another loop.
std::optional<std::vector<double>> KernelRuns::numbers_at(const std::vector<double>& values) const {
  try {
    if (auto numbers = numbers_of(runs_.variation().scenario(values, runs_.campaign().name)))
      return std::move(numbers->all);
  } catch (const Error&) {
    // no such machine
  }
  return std::nullopt;
}

/// The least or the largest value of an input but for this share of its draws. None: it is no number that straight lines follow.
std::optional<double> KernelRuns::end_of(std::size_t input, bool largest, double tail) const {
  const Campaign& campaign = runs_.campaign();
  if (input < campaign.vary.size()) {
    const Distribution& distribution = campaign.vary[input].distribution;
    if (distribution.kind() == Distribution::Kind::choices) return std::nullopt;
    return distribution.quantile(largest ? 1 - tail : tail);
  }
  const std::size_t column = input - campaign.vary.size();
  if (!campaign.samples || column >= campaign.samples->keys.size())
    return std::nullopt;  // parameters of an identified arm: bodies that can exist are no straight lines
  double end = origin_[input];
  for (const std::vector<double>& row : campaign.samples->rows)
    end = largest ? std::max(end, row[column]) : std::min(end, row[column]);
  return end;
}

/// Whether the numbers are straight lines of what is drawn, and between which values: the slope of each between both ends of each input. An
/// end where there is no machine is drawn nearer.
void KernelRuns::find_slopes() {
  const std::size_t inputs = runs_.variation().inputs().size() - (runs_.campaign().fresh_noise ? 1 : 0);
  origin_ = runs_.variation().values(runs_.plan().point(0));
  std::vector<std::vector<double>> slopes;
  for (std::size_t j = 0; j < inputs; ++j) {
    std::array<double, 2> ends{};
    std::array<std::optional<std::vector<double>>, 2> at;
    for (std::size_t side = 0; side < 2; ++side)
      for (const double tail : {1e-12, 1e-4}) {
        if (at[side]) continue;
        const std::optional<double> end = end_of(j, side == 1, tail);
        if (!end) return;
        std::vector<double> values = origin_;
        values[j] = ends[side] = *end;
        at[side] = numbers_at(values);
      }
    if (!at[0] || !at[1]) return;
    std::vector<double> slope(all_.size(), 0.0);
    for (std::size_t i = 0; i < all_.size(); ++i)
      if ((*at[0])[i] != (*at[1])[i]) {
        slope[i] = ((*at[1])[i] - (*at[0])[i]) / (ends[1] - ends[0]);
        if (std::find(varied_.begin(), varied_.end(), i) == varied_.end()) varied_.push_back(i);
      }
    slopes.push_back(std::move(slope));
    low_.push_back(ends[0]);
    high_.push_back(ends[1]);
  }
  slopes_ = std::move(slopes);
  if (!slopes_hold()) slopes_.clear();
}

/// Tried at both ends of each input, at two corners and in the first runs.
bool KernelRuns::slopes_hold() const {
  const auto on_the_line = [&](const std::vector<double>& values) {
    const std::optional<std::vector<double>> truth = numbers_at(values);
    std::vector<double> line;
    if (!truth || !predict(values, line)) return false;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const double size = std::max(std::abs((*truth)[i]), std::abs(all_[i]));
      if (!(std::abs(line[i] - (*truth)[i]) <= same_line * size)) return false;
    }
    return true;
  };
  for (std::size_t j = 0; j < low_.size(); ++j)
    for (const double end : {low_[j], high_[j]}) {
      std::vector<double> values = origin_;
      values[j] = end;
      if (!on_the_line(values)) return false;
    }
  for (const std::vector<double>& corner : {low_, high_}) {
    std::vector<double> values = origin_;
    std::copy(corner.begin(), corner.end(), values.begin());
    if (!on_the_line(values)) return false;
  }
  const std::uint64_t count = std::min(probes, runs_.plan().runs());
  for (std::uint64_t run = 1; run < count; ++run) {
    const std::vector<double> values = runs_.variation().values(runs_.plan().point(run));
    std::vector<double> unused;
    if (predict(values, unused) && !on_the_line(values)) return false;
  }
  return true;
}

/// All numbers from what is drawn; false where that lies beyond what was tried, or where the run is another loop.
bool KernelRuns::predict(const std::vector<double>& values, std::vector<double>& all) const {
  all = all_;
  for (std::size_t j = 0; j < slopes_.size(); ++j) {
    if (!(values[j] >= low_[j] && values[j] <= high_[j])) return false;
    const double step = values[j] - origin_[j];
    for (const std::size_t i : varied_) all[i] += slopes_[j][i] * step;
  }
  const KernelLayout& at = base_.layout;
  for (const int i : {at.encoder(), at.position_noise(), at.speed_noise()})
    if ((all[i] > 0) != (all_[i] > 0)) return false;
  return true;
}

KernelRuns::Batch KernelRuns::batch(std::uint64_t first, std::uint64_t count, int threads) const {
  constexpr std::uint64_t piece = 256;
  const std::size_t width = varied_.size();
  std::vector<double> numbers(count * width);
  std::vector<std::uint64_t> seeds(count);
  std::vector<char> made(count, 0);
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr problem;
  std::uint64_t problem_at = count;
  on_threads(threads, [&] {
    std::vector<double> all;
    for (std::uint64_t begin = next.fetch_add(piece); begin < count; begin = next.fetch_add(piece))
      for (std::uint64_t k = begin; k < std::min(begin + piece, count); ++k) try {
          const std::vector<double> values = runs_.variation().values(runs_.plan().point(first + k));
          seeds[k] = runs_.campaign().fresh_noise ? static_cast<std::uint64_t>(values.back()) : base_.seed;
          if (slopes_.empty() || !predict(values, all)) {
            const std::optional<Numbers> own = numbers_of(runs_.scenario(first + k));
            if (!own) continue;
            all = own->all;
            std::size_t differing = 0;
            for (std::size_t i = 0, j = 0; i < all.size(); ++i) {
              if (j < width && varied_[j] == i)
                ++j;
              else
                differing += all[i] != all_[i];
            }
            if (differing > 0) continue;
          }
          for (std::size_t j = 0; j < width; ++j) numbers[k * width + j] = all[varied_[j]];
          made[k] = 1;
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (k < problem_at) {
            problem_at = k;
            problem = std::current_exception();
          }
        }
  });
  if (problem) std::rethrow_exception(problem);
  Batch batch;
  for (std::uint64_t k = 0; k < count; ++k) (made[k] ? batch.runs : batch.others).push_back(first + k);
  const std::size_t kept = batch.runs.size(), padded = (kept + lanes - 1) / lanes * lanes;
  batch.varied.resize(padded * width);
  batch.seeds.resize(padded);
  for (std::size_t k = 0; k < padded && kept > 0; ++k) {
    const std::uint64_t run = batch.runs[std::min(k, kept - 1)] - first;
    batch.seeds[k] = seeds[run];
    for (std::size_t j = 0; j < width; ++j) batch.varied[j * padded + k] = numbers[run * width + j];
  }
  return batch;
}

std::vector<double> KernelRuns::rows(std::uint64_t first, std::uint64_t count, const KernelFunction& kernel,
                                     int threads) const {
  const Batch all = batch(first, count, threads);
  const std::size_t padded = all.seeds.size(), width = runs_.columns().size();
  const auto figures = static_cast<std::size_t>(base_.layout.figures());
  std::vector<double> found(padded * figures);
  if (padded > 0) {
    const std::vector<double> clock = this->clock(), common = this->common();
    if (const char* problem = kernel(clock.data(), common.data(), table_.rows.data(), all.varied.data(), varied_count(),
                                     all.seeds.data(), static_cast<long>(padded), found.data()))
      throw Error(fmt::format("the kernel stopped: {}", problem),
                  "the same command without --device goes on where it stopped");
  }
  std::vector<double> rows(count * width);
  std::vector<std::uint64_t> others = all.others;
  if (base_.automatic)
    for (std::size_t k = 0; k < all.runs.size(); ++k)
      if (found[KernelLayout::ended * padded + k] != 0 || !(found[KernelLayout::stops * padded + k] > 0))
        others.push_back(all.runs[k]);  // a step that was ours did not follow, or a stop was near
  std::atomic<std::size_t> next = 0;
  constexpr std::size_t piece = 1024;
  on_threads(threads, [&] {
    std::vector<double> own(figures), numbers(all_);
    for (std::size_t begin = next.fetch_add(piece); begin < all.runs.size(); begin = next.fetch_add(piece))
      for (std::size_t k = begin; k < std::min(begin + piece, all.runs.size()); ++k) {
        for (std::size_t f = 0; f < figures; ++f) own[f] = found[f * padded + k];
        for (std::size_t j = 0; j < varied_.size(); ++j) numbers[varied_[j]] = all.varied[j * padded + k];
        double* row = rows.data() + (all.runs[k] - first) * width;
        const std::vector<double> values = runs_.variation().values(runs_.plan().point(all.runs[k]));
        row = std::copy(values.begin(), values.end(), row);
        const armature_rollout::Judged<double> run{
            base_.layout, own.data(), numbers.data(), static_cast<int>(samples()), base_.every * base_.tick,
            rests_.data()};
        *row++ = run.value(armature_rollout::Metric::outcome, 0);
        for (const auto& [metric, joint] : metrics_) {
          const double value = run.value(metric, joint);
          *row++ = std::isnan(value) ? std::nan("") : value;  // one NaN, so that tables are equal in every byte
        }
      }
  });
  for (const std::uint64_t run : others) {
    const std::vector<double> row = runs_.row(run);
    std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>((run - first) * width));
  }
  return rows;
}

std::vector<double> KernelRuns::clock() const {
  return {base_.tick, base_.step, static_cast<double>(base_.ticks), static_cast<double>(base_.steps),
          static_cast<double>(base_.every)};
}

std::vector<double> KernelRuns::slopes() const {
  std::vector<double> all;
  for (const std::vector<double>& slope : slopes_)
    for (const std::size_t i : varied_) all.push_back(slope[i]);
  return all;
}

std::vector<double> KernelRuns::varied_at_origin() const {
  std::vector<double> numbers;
  for (const std::size_t i : varied_) numbers.push_back(all_[i]);
  return numbers;
}

std::vector<double> KernelRuns::common() const {
  std::vector<double> numbers = base_.numbers;
  for (const std::size_t i : varied_parameters_) numbers.push_back(base_.parameters[i]);
  return numbers;
}

std::string KernelRuns::text() const {
  const std::size_t count = base_.numbers.size() + varied_parameters_.size();
  std::string text = "struct Loop : armature_rollout::NoFunctions {\n" + constants_text(base_.kind);
  text += fmt::format(
      "  static constexpr int parameters = {}, most = n, most_numbers = {}, most_figures = {};\n"
      "  static constexpr int most_noise = position_noise || speed_noise ? (position_noise + speed_noise) * n : 1;\n",
      varied_parameters_.size(), count, base_.layout.figures());
  const auto call = [&](const char* name, const char* of, const std::string& inputs, const char* output) {
    std::string arguments, handed;
    for (std::size_t start = 0; start < inputs.size();) {
      const std::size_t blank = std::min(inputs.find(' ', start), inputs.size());
      arguments += fmt::format("const T* {}, ", inputs.substr(start, blank - start));
      handed += inputs.substr(start, blank - start) + ", ";
      start = blank + 1;
    }
    text +=
        fmt::format("  template <class T>\n  ARMATURE_DEVICE static void {}({}T* {}) {{\n    loop_{}({}{});\n  }}\n",
                    name, arguments, output, of, handed, output);
  };
  call("forward_dynamics", "forward_dynamics", "q qd tau p", "qdd");
  if (base_.kind.balance) call("energy", "energy", "q qd p", "E");
  if (base_.kind.gravity) call("gravity_torque", "gravity", "q", "g");
  if (base_.layout.computed_torque) call("inverse_dynamics", "inverse_dynamics", "q qd qdd", "tau");
  if (base_.layout.cartesian) {
    text +=
        "  template <class T>\n  ARMATURE_DEVICE static void believed_pose(const T* q, T* R, T* x) {\n"
        "    loop_believed_kinematics(q, R, x);\n  }\n";
    call("jacobian", "jacobian", "q", "J");
  }
  text +=
      "  template <class T>\n  ARMATURE_DEVICE static void tool_pose(const T* q, T* R, T* x) {\n"
      "    loop_forward_kinematics(q, R, x);\n  }\n"
      "  template <class T, class S>\n"
      "  ARMATURE_DEVICE static void fill(const S* common, const S* varied, long stride, T* number) {\n";
  std::vector<std::string> sources(count);
  for (std::size_t i = 0; i < count; ++i) sources[i] = fmt::format("T(common[{}])", i);
  std::size_t parameter = base_.numbers.size();
  for (std::size_t j = 0; j < varied_.size(); ++j) {
    const std::size_t place = varied_[j] < base_.numbers.size() ? varied_[j] : parameter++;
    sources[place] = fmt::format("armature_rollout::Runs<T>::load(varied + {} * stride)", j);
  }
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("    number[{}] = {};\n", i, sources[i]);
  if (varied_.empty()) text += "    (void)varied;\n    (void)stride;\n";
  return text + "  }\n};\n";
}

/// How far the reference still goes, from every sample on.
void KernelRuns::find_rests() {
  const auto columns = static_cast<std::size_t>(base_.layout.columns());
  for (int i = 0; i < base_.layout.n; ++i) {
    std::vector<double> far(samples());
    double most = 0;
    for (std::size_t k = far.size(); k-- > 0;) {
      const double r = table_.rows[k * static_cast<std::size_t>(base_.every) * columns + static_cast<std::size_t>(i)];
      most = std::max(most, std::abs(r - table_.goal[i]));
      far[k] = most;
    }
    rests_.insert(rests_.end(), far.begin(), far.end());
  }
}

KernelMetric kernel_metric(const std::string& name) {
  using M = armature_rollout::Metric;
  constexpr std::pair<std::string_view, M> of_the_machine[] = {{"tool_rms", M::tool_rms},
                                                               {"tool_largest", M::tool_largest},
                                                               {"tool_end", M::tool_end},
                                                               {"turn_rms", M::turn_rms},
                                                               {"turn_largest", M::turn_largest},
                                                               {"settling", M::settling},
                                                               {"overshoot", M::overshoot},
                                                               {"effort", M::effort},
                                                               {"peak_torque", M::peak_torque},
                                                               {"energy", M::energy},
                                                               {"dissipated", M::dissipated},
                                                               {"saturation", M::saturation},
                                                               {"limit_margin", M::limit_margin},
                                                               {"speed_share", M::speed_share},
                                                               {"torque_share", M::torque_share},
                                                               {"contact_force", M::contact_force},
                                                               {"outcome", M::outcome}};
  constexpr std::pair<std::string_view, M> of_a_joint[] = {
      {"q{}_rms", M::q_rms},           {"q{}_largest", M::q_largest},     {"q{}_end", M::q_end},
      {"q{}_settling", M::q_settling}, {"q{}_overshoot", M::q_overshoot}, {"q{}_limit_distance", M::q_limit_distance},
      {"tau{}_rms", M::tau_rms},       {"tau{}_peak", M::tau_peak}};
  for (const auto& [known, metric] : of_the_machine)
    if (name == known) return {metric, 0};
  for (const auto& [known, metric] : of_a_joint)
    for (int i = 0; i < max_joints; ++i)
      if (name == fmt::format(fmt::runtime(known), i + 1)) return {metric, i};
  throw Error(fmt::format("a kernel knows no metric '{}'", printable(name)));
}

}  // namespace armature::campaign
