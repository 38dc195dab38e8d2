// A quantity of many states in one call: arrays of any layout, all cores.
//
//   const Batch batch(arm, quantity_called("inverse-dynamics"), {});
//   batch.compute(count, inputs, output);
#pragma once

#include <cstddef>
#include <span>

#include "armature/compute/quantities.hpp"

namespace armature::compute {

/// Numbers of consecutive states in memory. Steps are in bytes and may be negative; a state step of zero gives all states the
/// same numbers.
template <class Void>
struct Strided {
  Void* data = nullptr;
  bool single = false;  // float in place of double
  std::ptrdiff_t state_step = 0, number_step = sizeof(double);
};
using StridedInput = Strided<const void>;
using StridedOutput = Strided<void>;

/// One quantity of one arm, ready to be computed any number of times, by any number of threads at once.
class Batch {
 public:
  Batch(Arm arm, const Quantity& quantity, ComputeSettings settings);

  [[nodiscard]] const Arm& arm() const { return arm_; }
  [[nodiscard]] const Quantity& quantity() const { return *quantity_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  /// Numbers of one result: all blocks, matrices row by row.
  [[nodiscard]] std::size_t width() const { return columns_.size(); }

  /// One state; `inputs` are dof() numbers each, in the order of quantity().inputs. Allocates nothing unless it throws: Error
  /// where an input or a result is not finite.
  void compute(std::span<const double* const> inputs, double* result) const;

  /// Many states, where that can be (computes_eight) eight at once: each result is that of compute() for its state, bit for bit,
  /// whatever the layout and the number of threads; built for one machine (ARMATURE_NATIVE), but for rounding.
  /// `threads` 0: as many as are worth it. Throws Error for the first state that cannot be computed, named by its number from 0;
  /// results are then of no meaning.
  void compute(std::size_t states, std::span<const StridedInput> inputs, const StridedOutput& output,
               int threads = 0) const;

 private:
  struct Scratch;
  void compute_state(std::size_t state, std::span<const StridedInput> inputs, const StridedOutput& output,
                     Scratch& scratch) const;
  /// False where one of these eight states cannot be computed.
  bool compute_eight(std::size_t first, std::span<const StridedInput> inputs, const StridedOutput& output,
                     Scratch& scratch) const;
  [[nodiscard]] VecX<double>& part(State& state, std::size_t input) const;

  Arm arm_;
  const Quantity* quantity_;
  ComputeSettings settings_;
  std::vector<Block> blocks_;
  std::vector<std::string> columns_;
  bool eight_at_once_;
};

}  // namespace armature::compute
