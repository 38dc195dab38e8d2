#include "armature/compute/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/threads.hpp"

namespace armature::compute {

namespace {

constexpr std::size_t chunk = 256;                // states that a thread takes at a time
constexpr std::size_t states_for_a_thread = 512;  // below that starting one costs more than it saves

template <class T>
T number_at(const void* data, std::ptrdiff_t offset) {
  T number;
  std::memcpy(&number, static_cast<const char*>(data) + offset, sizeof number);
  return number;
}

const char* name_of_input(char input) {
  switch (input) {
    case 'q':
      return "position";
    case 'v':
      return "velocity";
    case 'a':
      return "acceleration";
    default:
      return "torque";
  }
}

[[noreturn]] void refuse_input(const Arm& arm, char input, int joint) {
  throw Error(fmt::format("the {} of joint '{}' is not a finite number", name_of_input(input),
                          printable(arm.joint(joint).name)),
              "every number of a state must be finite");
}

[[noreturn]] void refuse_result(const std::string& column) {
  throw Error(fmt::format("{} is not finite for this state", column), "are the numbers of a sensible size?");
}

int useful_threads(int asked, std::size_t states) {
  const std::size_t cores =
      asked > 0 ? static_cast<std::size_t>(asked) : std::max(1U, std::thread::hardware_concurrency());
  return static_cast<int>(std::min(cores, 1 + states / states_for_a_thread));
}

/// The error of the first state that has one.
class FirstFailure {
 public:
  void record(std::size_t state, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (state >= state_) return;
    state_ = state;
    error_ = std::move(error);
  }
  void rethrow() const {
    if (!error_) return;
    try {
      std::rethrow_exception(error_);
    } catch (const Error& error) {
      throw Error(error.finding(), error.hint(), {fmt::format("state {}", state_)});
    }
  }

 private:
  std::mutex mutex_;
  std::size_t state_ = static_cast<std::size_t>(-1);
  std::exception_ptr error_;
};

}  // namespace

struct Batch::Scratch {
  State state;
  std::vector<double> result;
};

Batch::Batch(Arm arm, const Quantity& quantity, ComputeSettings settings)
    : arm_(std::move(arm)),
      quantity_(&quantity),
      settings_(std::move(settings)),
      blocks_(quantity.blocks(arm_, settings_)),
      columns_(columns_of(blocks_)) {}

VecX<double>& Batch::part(State& state, std::size_t input) const {
  switch (quantity_->inputs[input]) {
    case 'q':
      return state.q;
    case 'v':
      return state.v;
    case 'a':
      return state.a;
    default:
      return state.tau;
  }
}

void Batch::compute(std::span<const double* const> inputs, double* result) const {
  State state;
  for (std::size_t k = 0; k < quantity_->inputs.size(); ++k) {
    VecX<double>& x = part(state, k);
    x = Eigen::Map<const Eigen::VectorXd>(inputs[k], arm_.dof());
    for (int i = 0; i < arm_.dof(); ++i)
      if (!std::isfinite(x[i])) refuse_input(arm_, quantity_->inputs[k], i);
  }
  quantity_->compute(arm_, settings_, state, {result, width()});
  for (std::size_t i = 0; i < width(); ++i)
    if (!std::isfinite(result[i])) refuse_result(columns_[i]);
}

void Batch::compute_state(std::size_t index, std::span<const StridedInput> inputs, const StridedOutput& output,
                          Scratch& scratch) const {
  const auto n = static_cast<std::ptrdiff_t>(index);
  for (std::size_t k = 0; k < quantity_->inputs.size(); ++k) {
    const StridedInput& in = inputs[k];
    VecX<double>& x = part(scratch.state, k);
    for (int i = 0; i < arm_.dof(); ++i) {
      const std::ptrdiff_t offset = n * in.state_step + i * in.number_step;
      x[i] = in.single ? static_cast<double>(number_at<float>(in.data, offset)) : number_at<double>(in.data, offset);
      if (!std::isfinite(x[i])) refuse_input(arm_, quantity_->inputs[k], i);
    }
  }
  quantity_->compute(arm_, settings_, scratch.state, scratch.result);
  for (std::size_t i = 0; i < scratch.result.size(); ++i) {
    const double x = scratch.result[i];
    const auto rounded = static_cast<float>(x);
    if (!std::isfinite(x) || (output.single && !std::isfinite(rounded))) refuse_result(columns_[i]);
    char* place =
        static_cast<char*>(output.data) + n * output.state_step + static_cast<std::ptrdiff_t>(i) * output.number_step;
    if (output.single)
      std::memcpy(place, &rounded, sizeof rounded);
    else
      std::memcpy(place, &x, sizeof x);
  }
}

void Batch::compute(std::size_t states, std::span<const StridedInput> inputs, const StridedOutput& output,
                    int threads) const {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  FirstFailure failure;
  on_threads(useful_threads(threads, states), [&] {
    Scratch scratch;
    for (int k = 0; const char input : quantity_->inputs) {
      (void)input;
      part(scratch.state, static_cast<std::size_t>(k++)).resize(arm_.dof());
    }
    scratch.result.resize(width());
    // Chunks are handed out in order and finished once begun: of several bad states the first is always seen.
    while (!failed.load(std::memory_order_relaxed)) {
      const std::size_t begin = next.fetch_add(chunk), end = std::min(begin + chunk, states);
      if (begin >= states) return;
      for (std::size_t s = begin; s < end; ++s) try {
          compute_state(s, inputs, output, scratch);
        } catch (...) {
          failure.record(s, std::current_exception());
          failed = true;
          break;
        }
    }
  });
  failure.rethrow();
}

}  // namespace armature::compute
