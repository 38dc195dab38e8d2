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

/// The numbers of a State, or of EightStates, that an input's letter stands for.
template <class States>
auto& part_of(States& states, char input) {
  switch (input) {
    case 'q':
      return states.q;
    case 'v':
      return states.v;
    case 'a':
      return states.a;
    default:
      return states.tau;
  }
}

double read_number(const StridedInput& in, std::ptrdiff_t state, std::ptrdiff_t number) {
  const std::ptrdiff_t offset = state * in.state_step + number * in.number_step;
  return in.single ? static_cast<double>(number_at<float>(in.data, offset)) : number_at<double>(in.data, offset);
}

bool can_be_written(const StridedOutput& output, double x) {
  return output.single ? std::isfinite(static_cast<float>(x)) : std::isfinite(x);
}

void write_number(const StridedOutput& output, std::ptrdiff_t state, std::ptrdiff_t number, double x) {
  char* place = static_cast<char*>(output.data) + state * output.state_step + number * output.number_step;
  const auto rounded = static_cast<float>(x);
  if (output.single)
    std::memcpy(place, &rounded, sizeof rounded);
  else
    std::memcpy(place, &x, sizeof x);
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
  EightStates eight;
  std::vector<Pack> eight_results;
};

Batch::Batch(Arm arm, const Quantity& quantity, ComputeSettings settings)
    : arm_(std::move(arm)),
      quantity_(&quantity),
      settings_(std::move(settings)),
      blocks_(quantity.blocks(arm_, settings_)),
      columns_(columns_of(blocks_)),
      eight_at_once_(computes_eight(quantity, arm_, settings_)) {}

VecX<double>& Batch::part(State& state, std::size_t input) const { return part_of(state, quantity_->inputs[input]); }

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
    VecX<double>& x = part(scratch.state, k);
    for (int i = 0; i < arm_.dof(); ++i) {
      x[i] = read_number(inputs[k], n, i);
      if (!std::isfinite(x[i])) refuse_input(arm_, quantity_->inputs[k], i);
    }
  }
  quantity_->compute(arm_, settings_, scratch.state, scratch.result);
  for (std::size_t i = 0; i < scratch.result.size(); ++i) {
    if (!can_be_written(output, scratch.result[i])) refuse_result(columns_[i]);
    write_number(output, n, static_cast<std::ptrdiff_t>(i), scratch.result[i]);
  }
}

bool Batch::compute_eight(std::size_t first, std::span<const StridedInput> inputs, const StridedOutput& output,
                          Scratch& scratch) const {
  const auto n = static_cast<std::ptrdiff_t>(first);
  bool finite = true;
  for (std::size_t k = 0; k < quantity_->inputs.size(); ++k) {
    VecX<Pack>& x = part_of(scratch.eight, quantity_->inputs[k]);
    for (int i = 0; i < arm_.dof(); ++i)
      for (int lane = 0; lane < Pack::width; ++lane) {
        const double number = read_number(inputs[k], n + lane, i);
        finite = finite && std::isfinite(number);
        x[i].set(lane, number);
      }
  }
  if (!finite) return false;
  quantity_->compute_eight(arm_, scratch.eight, scratch.eight_results);
  for (const Pack& results : scratch.eight_results)
    for (int lane = 0; lane < Pack::width; ++lane) finite = finite && can_be_written(output, results[lane]);
  if (!finite) return false;  // nothing is written yet: results may lie where the inputs are
  for (std::size_t i = 0; i < scratch.eight_results.size(); ++i)
    for (int lane = 0; lane < Pack::width; ++lane)
      write_number(output, n + lane, static_cast<std::ptrdiff_t>(i), scratch.eight_results[i][lane]);
  return true;
}

void Batch::compute(std::size_t states, std::span<const StridedInput> inputs, const StridedOutput& output,
                    int threads) const {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  FirstFailure failure;
  on_threads(useful_threads(threads, states), [&] {
    Scratch scratch;
    for (int k = 0; const char input : quantity_->inputs) {
      part(scratch.state, static_cast<std::size_t>(k)).resize(arm_.dof());
      part_of(scratch.eight, input).resize(arm_.dof());
      ++k;
    }
    scratch.result.resize(width());
    scratch.eight_results.resize(width());
    // Chunks are handed out in order and finished once begun: of several bad states the first is always seen.
    while (!failed.load(std::memory_order_relaxed)) {
      const std::size_t begin = next.fetch_add(chunk), end = std::min(begin + chunk, states);
      if (begin >= states) return;
      for (std::size_t s = begin; s < end;) try {
          if (eight_at_once_ && end - s >= Pack::width && compute_eight(s, inputs, output, scratch)) {
            s += Pack::width;
          } else {
            for (const std::size_t stop = std::min(end, s + Pack::width); s < stop; ++s)
              compute_state(s, inputs, output, scratch);  // the one that cannot be computed says why
          }
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
