#include "armature/campaign/device_rollout.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "armature/campaign/kernel_text.hpp"
#include "armature/campaign/metrics.hpp"
#include "armature/core/random.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::rooms;
namespace fs = std::filesystem;

namespace {

/// Where arms are written, and what is compiled is kept, while a test runs.
class Folder {
 public:
  Folder() : path_(mkdtemp(name_.data())) { setenv("ARMATURE_CACHE", path_.c_str(), 1); }
  ~Folder() {
    unsetenv("ARMATURE_CACHE");
    fs::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::string name_ = (fs::temp_directory_path() / "device-rollout-XXXXXX").string();
  fs::path path_;
};

const std::string pd = "{kind: joint_pd, kp: [500, 500, 200], kd: [40, 40, 10]}";

/// 300 ticks of rrr.
std::string text(const std::string& controller, const std::string& method, const std::string& more) {
  return fmt::format(
      "scenario: x\nrobot: rrr\nseed: 4\nstart: {{q: [0, -0.7, 1.2]}}\nreference: {{kind: polynomial, from: [0, -0.7, "
      "1.2], to: [1, -0.1, 0.6], duration: 0.2 s}}\ncontroller: {}\nrun: {{duration: 0.3 s, tick: 1 ms, method: "
      "{}}}\n{}",
      controller, method, more);
}
const std::string noisy = "sensors: {position_noise: 1e-5, encoder: 2e-5, speed: difference}\n";

struct Run {
  std::vector<double> q, qd;
  double mass = 0, noise = 0;
  std::uint64_t seed = 0;
};

/// What the simulation makes of the run: outcome, all metrics of the arm, and where it ends.
std::vector<double> simulated(const std::string& scenario, const Run& run, const std::vector<std::string>& results,
                              const Folder& folder) {
  ArmDescription description = load_arm("rrr").arm.description();
  description.payload = MassProperties{.mass = run.mass};
  const std::string arm = folder.write("arm.yaml", write_arm_yaml(description));
  const LoadedScenario loaded = scenario_from_text(scenario, "x.yaml",
                                                   {{"robot", arm},
                                                    {"belief.robot", "rrr"},
                                                    {"start.q", fmt::format("[{}]", fmt::join(run.q, ", "))},
                                                    {"start.v", fmt::format("[{}]", fmt::join(run.qd, ", "))},
                                                    {"sensors.position_noise", fmt::format("{}", run.noise)},
                                                    {"seed", fmt::format("{}", run.seed)}});
  const RunResult result = run_timed(loaded);
  const JudgedRun judged{loaded, result, metrics_of(result.log)};
  std::vector<double> numbers;
  for (const std::string& name : results) {
    if (name == "outcome") numbers.push_back(static_cast<double>(outcome_of(result)));
    for (const Metric& metric : metrics_of_arm(loaded.arm))
      if (metric.name == name) numbers.push_back(metric.value(judged));
    for (const char* part : {"q", "qd"})
      for (int i = 0; i < 3; ++i)
        if (name == fmt::format("{}.{}", part, i))
          numbers.push_back(result.log.channel(fmt::format("{}{}", part[1] ? "v" : "q", i + 1)).values.back());
  }
  return numbers;
}

std::vector<std::string> all_metrics() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics_of_arm(load_arm("rrr").arm)) names.push_back(metric.name);
  return names;
}

double difference(double made, double truth) {
  if (made == truth || (std::isnan(made) && std::isnan(truth))) return 0;
  return std::abs(made - truth) / std::max(std::abs(truth), 1e-3);
}

const std::vector<std::string> varied{"start.q", "start.v", "arm.payload.mass", "sensors.position_noise"};

}  // namespace

TEST_CASE("rollouts on a device are the runs that the simulation makes, from arrays of any layout") {
  const Folder folder;
  for (const auto& [controller, method] : std::vector<std::pair<std::string, std::string>>{
           {pd, "rk4"},
           {"{kind: sum, terms: [" + pd + ", {kind: gravity}]}", "semi_implicit_euler"},
           {"{kind: computed_torque, kp: 400, kd: 40}", "heun"}}) {
    const std::string scenario = text(controller, method, noisy);
    const DeviceRollout rollout(scenario_from_text(scenario, "x.yaml"),
                                {varied, all_metrics(), codegen::Device::host, 0});
    REQUIRE(rollout.inputs().size() == 4);
    CHECK(rollout.inputs()[1].key == "start.v");
    CHECK(rollout.inputs()[1].width == 3);
    const std::vector<std::string>& results = rollout.results();
    constexpr std::ptrdiff_t runs = 5, size = sizeof(double);
    const auto width = static_cast<std::ptrdiff_t>(results.size());
    Random random(3);
    std::vector<Run> all(runs);
    std::vector<double> q(std::size_t{3} * runs), qd(std::size_t{3} * runs), mass(runs), noise(runs),
        out(runs * results.size());
    std::vector<std::uint64_t> seeds(runs);
    for (int k = 0; k < runs; ++k) {
      for (int i = 0; i < 3; ++i) {  // positions number by number, speeds state by state
        const double start[] = {0, -0.7, 1.2};
        q[i * runs + k] = start[i] + random.uniform(-0.02, 0.02);
        qd[3 * k + i] = random.uniform(-0.1, 0.1);
        all[k].q.push_back(q[i * runs + k]);
        all[k].qd.push_back(qd[3 * k + i]);
      }
      all[k].mass = mass[k] = random.uniform(0, 3);
      all[k].noise = noise[k] = random.uniform(1e-6, 1e-4);
      all[k].seed = seeds[k] = 1000 + static_cast<std::uint64_t>(k);
    }
    // results from the last run on, backwards
    rollout.compute(runs,
                    std::vector<codegen::DeviceArray>{{q.data(), size, runs * size},
                                                      {qd.data(), 3 * size, size},
                                                      {mass.data(), size, size},
                                                      {noise.data(), size, size}},
                    {seeds.data(), size, size}, {out.data() + (runs - 1) * width, -width * size, size}, false);
    for (int k = 0; k < runs; ++k) {
      const std::vector<double> truth = simulated(scenario, all[k], results, folder);
      REQUIRE(truth.size() == results.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        const double made = out[(runs - 1 - k) * width + static_cast<std::ptrdiff_t>(i)];
        INFO(method << ", run " << k << ": " << results[i] << " is " << made << ", not " << truth[i]);
        CHECK(difference(made, truth[i]) <= 1e-9);
      }
    }
  }
}

TEST_CASE("what is not given to rollouts is the scenario's") {
  const Folder folder;
  const std::string scenario = text(pd, "rk4", noisy);
  const DeviceRollout rollout(scenario_from_text(scenario, "x.yaml"), {varied, {}, codegen::Device::host, 0});
  std::vector<double> out(2 * rollout.results().size());
  const auto step = static_cast<std::ptrdiff_t>(rollout.results().size() * sizeof(double));
  rollout.compute(2, std::vector<codegen::DeviceArray>(4), {}, {out.data(), step, sizeof(double)}, false);
  const std::vector<double> truth =
      simulated(scenario, {{0, -0.7, 1.2}, {0, 0, 0}, 0, 1e-5, 4}, rollout.results(), folder);
  for (std::size_t i = 0; i < truth.size(); ++i)
    for (const std::size_t run : {0, 1}) {
      INFO(rollout.results()[i] << " is " << out[run * truth.size() + i] << ", not " << truth[i]);
      CHECK(difference(out[run * truth.size() + i], truth[i]) <= 1e-9);
    }
}

TEST_CASE("rollouts in single precision are close to those in double, and a run that diverges is said to") {
  const Folder folder;
  const DeviceRollout rollout(scenario_from_text(text(pd, "rk4", ""), "x.yaml"),
                              {{"start.q"}, {"tool_rms", "tool_largest", "peak_torque"}, codegen::Device::host, 0});
  std::vector<double> q{0.01, -0.71, 1.21, 0, NAN, 1.2}, out(2 * rollout.results().size());
  std::vector<float> single_q(q.begin(), q.end()), single(out.size());
  const auto width = static_cast<std::ptrdiff_t>(rollout.results().size());
  for (const bool is_single : {false, true}) {
    const std::ptrdiff_t size = is_single ? sizeof(float) : sizeof(double);
    rollout.compute(
        2,
        std::vector<codegen::DeviceArray>{{is_single ? static_cast<void*>(single_q.data()) : q.data(), 3 * size, size}},
        {}, {is_single ? static_cast<void*>(single.data()) : out.data(), width * size, size}, is_single);
  }
  for (std::ptrdiff_t i = 0; i < width; ++i) CHECK(difference(static_cast<double>(single[i]), out[i]) < 1e-3);
  CHECK(out[0] == 0);
  CHECK(out[width] == 1);
  CHECK(std::isnan(out[width + 1]));
  CHECK(single[width] == 1);
}

TEST_CASE("the text of rollouts is CUDA, where there is a compiler for it") {
  const Folder folder;
  try {
    codegen::find_nvcc();
  } catch (const Error&) {
    MESSAGE("skipped: there is no nvcc here");
    return;
  }
  setenv("CUDA_ARCH", "sm_90", 1);
  CHECK_NOTHROW(DeviceRollout(scenario_from_text(text(pd, "semi_implicit_euler", noisy), "x.yaml"),
                              {varied, {"settling", "q1_settling"}, codegen::Device::cuda, 0}));
  unsetenv("CUDA_ARCH");
}

TEST_CASE("what rollouts on a device cannot be is said") {
  const Folder folder;
  const struct {
    std::string controller, method, more;
    std::vector<std::string> vary, metrics;
    std::string says;
  } cases[] = {
      {pd, "auto", "", {}, {}, "no kernel computes these rollouts: run.method is 'auto'"},
      {"{kind: joint_pid, kp: 300, kd: 30, ki: 10}", "rk4", "", {}, {}, "the law 'joint_pid'"},
      {pd, "rk4", "", {"reference.duration"}, {}, "'reference.duration' varies, which is a constant of a kernel"},
      {pd, "rk4", "", {"start.x"}, {}, "start"},
      {pd, "rk4", "", {"robot"}, {}, "robot"},
      {pd, "rk4", "", {"start.q", "start.q"}, {}, "given twice"},
      {pd, "rk4", "", {"start.q.7"}, {}, "asks for item '7' of a list of 3"},
      {pd, "rk4", "", {"arm.joints.shoulder.link.com"}, {}, "no straight lines of 'arm.joints.shoulder.link.com.0'"},
      {pd, "rk4", "", {"arm.joints.0.limits.torque"}, {}, "no straight lines of 'arm.joints.0.limits.torque'"},
      {pd, "rk4", "", {"arm.payload.mas"}, {}, "payload"},
      {pd, "rk4", "", {"arm.joints.waist.limits.acceleration"}, {}, "acceleration' changes nothing in this loop"},
      {pd, "rk4", "", {"sensors.encoder"}, {}, "another one than where sensors.encoder varies"},
      {pd, "rk4", "", {}, {"tool_larges"}, "there is no metric 'tool_larges'"},
  };
  for (const auto& c : cases) {
    INFO(c.says);
    std::string said = "nothing";
    try {
      (void)DeviceRollout(scenario_from_text(text(c.controller, c.method, c.more), "x.yaml"),
                          {c.vary, c.metrics, codegen::Device::host, 0});
    } catch (const Error& error) {
      said = error.what();
    }
    INFO(said);
    CHECK(said.find(c.says) != std::string::npos);
  }
  const DeviceRollout rollout(scenario_from_text(text(pd, "rk4", ""), "x.yaml"),
                              {{"start.q"}, {}, codegen::Device::host, 0});
  CHECK_THROWS_WITH_AS(rollout.compute(1, {}, {}, {}, false), doctest::Contains("0 arrays where 1 are read"), Error);
  CHECK_NOTHROW(rollout.compute(0, std::vector<codegen::DeviceArray>(1), {}, {}, false));
}
