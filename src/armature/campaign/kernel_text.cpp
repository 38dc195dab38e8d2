#include "armature/campaign/kernel_text.hpp"

#include <fmt/format.h>

#include "armature/formats/arm_yaml.hpp"
#include "armature/version.hpp"

namespace armature::campaign {

namespace {

/// After the struct Loop.
constexpr std::string_view campaign_function = R"cpp(
#if defined(ARMATURE_LANES) && !defined(__CUDACC__)
  using KernelNumber = armature_rollout::Lanes;
#else
  using KernelNumber = double;
#endif
  extern "C" const char* armature_campaign_runs(const double* clock, const double* numbers, const double* table,
                                                const double* varied, int varied_count, const uint64_t* seeds,
                                                long count, double* figures) {
    return armature_rollout::run<Loop, KernelNumber>(clock, numbers, table, varied, varied_count, seeds, count, figures);
  }
#ifdef __CUDACC__
  extern "C" const char* armature_campaign_device() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    return status != cudaSuccess ? cudaGetErrorString(status) : count == 0 ? "there is none" : nullptr;
  }
#endif
)cpp";

}  // namespace

std::string kernel_loop_text(const KernelRuns& kernel, double effort) {
  const RolloutFunctions functions{.parameters = kernel.loop().parameters,
                                   .varied = kernel.varied_parameters(),
                                   .energy = kernel.loop().kind.balance,
                                   .gravity = kernel.loop().kind.gravity,
                                   .inverse_dynamics = kernel.loop().layout.computed_torque,
                                   .jacobian = kernel.loop().layout.cartesian,
                                   .effort = effort};
  return fmt::format("{}\n{}\n{}", rollout_header(), rollout_functions(kernel.arm(), kernel.believed(), functions),
                     kernel.text());
}

std::string kernel_loop_key(const KernelRuns& kernel) {
  std::string key = fmt::format("armature {}\n{}\n{}\n{}\n{}\n", ARMATURE_VERSION, rollout_header(), kernel.text(),
                                write_arm_yaml(kernel.believed().description()), kernel.arm().dof());
  const std::vector<std::size_t>& varied = kernel.varied_parameters();
  std::vector<double> parameters = kernel.loop().parameters;
  for (const std::size_t i : varied) parameters[i] = 0;
  for (const double x : parameters) key += exact_text(x) + " ";
  ArmDescription chain = kernel.arm().description();  // where its joints and its tool are
  for (JointDescription& joint : chain.joints) {
    joint.link = {};
    joint.friction = NoFriction{};
    joint.limits = {};
    joint.drive = {};
  }
  chain.payload = {};
  return key + write_arm_yaml(chain);
}

std::string kernel_text(const KernelRuns& kernel, double effort) {
  return kernel_loop_text(kernel, effort).append(campaign_function);
}

}  // namespace armature::campaign
