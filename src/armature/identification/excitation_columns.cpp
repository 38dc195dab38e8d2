#include "armature/identification/excitation_columns.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cctype>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

/// One line "name = combination", from left to right.
class LineReader {
 public:
  LineReader(std::string_view line, Place place) : line_(line), place_(std::move(place)) {}

  void skip_blanks() {
    while (at_ < line_.size() && std::isspace(static_cast<unsigned char>(line_[at_]))) ++at_;
  }
  bool done() {
    skip_blanks();
    return at_ == line_.size();
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == line_.size() || line_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view name() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < line_.size() && (std::isalnum(static_cast<unsigned char>(line_[at_])) || line_[at_] == '_')) ++at_;
    return line_.substr(begin, at_ - begin);
  }
  /// The number that stands here; 1 where none does.
  double factor() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < line_.size() && (std::isdigit(static_cast<unsigned char>(line_[at_])) || line_[at_] == '.' ||
                                  (at_ > begin && (line_[at_] == 'e' || line_[at_] == 'E')) ||
                                  (at_ > begin && (line_[at_] == '-' || line_[at_] == '+') &&
                                   (line_[at_ - 1] == 'e' || line_[at_ - 1] == 'E'))))
      ++at_;
    if (at_ == begin) return 1;
    const auto number = parse_double(line_.substr(begin, at_ - begin));
    if (!number) refuse(fmt::format("'{}' is no number", printable(line_.substr(begin, at_ - begin))), "");
    take('*');
    return *number;
  }
  [[noreturn]] void refuse(const std::string& finding, const std::string& hint) const {
    Place place = place_;
    place.column = static_cast<int>(at_) + 1;
    throw FormatError(finding, hint, place);
  }

 private:
  std::string_view line_;
  Place place_;
  std::size_t at_ = 0;
};

/// Checks that W = R P on random states for some R, and returns the C with R = W C.
Eigen::MatrixXd right_inverse(const Arm& arm, const Eigen::MatrixXd& grouping) {
  const int n = arm.dof();
  if (const Eigen::Index independent = rank(grouping); independent < grouping.rows())
    throw Error(fmt::format("of the {} parameters only {} are independent", grouping.rows(), independent),
                "leave out the ones that are combinations of the others");
  const Eigen::MatrixXd C = pseudo_inverse(grouping);
  Random random(1);
  double worst = 0;
  for (int trial = 0; trial < 40; ++trial) {
    VecX<double> q(n), v(n), a(n);
    for (int i = 0; i < n; ++i) {
      q[i] = random.uniform(-3, 3);
      v[i] = random.uniform(-3, 3);
      a[i] = random.uniform(-9, 9);
    }
    const Eigen::MatrixXd W = torque_regressor<double>(arm, q, v, a);
    worst = std::max(worst, (W - W * C * grouping).cwiseAbs().maxCoeff() / std::max(1.0, W.cwiseAbs().maxCoeff()));
  }
  if (worst > 1e-6)
    throw Error(fmt::format("these parameters do not describe the torques of '{}': the regressor differs by {:.1e}",
                            arm.name(), worst),
                fmt::format("`armature compute base-parameters {}` prints a set that does", arm.name()));
  return C;
}

}  // namespace

ParameterColumns ParameterColumns::without(const std::vector<std::string>& known) const {
  for (const std::string& name : known)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(fmt::format("there is no parameter '{}'", printable(name)), suggestion(name, names));
  ParameterColumns rest{{}, columns, grouping, friction};
  Eigen::Index kept = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::find(known.begin(), known.end(), names[k]) != known.end()) continue;
    rest.names.push_back(names[k]);
    rest.columns.col(kept) = columns.col(k);
    rest.grouping.row(kept++) = grouping.row(k);
  }
  if (kept == 0) throw Error("no parameter is left to be identified", "name fewer as known");
  rest.columns.conservativeResize(Eigen::NoChange, kept);
  rest.grouping.conservativeResize(kept, Eigen::NoChange);
  return rest;
}

ParameterColumns base_columns(const Arm& arm) {
  const BaseParameters base = base_parameters(arm);
  ParameterColumns result;
  result.columns.setZero(base.grouping().cols(), base.count());
  result.grouping = base.grouping();
  for (int k = 0; k < base.count(); ++k) {
    result.names.push_back(fmt::format("p{}", k + 1));
    result.columns(base.columns.kept[k], k) = 1;
  }
  return result;
}

ParameterColumns columns_from_text(const Arm& arm, std::string_view text, const std::string& file) {
  std::vector<std::string> known;
  for (int c = 0; c < parameters_per_link * arm.dof(); ++c) known.push_back(parameter_name(arm.dof(), c));
  ParameterColumns result;
  std::vector<Eigen::RowVectorXd> rows;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    LineReader reader(line, {file, ++number, 0});
    if (reader.done()) continue;
    const std::string name(reader.name());
    if (name.empty() || !reader.take('='))
      reader.refuse("a line does not begin with a name and '='", "p3 = mcx3 + 0.415 m3");
    if (std::find(result.names.begin(), result.names.end(), name) != result.names.end())
      reader.refuse(fmt::format("the parameter '{}' stands here a second time", printable(name)),
                    "give it another name");
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(known.size());
    for (bool first = true; !reader.done(); first = false) {
      double sign = reader.take('-') ? -1 : 1;
      if (sign > 0 && !reader.take('+') && !first) reader.refuse("two terms without + or - between them", "");
      const double factor = sign * reader.factor();
      const std::string term(reader.name());
      const auto found = std::find(known.begin(), known.end(), term);
      if (found == known.end())
        reader.refuse(fmt::format("'{}' is no inertial parameter of '{}'", printable(term), arm.name()),
                      "m1, mcx1, mcy1, mcz1, Ixx1, Ixy1, Iyy1, Ixz1, Iyz1, Izz1 are those of link 1");
      row[found - known.begin()] += factor;
    }
    result.names.push_back(name);
    rows.push_back(row);
  }
  if (rows.empty())
    throw FormatError("there is no parameter in this file", "one per line: p3 = mcx3 + 0.415 m3", {file});
  result.grouping.resize(rows.size(), known.size());
  for (std::size_t k = 0; k < rows.size(); ++k) result.grouping.row(k) = rows[k];
  try {
    result.columns = right_inverse(arm, result.grouping);
  } catch (const Error& error) {
    throw FormatError(error.finding(), error.hint(), {file});
  }
  return result;
}

ParameterColumns with_friction(const Arm& arm, ParameterColumns columns) {
  const Eigen::Index old = columns.columns.rows(), count = columns.columns.cols();
  const Eigen::Index extra = friction_parameters_per_joint * arm.dof();
  columns.columns.conservativeResize(old + extra, count + extra);
  columns.columns.bottomRows(extra).setZero();
  columns.columns.rightCols(extra).setZero();
  columns.columns.bottomRightCorner(extra, extra).setIdentity();
  columns.grouping = Eigen::MatrixXd(columns.grouping);
  columns.grouping.conservativeResize(count + extra, old + extra);
  columns.grouping.bottomRows(extra).setZero();
  columns.grouping.rightCols(extra).setZero();
  columns.grouping.bottomRightCorner(extra, extra).setIdentity();
  for (int i = 1; i <= arm.dof(); ++i)
    for (const char* what : {"coulomb", "viscous", "offset"}) columns.names.push_back(fmt::format("{}{}", what, i));
  columns.friction = true;
  return columns;
}

}  // namespace armature::identification
