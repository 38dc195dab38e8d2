// What equations say about parameters, in constant memory: triangular factors, joint by joint and part by part.
#pragma once

#include "armature/identification/equations.hpp"

namespace armature::identification {

/// Equations compressed by orthogonal transformations (QR): |A x - y|² = |R x - z|² + rest, exactly.
class Factor {
 public:
  explicit Factor(int columns = 0) : Rz_(0, columns + 1) {}
  /// Takes in the rows (a, y). They are compressed when there are many.
  void add(const double* row, double y);
  void add(const Factor& other);
  /// At most columns + 1 rows [R z; 0 sqrt(rest)] with the same sums of squares.
  [[nodiscard]] RowMatrix reduced() const;
  [[nodiscard]] double rows() const { return rows_; }
  [[nodiscard]] double squares() const { return squares_; }  // of y
  [[nodiscard]] double sum() const { return sum_; }          // of y
  [[nodiscard]] double residual_squares(const Eigen::VectorXd& x) const;
  /// AᵀA and Aᵀy.
  void normal_equations(Eigen::MatrixXd& G, Eigen::VectorXd& g) const;
  void compress();

 private:
  RowMatrix Rz_;  // rows in use: filled_
  Eigen::Index filled_ = 0;
  double rows_ = 0, squares_ = 0, sum_ = 0;
};

/// The equations of a log, joint by joint, in 64 to 128 parts of equal length that follow each other in time. Parts double
/// their length when there are too many, so the memory does not grow with the log. No part belongs to two runs. Equations of joints at
/// standstill are kept apart: nothing is estimated from them, predictions are judged by them too.
class Evidence {
 public:
  explicit Evidence(int dof, int columns, int most_parts = 128);
  explicit Evidence(const TorqueModel& model) : Evidence(model.dof(), model.size()) {}
  void add(const SampleEquations& sample);
  void add(int joint, const double* row, double y);
  /// An equation of a joint at standstill.
  void add_still(int joint, const double* row, double y);
  void end_sample();
  /// The samples that follow belong to this run.
  void begin_run(int run);

  [[nodiscard]] int dof() const { return dof_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int parts() const { return static_cast<int>(parts_.size()); }
  [[nodiscard]] const Factor& part(int p, int joint) const { return parts_[p][joint]; }
  [[nodiscard]] const Factor& still(int p, int joint) const { return still_[p][joint]; }
  /// The run that a part belongs to.
  [[nodiscard]] int run(int p) const { return runs_[p]; }
  /// All parts of a joint together.
  [[nodiscard]] Factor whole(int joint) const;
  [[nodiscard]] double samples() const { return samples_; }
  void finish();

 private:
  int dof_, columns_, most_parts_;
  void begin_part();
  std::size_t length_ = 4, in_part_ = 0;  // samples
  int run_ = 0;
  double samples_ = 0;
  std::vector<std::vector<Factor>> parts_, still_;
  std::vector<int> runs_;  // of the parts
};

}  // namespace armature::identification
