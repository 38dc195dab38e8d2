#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "armature/campaign/kernel_text.hpp"
#include "armature/campaign/lockstep.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::rooms;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(mkdtemp(name_.data())) {}
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  std::string name_ = (fs::temp_directory_path() / "rollout-XXXXXX").string();
  fs::path path_;
};

struct Case {
  std::string robot, controller, method, sensors, vary, more;
};

/// 1000 ticks, a move that ends within them.
std::string scenario_text(const Case& c) {
  const bool panda = c.robot == "panda", rrr = c.robot == "rrr";
  const std::string from = panda ? "[0.1, -0.4, 0.2, -1.8, 0.1, 1.5, 0.3]"
                           : rrr ? "[0, -0.7, 1.2]"
                                 : "[0.1, -0.4, 0.2, 0.3, 0.4, 0.1]",
                    to = panda ? "[0.5, -0.1, 0.5, -1.4, -0.2, 1.9, 0.8]"
                         : rrr ? "[1, -0.1, 0.6]"
                               : "[0.4, -0.1, 0.5, 0.5, 0.2, 0.4]";
  return fmt::format(
      "scenario: x\nrobot: {}\nstart: {{q: {}}}\nreference: {{kind: polynomial, from: {}, to: {}, duration: 0.7 "
      "s}}\ncontroller: {}\n"
      "sensors: {}\nrun: {{duration: 1 s, tick: 1 ms, method: {}}}\n{}",
      c.robot, from, from, to, c.controller, c.sensors, c.method, c.more);
}

/// A campaign of ten runs, and what the simulation makes of them.
class SmallCampaign {
 public:
  explicit SmallCampaign(const Case& c) {
    folder_.write("scenario.yaml", scenario_text(c));
    const std::string file = folder_.write(
        "campaign.yaml",
        fmt::format(
            "campaign: x\nscenario: scenario.yaml\nseed: 5\n{}\nplan: {{runs: 10}}\nrequire: {{tool_largest: below 1 "
            "m}}\n"
            "record: [q1_rms, q2_largest, q2_end, q3_settling, q3_overshoot, q1_limit_distance, tau2_rms, tau2_peak]\n",
            c.vary));
    campaign_.emplace(load_campaign(file));
    runs_.emplace(*campaign_);
    for (std::uint64_t run = 0; run < 10; ++run) truth_.push_back(runs_->row(run));
  }
  const Folder& folder() const { return folder_; }
  const CampaignRuns& runs() const { return *runs_; }

  /// Whether run k hangs on the last digits of where it starts, as its twin tells, whose second joint starts 1e-13 beside it (what the first
  /// one turns does not notice): chattering loops do, and
  /// no two programs agree on them.
  bool chaotic(const SmallCampaign& twin, std::uint64_t run) const {
    for (std::size_t i = runs_->outcome_column(); i < runs_->columns().size(); ++i) {
      const double a = truth_[run][i], b = twin.truth_[run][i];
      if (std::abs(a - b) > 1e-11 * std::max(std::abs(a), 1e-3)) return true;
    }
    return false;
  }

  void compare(const KernelRuns& kernel, const KernelFunction& function, const SmallCampaign* twin = nullptr) const {
    const std::vector<std::string> columns = runs_->columns();
    const std::vector<double> rows = kernel.rows(0, 10, function, 2);
    for (std::uint64_t run = 0; run < 10; ++run) {
      if (twin && chaotic(*twin, run)) continue;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const double made = rows[run * columns.size() + i], truth = truth_[run][i];
        INFO("run " << run << ": " << columns[i] << " is " << made << ", not " << truth);
        const bool same = made == truth || (std::isnan(made) && std::isnan(truth));
        const double difference = same ? 0 : std::abs(made - truth);
        CHECK((same || difference <= 1e-9 * std::max(std::abs(truth), 1e-3)));
      }
    }
  }

 private:
  Folder folder_;
  std::optional<Campaign> campaign_;
  std::optional<CampaignRuns> runs_;
  std::vector<std::vector<double>> truth_;
};

const std::string quiet = "{}", noisy = "{position_noise: 1e-4, encoder: 2e-4, speed: difference}",
                  measured = "{position_noise: 1e-4, speed_noise: 1e-2, encoder: 2e-4}";
/// `law`: where the gains are.
std::string start_and_friction(const std::string& law) {
  return "vary:\n  start.q.0: {plus: {normal: [0 rad, 0.01 rad]}}\n  start.q.2: {plus: {uniform: [-0.01 rad, 0.01 "
         "rad]}}\n"
         "  arm.joints.*.friction.f1: {times: {log_normal: [1, 20 %]}}\n  " +
         law + ".kp: {times: {uniform: [0.9, 1.1]}}\n";
}
const std::string payload =
    "vary:\n  arm.payload.mass: {uniform: [0.2 kg, 2 kg]}\n  arm.payload.com: {choices: ['[0, 0, 0]', '[0.02, 0.01, "
    "0.05]']}\n";
const std::string payload_and_noise = payload + "  sensors.position_noise: {uniform: [1e-5 rad, 2e-4 rad]}\n";
const std::string pd = "{kind: joint_pd, kp: 300, kd: 30}";
const std::string with_gravity = "{kind: sum, terms: [{kind: joint_pd, kp: 300, kd: 20}, {kind: gravity}]}";
const std::string forward =
    "{kind: sum, terms: [{kind: joint_pd, kp: 300, kd: 20}, {kind: feed_forward}, {kind: friction}]}";
const std::string
    soft_wrist =  // high gains on light bodies saturate and chatter: a chaos in which no two programs agree for long
    "{kind: sum, terms: [{kind: joint_pd, kp: [400, 600, 200, 400, 40, 20, 5], kd: [20, 40, 10, 20, 1, 0.5, 0.05]}, "
    "{kind: gravity}]}";
const std::string springs =
    "{kind: cartesian_impedance, kp: [2000, 2000, 2000, 60, 60, 60], kd: [90, 90, 90, 2, 2, 2]}";
const std::string computed = "{kind: computed_torque, kp: 400, kd: 40}";

const std::vector<std::pair<std::string, Case>> cases{
    {"rrr, joint PD",
     {"rrr", pd, "rk4", noisy, start_and_friction("controller"), "converter: {bits: 12, range: 180}\n"}},
    {"rrr, PD and gravity",
     {"rrr", with_gravity, "semi_implicit_euler", measured, start_and_friction("controller.terms.0"), ""}},
    {"rrr, feed-forward", {"rrr", forward, "heun", measured, payload_and_noise, ""}},
    {"rrr, computed torque", {"rrr", computed, "euler", quiet, payload, ""}},
    {"rrr, Cartesian impedance", {"rrr", springs, "rk4", noisy, payload_and_noise, ""}},
    {"panda, Cartesian impedance", {"panda", springs, "rk4", measured, payload_and_noise, ""}},
    {"puma560: rotors, and friction that differs from side to side",
     {"puma560", "{kind: computed_torque, kp: 400, kd: 40}", "rk4", noisy,
      "vary:\n  arm.joints.*.drive.rotor_inertia: {times: {uniform: [0.8, 1.2]}}\n"
      "  arm.joints.*.friction.coulomb_positive: {times: {uniform: [0.8, 1.2]}}\n",
      "plant: {smoothing: 0.1}\n"}},
    {"rrr, friction of Stribeck and of Coulomb",
     {"rrr", with_gravity, "rk4", noisy,
      "vary:\n  arm.joints.*.friction: {choices: ['{law: stribeck, coulomb: 1 N*m, static: 1.5 N*m, "
      "stribeck_velocity: 0.2 "
      "rad/s, viscous: 0.3 N*m*s/rad, exponent: 2, offset: 0.1 N*m}', '{law: stribeck, coulomb: 2 N*m, static: "
      "2.2 N*m, "
      "stribeck_velocity: 0.1 rad/s, viscous: 0.3 N*m*s/rad, exponent: 2, offset: 0 N*m}', '{law: "
      "coulomb_viscous, coulomb: 1 "
      "N*m, viscous: 0.5 N*m*s/rad}']}\n",
      "plant: {smoothing: 0.05 rad/s}\n"}},
    {"loops that diverge",
     {"rrr", "{kind: joint_pd, kp: 300, kd: 5000}", "rk4", noisy, payload, "plant: {torque_limits: false}\n"}},
    {"panda, joint PD", {"panda", pd, "rk4", noisy, payload_and_noise, ""}},
    {"panda, PD and gravity",
     {"panda", soft_wrist, "semi_implicit_euler", measured, start_and_friction("controller.terms.0"), ""}},
    {"panda, feed-forward", {"panda", forward, "rk4", noisy, start_and_friction("controller.terms.0"), ""}},
    {"panda, computed torque", {"panda", computed, "rk4", measured, payload_and_noise, ""}},
    {"rrr, a step that is chosen", {"rrr", with_gravity, "auto", noisy, start_and_friction("controller.terms.0"), ""}},
};

}  // namespace

TEST_CASE("kernels make the runs that the simulation makes: every metric, with noise and quantization") {
  for (const auto& [name, c] : cases) SUBCASE(name.c_str()) {
      const SmallCampaign campaign(c);
      const KernelRuns kernel(campaign.runs(), motion_parameters);
      if (c.method != "auto")  // at the far ends of friction another method would be chosen
        CHECK(kernel.straight_lines() == (c.vary.find("choices") == std::string::npos));
      for (const char* options : {"-O1 -DARMATURE_LANES=8", "-O1"}) {
        const std::string path =
            campaign.folder().write(fmt::format("kernel{}.so", options[3]),
                                    compile_shared_object(kernel_text(kernel, 0), {.options = options}));
        const SharedObject library(path);
        const auto function = reinterpret_cast<CompiledKernel>(library.find(kernel_function_name));
        REQUIRE((function != nullptr));
        campaign.compare(kernel, function);
      }
    }
}

TEST_CASE("lockstep makes the runs that the simulation makes, too") {
  for (const auto& [name, c] : cases) SUBCASE(name.c_str()) {
      const SmallCampaign campaign(c);
      const KernelRuns kernel(campaign.runs(), body_parameters);
      campaign.compare(kernel, lockstep(kernel));
    }
}

TEST_CASE("lockstep makes the runs of campaigns that are put together by chance") {
  Random random(20);
  const auto one_of = [&](const std::vector<std::string>& words) { return words[random.bits() % words.size()]; };
  const auto gain = [&](double middle) { return fmt::format("{:.4g}", middle * random.uniform(0.7, 1.3)); };
  const int trials = std::getenv("ARMATURE_LONG_TESTS") ? 400 : 20;
  int steady = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::string p = gain(300), d = gain(25);
    const std::string pd_terms = fmt::format("{{kind: joint_pd, kp: {}, kd: {}}}", p, d);
    const std::string law = one_of({pd_terms, fmt::format("{{kind: sum, terms: [{}, {{kind: gravity}}]}}", pd_terms),
                                    fmt::format("{{kind: sum, terms: [{}, {{kind: feed_forward}}]}}", pd_terms),
                                    fmt::format("{{kind: computed_torque, kp: {}, kd: {}}}", gain(400), gain(40))});
    const std::string sensors =
        fmt::format("{{position_noise: {}, encoder: {}, {}}}", one_of({"0", "1e-5", "1e-4"}),
                    one_of({"0", "2e-5", "1e-4"}), one_of({"speed: difference", "speed_noise: 1e-3"}));
    const Case c{one_of({"rrr", "ur5", "panda"}),
                 law,
                 one_of({"rk4", "heun", "semi_implicit_euler", "euler", "auto"}),
                 sensors,
                 "",
                 one_of({"", "converter: {bits: 14, range: 300}\n", "plant: {torque_limits: false}\n"})};
    const std::string payload_mass = gain(2), spread = gain(0.01);
    const auto starting = [&](const char* beside) {
      Case moved = c;
      moved.vary = fmt::format(
          "vary:\n  arm.payload.mass: {{uniform: [0 kg, {} kg]}}\n  start.q.1: {{plus: {{normal: [{} rad, {} "
          "rad]}}}}\n",
          payload_mass, beside, spread);
      return moved;
    };
    INFO(scenario_text(c));
    const SmallCampaign campaign(starting("0")), twin(starting("1e-13"));
    std::optional<KernelRuns> kernel;
    try {
      kernel.emplace(campaign.runs(), body_parameters);
    } catch (const NotForKernels&) {  // a step that the simulation gives up
      REQUIRE(c.method == "auto");
      continue;
    }
    campaign.compare(*kernel, lockstep(*kernel), &twin);
    for (std::uint64_t run = 0; run < 10; ++run) steady += !campaign.chaotic(twin, run);
  }
  MESSAGE(fmt::format("compared: {} of {} runs", steady, 10 * trials));
  CHECK(steady > 3 * trials);  // of ten each
}

TEST_CASE("what goes through the loop beside a run does not change it") {
  const SmallCampaign campaign(cases.front().second);
  const KernelRuns kernel(campaign.runs(), body_parameters);
  const KernelFunction loop = lockstep(kernel);
  const std::vector<double> together = kernel.rows(0, 10, loop, 1);
  const std::size_t width = campaign.runs().columns().size();
  for (std::uint64_t run = 0; run < 10; ++run) {
    const std::vector<double> alone = kernel.rows(run, 1, loop, 1);
    CHECK(std::memcmp(alone.data(), together.data() + run * width, width * sizeof(double)) == 0);
  }
}
