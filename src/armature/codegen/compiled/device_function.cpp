#include "armature/codegen/compiled/device_function.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/codegen/emit/emit.hpp"
#include "armature/core/error.hpp"
#include "armature/model/kernels.hpp"
#include "armature/version.hpp"

namespace armature::codegen {

namespace {

constexpr const char* call_name = "armature_device_states";

/// The quaternion of a rotation, from its largest part, so that nothing is divided by what is small.
constexpr std::string_view quaternion_of_rotation = R"cpp(
  template <class T>
  __host__ __device__ inline void quaternion_of(const T* R, T* q) {
    const T trace = R[0] + R[4] + R[8];
    const T square[4] = {trace, R[0] + R[0] - trace, R[4] + R[4] - trace, R[8] + R[8] - trace};
    int largest = 0;
    for (int i = 1; i < 4; ++i)
      if (square[i] > square[largest]) largest = i;
    const T a = R[7] - R[5], b = R[2] - R[6], c = R[3] - R[1];
    const T d = R[3] + R[1], e = R[2] + R[6], f = R[7] + R[5];
    const T u = T(1) + square[largest];
    const T rows[4][4] = {{u, a, b, c}, {a, u, d, e}, {b, d, u, f}, {c, e, f, u}};
    T length = 0;
    for (int i = 0; i < 4; ++i) length += rows[largest][i] * rows[largest][i];
    length = sqrt(length);
    const T scale = (rows[largest][0] < T(0) ? T(-1) : T(1)) / length;
    for (int i = 0; i < 4; ++i) q[i] = rows[largest][i] * scale;
  }
)cpp";

/// Behind function_of_state<T>(inputs, result): all states.
constexpr std::string_view all_states = R"cpp(
  template <class T>
  struct OneState {
    static constexpr int blocks = 1;
    armature_device::Array input[input_count], result;

    ARMATURE_DEVICE void operator()(long k) const {
      T x[input_count][joints], y[result_size];
      for (int i = 0; i < input_count; ++i)
        for (int j = 0; j < joints; ++j) x[i][j] = input[i].at<T>(k, j);
      function_of_state(x, y);
      for (int j = 0; j < result_size; ++j) result.at<T>(k, j) = y[j];
    }
  };
  template <class T>
  const char* compute(long states, const armature_device::Array* arrays, void* stream) {
    OneState<T> work;
    for (int i = 0; i < input_count; ++i) work.input[i] = arrays[i];
    work.result = arrays[input_count];
    return armature_device::Turn(arrays, input_count + 1, stream).run(states, work);
  }

  extern "C" const char* armature_device_states(int single, long states, const armature_device::Array* arrays,
                                                void* stream) {
    return single ? compute<float>(states, arrays, stream) : compute<double>(states, arrays, stream);
  }
)cpp";

}  // namespace

std::vector<Target> device_targets() {
  return {Target::inverse_dynamics, Target::forward_dynamics, Target::mass_matrix,
          Target::gravity,          Target::jacobian,         Target::forward_kinematics};
}

std::string device_source(const Arm& arm, Target target, const DeriveSettings& settings) {
  const std::vector<Target> known = device_targets();
  if (std::find(known.begin(), known.end(), target) == known.end())
    throw Error(fmt::format("{} is not computed on a device", word_for(target)),
                "inverse-dynamics, forward-dynamics, mass-matrix, gravity, jacobian or forward-kinematics");
  const Program program = derive(arm, target, settings);
  const bool pose = target == Target::forward_kinematics;
  std::string arguments;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) arguments += fmt::format("x[{}], ", i);
  int size = 0;
  for (const Signal& output : program.outputs) size += output.size();
  const std::string function = "generated_" + program.name;
  const std::string body =
      pose ? fmt::format("  T R[9];\n  {}({}R, y);\n  quaternion_of(R, y + 3);\n", function, arguments)
           : fmt::format("  {}({}y);\n", function, arguments);
  return fmt::format(
      "{}{}{}\nnamespace {{\nconstexpr int joints = {}, input_count = {}, result_size = {};\n"
      "template <class T>\n__host__ __device__ inline void function_of_state(const T (&x)[input_count][joints], T* y) "
      "{{\n{}}}\n}}\n{}",
      device_header(), emit({"generated", arm.dof(), ARMATURE_VERSION, {program}}, Language::cuda),
      pose ? quaternion_of_rotation : "", arm.dof(), program.inputs.size(), pose ? 7 : size, body, all_states);
}

DeviceFunction::DeviceFunction(const Arm& arm, Target target, Device device, const DeriveSettings& settings) {
  // how it is called is part of it: what is kept may be older than this library
  const std::string key =
      fmt::format("device function {:016x} {} {:g} {}\n{}{}{}", checksum(arm), word_for(target), settings.effort,
                  ARMATURE_VERSION, device_header(), quaternion_of_rotation, all_states);
  const std::string path = kept_shared_object(
      key, [&] { return device_source(arm, target, settings); }, compiler_of(device));
  object_ = std::make_shared<const SharedObject>(path);
  call_ = reinterpret_cast<Call>(object_->find(call_name));
  if (!call_) throw Error("holds no function for devices", "remove it, so that it is made again", {path});
  const bool motion = target == Target::inverse_dynamics || target == Target::forward_dynamics;
  inputs_ = motion ? 3 : 1;
}

void DeviceFunction::compute(std::size_t states, std::span<const DeviceArray> inputs, const DeviceArray& result,
                             bool single, void* stream) const {
  if (inputs.size() != inputs_)
    throw Error(fmt::format("{} arrays where {} are read", inputs.size(), inputs_), "one per argument of the function");
  if (states == 0) return;
  std::vector<DeviceArray> arrays(inputs.begin(), inputs.end());
  arrays.push_back(result);
  check_device(call_(single ? 1 : 0, static_cast<long>(states), arrays.data(), stream));
}

}  // namespace armature::codegen
