// Arrays in the memory of a device, and work over their elements: plain C++ that nvcc compiles for a graphics processor as well. Includes
// nothing of this library, so that it can travel beside generated functions.
#pragma once

#include <stddef.h>

#ifdef __CUDACC__
#define ARMATURE_DEVICE __host__ __device__
#define ARMATURE_FLAT __host__ __device__ __forceinline__  // what works on a run's registers must not be a call
#define ARMATURE_UNROLL _Pragma("unroll")
#else
#define ARMATURE_DEVICE
#define ARMATURE_FLAT inline
#define ARMATURE_UNROLL
#endif

namespace armature_device {

/// The numbers of consecutive states, or runs; steps in bytes, of any sign. A state step of zero gives all of them the same numbers.
struct Array {
  void* data = nullptr;
  ptrdiff_t state_step = 0, number_step = sizeof(double);

  template <class T>
  ARMATURE_DEVICE T& at(long state, int number) const {
    return *reinterpret_cast<T*>(static_cast<char*>(data) + state * state_step + number * number_step);
  }
};

#ifdef __CUDACC__
template <class Work>
__global__ void __launch_bounds__(128, Work::blocks) every_state(long states, const __grid_constant__ Work work) {
  const long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (k < states) work(k);
}

/// Work on the processor in whose memory arrays lie; it is the current one meanwhile.
class CudaTurn {
 public:
  /// Arrays without data are none.
  CudaTurn(const Array* arrays, int count, void* stream) : stream_(static_cast<cudaStream_t>(stream)) {
    if (cudaGetDevice(&before_) != cudaSuccess) {
      problem_ = "there is no graphics processor, or no driver for it";
      return;
    }
    int processor = -1;
    for (int i = 0; i < count && !problem_; ++i) {
      if (!arrays[i].data) continue;
      const int own = processor_of(arrays[i].data);
      if (own < 0 || (processor >= 0 && own != processor))
        problem_ = "an array does not lie in the memory of the graphics processor of the others";
      processor = own;
    }
    if (!problem_ && processor >= 0) must(cudaSetDevice(processor));
  }
  CudaTurn(const CudaTurn&) = delete;
  CudaTurn& operator=(const CudaTurn&) = delete;
  ~CudaTurn() {
    for (int i = 0; i < copies_; ++i) cudaFreeAsync(copy_[i], stream_);
    cudaSetDevice(before_);
  }

  /// These numbers in its memory, until the turn is over; at most `most_copies` times.
  template <class T>
  const T* copied(const T* numbers, size_t count) {
    if (problem_) return nullptr;
    must(cudaMallocAsync(&copy_[copies_], sizeof(T) * count, stream_));
    if (problem_) return nullptr;
    must(cudaMemcpyAsync(copy_[copies_], numbers, sizeof(T) * count, cudaMemcpyHostToDevice, stream_));
    return static_cast<const T*>(copy_[copies_++]);
  }
  /// work(k) for every state, one thread each, waited for. Null, or what went wrong.
  template <class Work>
  const char* run(long states, const Work& work) {
    if (problem_) return problem_;
    every_state<<<static_cast<unsigned>((states + 127) / 128), 128, 0, stream_>>>(states, work);
    must(cudaGetLastError());
    if (!problem_) must(cudaStreamSynchronize(stream_));
    return problem_;
  }

 private:
  static constexpr int most_copies = 2;
  static int processor_of(const void* data) {
    cudaPointerAttributes found;
    if (cudaPointerGetAttributes(&found, data) != cudaSuccess) return -1;
    return found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged ? found.device : -1;
  }
  void must(cudaError_t status) {
    if (status != cudaSuccess && !problem_) problem_ = cudaGetErrorString(status);
  }

  cudaStream_t stream_;
  int before_ = 0, copies_ = 0;
  void* copy_[most_copies] = {};
  const char* problem_ = nullptr;
};
using Turn = CudaTurn;
#else
/// The same on this machine, one state after the other.
class HostTurn {
 public:
  HostTurn(const Array*, int, void*) {}
  template <class T>
  const T* copied(const T* numbers, size_t) {
    return numbers;
  }
  template <class Work>
  const char* run(long states, const Work& work) {
    for (long k = 0; k < states; ++k) work(k);
    return nullptr;
  }
};
using Turn = HostTurn;
#endif

}  // namespace armature_device
