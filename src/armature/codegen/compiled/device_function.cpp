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

/// What nvcc knows by itself.
constexpr std::string_view without_cuda = R"cpp(
#include <cmath>
#ifndef __CUDACC__
#define __host__
#define __device__
  using std::cos;
  using std::sin;
  using std::sqrt;
#endif
)cpp";

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

/// Behind function_of_state<T>(inputs, result): all states, one thread each, or one after the other.
constexpr std::string_view all_states = R"cpp(
  struct Array {
    void* data;
    std::ptrdiff_t state_step, number_step;
  };
  struct Arrays {
    Array input[input_count];
    Array result;
  };

  template <class T>
  __host__ __device__ inline void one_state(long k, const Arrays& arrays) {
    T x[input_count][joints], y[result_size];
    for (int i = 0; i < input_count; ++i)
      for (int j = 0; j < joints; ++j) {
        const Array& from = arrays.input[i];
        x[i][j] = *reinterpret_cast<const T*>(static_cast<const char*>(from.data) + k * from.state_step +
                                              j * from.number_step);
      }
    function_of_state(x, y);
    const Array& to = arrays.result;
    for (int j = 0; j < result_size; ++j)
      *reinterpret_cast<T*>(static_cast<char*>(to.data) + k * to.state_step + j * to.number_step) = y[j];
  }

#ifdef __CUDACC__
  template <class T>
  __global__ void __launch_bounds__(128) every_state(long states, Arrays arrays) {
    const long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
    if (k < states) one_state<T>(k, arrays);
  }
  /// The processor in whose memory an array lies; -1: none.
  inline int processor_of(const Array& array) {
    cudaPointerAttributes found;
    if (cudaPointerGetAttributes(&found, array.data) != cudaSuccess) return -1;
    return found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged ? found.device : -1;
  }
  template <class T>
  const char* compute(long states, const Arrays& arrays, void* stream) {
    int before = 0;
    const int processor = processor_of(arrays.result);
    if (cudaGetDevice(&before) != cudaSuccess) return "there is no graphics processor, or no driver for it";
    for (int i = 0; i < input_count; ++i)
      if (processor < 0 || processor_of(arrays.input[i]) != processor)
        return "an array does not lie in the memory of the graphics processor of the others";
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    cudaSetDevice(processor);
    every_state<T><<<static_cast<unsigned>((states + 127) / 128), 128, 0, on>>>(states, arrays);
    cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaStreamSynchronize(on);
    cudaSetDevice(before);
    return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
  }
#else
  template <class T>
  const char* compute(long states, const Arrays& arrays, void*) {
    for (long k = 0; k < states; ++k) one_state<T>(k, arrays);
    return nullptr;
  }
#endif

  extern "C" const char* armature_device_states(int single, long states, const Array* inputs, const Array* result,
                                                void* stream) {
    Arrays arrays;
    for (int i = 0; i < input_count; ++i) arrays.input[i] = inputs[i];
    arrays.result = *result;
    return single ? compute<float>(states, arrays, stream) : compute<double>(states, arrays, stream);
  }
)cpp";

CompileSettings compiler_for(Device device) {
  if (device == Device::cuda) return {.compiler = find_nvcc(), .options = "-O3 -arch=native", .cuda = true};
  return {.options = "-O2"};
}

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
      "{}\n#include <cstddef>\n{}{}\nnamespace {{\nconstexpr int joints = {}, input_count = {}, result_size = {};\n"
      "template <class T>\n__host__ __device__ inline void function_of_state(const T (&x)[input_count][joints], T* y) "
      "{{\n{}}}\n}}\n{}",
      without_cuda, emit({"generated", arm.dof(), ARMATURE_VERSION, {program}}, Language::cuda),
      pose ? quaternion_of_rotation : "", arm.dof(), program.inputs.size(), pose ? 7 : size, body, all_states);
}

DeviceFunction::DeviceFunction(const Arm& arm, Target target, Device device, const DeriveSettings& settings) {
  const std::string key = fmt::format("device function {:016x} {} {:g} {}", checksum(arm), word_for(target),
                                      settings.effort, ARMATURE_VERSION);
  const std::string path = kept_shared_object(
      key, [&] { return device_source(arm, target, settings); }, compiler_for(device));
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
  if (const char* failure = call_(single ? 1 : 0, static_cast<long>(states), inputs.data(), &result, stream))
    throw Error(fmt::format("the device could not compute: {}", failure), "all arrays have to lie in its memory");
}

}  // namespace armature::codegen
