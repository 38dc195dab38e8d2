#include "identification.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/identification/estimate.hpp"
#include "armature/identification/excitation.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/identification/validate.hpp"
#include "armature/testing/source_folder.hpp"

namespace armature::bench {

namespace {

/// Error on left-out parts of what weighted least squares makes of a source, with all statistics.
double identified(const MotionSource& source, const TorqueModel& model) {
  const Processing processing = default_processing({.standstill = 0.05}, source.step);
  Evidence evidence(model);
  stream_equations(source, model, processing, [&](const SampleEquations& s) { evidence.add(s); });
  evidence.finish();
  const Estimate e = least_squares(evidence);                  // parameters, covariance, condition number
  const CrossValidation cross = cross_validate(evidence, {});  // errors on left-out parts
  return cross.total + 0 * training_error(evidence, e.x).total;
}

int speed() {
  const Arm arm = catalogue_arm("panda", built_in_kernels());
  const MotionBlock log = synthetic_log(arm, {.duration = 60, .encoder = 1e-5, .torque_noise = 0.02});
  const TorqueModel model(arm);
  double best = 1e9, error = 0;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    error = identified(source_of(log), model);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  constexpr double asked = 1;  // [s]
  fmt::print(
      "\nIdentification, {} joints, 60 s at 1 kHz, {} parameters, weighted least squares with all statistics: {:.3f} s "
      "of processor time (asked: below {} s); "
      "error on left-out parts {:.2f} %\n",
      arm.dof(), model.size(), best, asked, 100 * error);
  return best < asked ? 0 : 1;
}

/// Peak memory of a process of its own that identifies an arm from a log told `times` times, one after the other [MiB].
double peak_memory(const Arm& arm, const MotionBlock& log, int times) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    MotionSource once = source_of(log), source = once;
    source.for_each = [&](const MotionSource::Sample& sample) {
      for (int k = 0; k < times; ++k) once.for_each(sample);
    };
    const double error = identified(source, TorqueModel(arm));
    _exit(error < 0.1 ? 0 : 1);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return -1;
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int memory() {
  const Arm arm = catalogue_arm("rrr", built_in_kernels());
  const MotionBlock log = synthetic_log(arm, {.duration = 100, .encoder = 1e-5, .torque_noise = 0.02});  // ten periods
  const double few = peak_memory(arm, log, 1), many = peak_memory(arm, log, 100);
  constexpr double asked = 1;  // [MiB]
  fmt::print("Peak memory with 1e5 rows: {:.1f} MiB; with 1e7 rows: {:.1f} MiB (asked: at most {} MiB more)\n", few,
             many, asked);
  return few > 0 && many > 0 && many - few <= asked ? 0 : 1;
}

int excitation() {
  const Arm arm = catalogue_arm("rrr", built_in_kernels());
  const std::string file = std::string(testing::source_folder) + "/studies/kostic2004/base_parameters.txt";
  const ParameterColumns fifteen = columns_from_text(arm, read_text_file(file, 1 << 20), file);
  ExcitationTask task = excitation_task(arm, fifteen.without({"p4", "p15"}));
  task.limits.velocity << 2 * pi, 3 * pi, 3 * pi;  // [Kostic2004, IV.C.3]
  task.limits.acceleration.setConstant(60);
  const auto begin = std::chrono::steady_clock::now();
  const Excitation e = design_excitation(task, {.base_frequency = 0.1, .harmonics = 100});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  constexpr double asked_seconds = 60, asked_condition = 1.4;
  fmt::print(
      "Excitation of RRR, 100 harmonics, 13 columns: condition number {:.3f} (asked: at most {}; the paper: 3.1) in "
      "{:.1f} s (asked: below {} s)\n",
      e.condition, asked_condition, seconds, asked_seconds);
  return e.within_limits() && e.condition <= asked_condition && seconds < asked_seconds ? 0 : 1;
}

}  // namespace

int identification_table() { return speed() + memory() + excitation(); }

}  // namespace armature::bench
