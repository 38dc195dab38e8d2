#include "armature/identification/evidence.hpp"

#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

void Factor::add(const double* row, double y) {
  const Eigen::Index width = Rz_.cols();
  if (filled_ == Rz_.rows()) {
    if (filled_ >= 4 * width) compress();
    if (filled_ == Rz_.rows())
      Rz_.conservativeResize(std::max<Eigen::Index>(4, std::min(2 * filled_, 4 * width)), width);
  }
  Rz_.row(filled_).head(width - 1) = Eigen::Map<const Eigen::RowVectorXd>(row, width - 1);
  Rz_(filled_++, width - 1) = y;
  ++rows_;
  squares_ += y * y;
  sum_ += y;
}

void Factor::add(const Factor& other) {
  const Eigen::Index width = Rz_.cols();
  if (filled_ + other.filled_ > Rz_.rows()) Rz_.conservativeResize(filled_ + other.filled_, width);
  Rz_.middleRows(filled_, other.filled_) = other.Rz_.topRows(other.filled_);
  filled_ += other.filled_;
  rows_ += other.rows_;
  squares_ += other.squares_;
  sum_ += other.sum_;
  if (filled_ > 4 * width) compress();
}

void Factor::compress() {
  const RowMatrix R = reduced();
  Rz_.topRows(R.rows()) = R;
  filled_ = R.rows();
}

RowMatrix Factor::reduced() const {
  const Eigen::Index width = Rz_.cols();
  if (filled_ <= width) return Rz_.topRows(filled_);
  return triangle_of(Rz_.topRows(filled_));
}

double Factor::residual_squares(const Eigen::VectorXd& x) const {
  const Eigen::Index width = Rz_.cols();
  const auto rows = Rz_.topRows(filled_);
  return (rows.leftCols(width - 1) * x - rows.col(width - 1)).squaredNorm();
}

void Factor::normal_equations(Eigen::MatrixXd& G, Eigen::VectorXd& g) const {
  const Eigen::Index c = Rz_.cols() - 1;
  const auto rows = Rz_.topRows(filled_);
  G = Eigen::MatrixXd::Zero(c, c);
  g = Eigen::VectorXd::Zero(c);
  if (filled_ == 0) return;
  G.selfadjointView<Eigen::Lower>().rankUpdate(rows.leftCols(c).transpose());
  G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
  g = rows.leftCols(c).transpose() * rows.col(c);
}

Evidence::Evidence(int dof, int columns, int most_parts) : dof_(dof), columns_(columns), most_parts_(most_parts) {}

void Evidence::begin_part() {
  in_part_ = 0;
  for (auto* parts : {&parts_, &still_}) parts->emplace_back(static_cast<std::size_t>(dof_), Factor(columns_));
  runs_.push_back(run_);
}

void Evidence::begin_run(int run) {
  if (run == run_) return;
  run_ = run;
  if (!parts_.empty()) begin_part();
}

void Evidence::add(int joint, const double* row, double y) {
  if (parts_.empty()) begin_part();
  parts_.back()[joint].add(row, y);
}

void Evidence::add_still(int joint, const double* row, double y) {
  if (parts_.empty()) begin_part();
  still_.back()[joint].add(row, y);
}

void Evidence::end_sample() {
  if (parts_.empty()) begin_part();
  ++samples_;
  if (++in_part_ < length_) return;
  for (auto* parts : {&parts_, &still_})
    for (Factor& f : parts->back()) f.compress();
  if (parts_.size() >= static_cast<std::size_t>(most_parts_)) {
    std::vector<int> runs;
    std::size_t kept = 0;
    for (std::size_t p = 0; p < runs_.size(); ++p, ++kept) {
      runs.push_back(runs_[p]);
      const bool pair = p + 1 < runs_.size() && runs_[p + 1] == runs_[p];
      for (auto* parts : {&parts_, &still_}) {
        if (kept != p) (*parts)[kept] = std::move((*parts)[p]);
        if (!pair) continue;
        for (std::size_t j = 0; j < (*parts)[kept].size(); ++j) (*parts)[kept][j].add((*parts)[p + 1][j]);
      }
      p += pair;
    }
    for (auto* parts : {&parts_, &still_}) parts->resize(kept);
    runs_ = std::move(runs);
    length_ *= 2;
  }
  begin_part();
}

void Evidence::add(const SampleEquations& sample) {
  begin_run(sample.run);
  for (int j = 0; j < dof_; ++j)
    if (sample.counts[j])
      add(j, &sample.rows(j, 0), sample.torque[j]);
    else
      add_still(j, &sample.rows(j, 0), sample.torque[j]);
  end_sample();
}

void Evidence::finish() {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    double rows = 0;
    for (const Factor& f : parts_[p]) rows += f.rows();
    const bool last = p + 1 == parts_.size() || runs_[p + 1] != runs_[p];
    if (last && rows == 0) continue;
    if (kept != p) {
      parts_[kept] = std::move(parts_[p]);
      still_[kept] = std::move(still_[p]);
      runs_[kept] = runs_[p];
    }
    ++kept;
  }
  for (auto* parts : {&parts_, &still_}) parts->resize(kept);
  runs_.resize(kept);
}

Factor Evidence::whole(int joint) const {
  Factor all(columns_);
  for (const auto& part : parts_) all.add(part[joint]);
  all.compress();
  return all;
}

}  // namespace armature::identification
