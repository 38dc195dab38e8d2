// What `compute` can compute of one state: a table with one row per quantity.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/task.hpp"
#include "armature/model/arm.hpp"
#include "armature/scalar/pack.hpp"

namespace armature::compute {

struct State {
  VecX<double> q, v, a, tau;  // those that the quantity asks for
};

/// Eight of them, in the lanes of packs.
struct EightStates {
  VecX<Pack> q, v, a, tau;
  LinkPoses<Pack> poses;  // room for where their bodies are
};

/// What a person may change about a computation.
struct ComputeSettings {
  bool friction = false, rotor = false;   // --with
  bool lagrange = false;                  // --method lagrange
  std::optional<EulerConvention> angles;  // --representation
  std::optional<Vec6<double>> wrench;     // on the tool, (force; moment) in base axes [N] [N m]
  TaskRows task = TaskRows::full();       // --task
  std::optional<Frame> frame;             // --frame, in place of the tool
};

/// A number, a vector (rows) or a matrix (rows x cols) among the results, and the columns of a table that hold it:
/// kinetic; tau1, tau2, ...; m11, m12, ... row by row (m1_1 where there are ten rows or more, to stay unambiguous).
struct Block {
  std::string name;
  int rows = 0, cols = 0;
  std::vector<std::string> labels = {};  // of the rows, for people
  std::vector<std::string> units = {};   // of the rows, or one for all

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<std::string> columns() const;
};

struct Quantity {
  std::string_view name;
  std::string_view inputs;   // letters of what it needs of the state: q, v, a, t (tau)
  std::string_view options;  // words: which of friction rotor wrench method representation task frame it obeys
  std::string_view about;
  std::vector<Block> (*blocks)(const Arm&, const ComputeSettings&);
  /// Writes the numbers of all blocks, matrices row by row.
  void (*compute)(const Arm&, const ComputeSettings&, const State&, std::span<double> result);
  /// The same of eight states at once, with nothing changed and without generated functions; null: there is none.
  void (*compute_eight)(const Arm&, EightStates&, std::span<Pack> result) = nullptr;
};

/// Whether compute_eight is what compute would do for each state: bit for bit, unless the compiler was allowed to fuse products and
/// sums (ARMATURE_NATIVE), which it does differently for one number and for eight.
bool computes_eight(const Quantity& quantity, const Arm& arm, const ComputeSettings& settings);

const std::vector<Quantity>& quantities();

/// The columns of a table that hold the states, by the letters of Quantity::inputs: q1..qn, v1..vn, a1..an, tau1..taun.
std::vector<std::string> input_columns(std::string_view inputs, int dof);
/// The columns of a table that hold the results.
std::vector<std::string> columns_of(const std::vector<Block>& blocks);

}  // namespace armature::compute
