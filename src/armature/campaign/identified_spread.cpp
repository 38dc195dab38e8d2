#include "armature/campaign/identified_spread.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <optional>

#include "armature/core/quantity.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/key_path.hpp"
#include "armature/formats/table.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::campaign {

namespace {

using Ten = Eigen::Matrix<double, 10, 1>;

/// Upper triangular, P = U U'.
Eigen::Matrix4d upper_factor(const Eigen::Matrix4d& P) {
  const Eigen::Matrix4d flip = Eigen::Matrix4d::Identity().colwise().reverse();
  return flip * Eigen::Matrix4d(Eigen::LLT<Eigen::Matrix4d>(flip * P * flip).matrixL()) * flip;
}

/// x, and where it is below -1/2 what goes on from there smoothly and stays above -1.
double kept_above(double x) { return x >= -0.5 ? x : -1 + 0.5 * std::exp(2 * (x + 0.5)); }

/// A symmetric matrix with norm |e|.
Eigen::Matrix4d symmetric(const Ten& e) {
  Eigen::Matrix4d E = e.head<4>().asDiagonal();
  int k = 4;
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j, ++k) E(i, j) = E(j, i) = e[k] * std::sqrt(0.5);
  return E;
}

/// The parameters of a link moved by e.
Ten moved_link(const Ten& link, const Ten& e) {
  const Eigen::Matrix4d U = upper_factor(pseudo_inertia(link));
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(symmetric(e));
  const Eigen::Vector4d kept = 1 + eigen.eigenvalues().unaryExpr(&kept_above).array();
  const Eigen::Matrix4d half = U * eigen.eigenvectors();
  const Eigen::Matrix4d P = half * kept.asDiagonal() * half.transpose();
  const Eigen::Matrix3d S = P.topLeftCorner<3, 3>();
  return parameters(
      Inertia<double>{P(3, 3), P.col(3).head<3>(), Mat3<double>(S.trace() * Eigen::Matrix3d::Identity() - S)});
}

/// Derivative of the model's parameters by the coordinates of links, rotors and friction.
Eigen::MatrixXd derivative(const Identification& id, const Eigen::VectorXd& friction_scale) {
  const TorqueModel& model = *id.model;
  const Eigen::VectorXd& links = id.physical.links;
  const Eigen::VectorXd& rotors = id.physical.rotors;
  const Eigen::Index n = links.size(), r = rotors.size(), base = model.base().count(), rest = model.size() - base;
  Eigen::MatrixXd by_coordinate = Eigen::MatrixXd::Zero(n + r, n + r);
  constexpr double h = 0.1;  // the parameters are linear there
  for (Eigen::Index i = 0; i < n / 10; ++i) {
    const Ten link = links.segment<10>(10 * i);
    for (Eigen::Index k = 0; k < 10; ++k)
      by_coordinate.block<10, 1>(10 * i, 10 * i + k) =
          (moved_link(link, h * Ten::Unit(k)) - moved_link(link, -h * Ten::Unit(k))) / (2 * h);
  }
  by_coordinate.bottomRightCorner(r, r) = rotors.asDiagonal();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(model.size(), n + r + rest);
  J.topLeftCorner(base, n + r) = model.base().grouping() * by_coordinate;
  J.bottomRightCorner(rest, rest) = friction_scale.asDiagonal();
  return J;
}

/// Factor of the spread of the coordinates: see the top of the header.
Eigen::MatrixXd coordinate_factor(const Identification& id, const Eigen::MatrixXd& J) {
  std::vector<Eigen::Index> known;
  for (Eigen::Index k = 0; k < J.rows(); ++k)
    if (id.estimate.determined[k]) known.push_back(k);
  const Eigen::MatrixXd C = id.estimate.covariance(known, known);
  const Eigen::VectorXd sd = C.diagonal().cwiseSqrt();
  const RealEigen eigen = symmetric_eigen(sd.cwiseInverse().asDiagonal() * C * sd.cwiseInverse().asDiagonal());
  const Eigen::VectorXd roots = eigen.values.cwiseMax(1e-12 * eigen.values.maxCoeff()).cwiseSqrt();
  const Eigen::MatrixXd white = roots.cwiseInverse().asDiagonal() * eigen.vectors.transpose() *
                                sd.cwiseInverse().asDiagonal() * Eigen::MatrixXd(J(known, Eigen::all));
  const SingularValues svd = singular_value_decomposition(white);
  const Eigen::VectorXd& D = svd.values;
  Eigen::Index rank = 0;
  while (rank < D.size() && D[rank] > 1e-9 * D[0]) ++rank;
  constexpr double most = 1.0 / 3;  // spread of a coordinate that the log hardly shows
  const Eigen::VectorXd spread = (D.head(rank).array().square() + 1 / (most * most)).rsqrt();
  return svd.V.leftCols(rank) * spread.asDiagonal();
}

/// The numbers of rotors, springs and friction in an arm's tree, each with its key.
void list_drive_numbers(const Yaml& node, const std::string& key, std::vector<std::pair<std::string, double>>& all) {
  for (const Yaml::Entry& entry : node.entries) list_drive_numbers(entry.value, key + "." + entry.key, all);
  if (node.kind == Yaml::Kind::list)
    for (std::size_t i = 0; i < node.list.size(); ++i)
      list_drive_numbers(node.list[i], fmt::format("{}.{}", key, i), all);
  if (node.kind != Yaml::Kind::text) return;
  try {
    all.emplace_back(key, read_quantity(node.text).value);
  } catch (const Error&) {  // a word
  }
}
std::vector<std::pair<std::string, double>> drive_numbers(const ArmDescription& description) {
  std::vector<std::pair<std::string, double>> all;
  const Yaml tree = parse_yaml(write_arm_yaml(description), description.name);
  for (const Yaml::Entry& entry : tree.entries)
    if (entry.key == "joints")
      for (std::size_t i = 0; i < entry.value.list.size(); ++i)
        for (const Yaml::Entry& part : entry.value.list[i].entries)
          if (part.key == "friction" || part.key == "drive" || part.key == "spring")
            list_drive_numbers(part.value, fmt::format("joints.{}.{}", i, part.key), all);
  return all;
}

std::string link_row(int joint, int k) { return fmt::format("link {} coordinate {}", joint + 1, k + 1); }

/// Which of its rows has this name.
std::optional<Eigen::Index> row_of(const IdentifiedSpread& spread, const std::string& name) {
  for (std::size_t i = 0; i < spread.names.size(); ++i)
    if (spread.names[i] == name) return static_cast<Eigen::Index>(i);
  return std::nullopt;
}

}  // namespace

std::string identified_spread_text(const Identification& id) {
  const TorqueModel& model = *id.model;
  const Eigen::Index n = id.physical.links.size(), r = id.physical.rotors.size();
  const Eigen::Index base = model.base().count(), rest = model.size() - base;
  Eigen::VectorXd scale(rest);
  for (Eigen::Index k = 0; k < rest; ++k)
    scale[k] = 100 * std::max(id.estimate.deviation(static_cast<int>(base + k)), 1e-12);
  const Eigen::MatrixXd S = coordinate_factor(id, derivative(id, scale));

  IdentifiedSpread spread;
  std::vector<Eigen::VectorXd> rows;
  std::vector<double> values;
  for (Eigen::Index i = 0; i < n; ++i) {
    spread.names.push_back(link_row(static_cast<int>(i / 10), static_cast<int>(i % 10)));
    values.push_back(id.physical.links[i]);
    rows.emplace_back(S.row(i));
  }
  // what the file says of rotors, springs and friction, by the coordinates after those of the links
  const auto numbers = drive_numbers(id.arm);
  std::vector<Eigen::VectorXd> moved(numbers.size(), Eigen::VectorXd::Zero(S.cols()));
  for (Eigen::Index k = 0; k < r + rest; ++k) {
    constexpr double h = 1e-4;
    PhysicalEstimate e = id.physical;
    if (k < r)
      e.rotors[k] *= 1 + h;
    else
      e.x[base + k - r] += h * scale[k - r];
    const auto changed = drive_numbers(identified_arm(model, e, "identified"));
    for (std::size_t i = 0; i < numbers.size() && changed.size() == numbers.size(); ++i)
      moved[i] += (changed[i].second - numbers[i].second) / h * S.row(n + k).transpose();
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (moved[i].norm() > 0) {
      spread.names.push_back(numbers[i].first);
      values.push_back(numbers[i].second);
      rows.push_back(moved[i]);
    }

  std::string text =
      "# How sure an identified arm is: factors of its parameters' spread, for `identified` of a campaign\n";
  text += "coordinate,value";
  for (Eigen::Index k = 0; k < S.cols(); ++k) text += fmt::format(",factor_{}", k + 1);
  text += "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += spread.names[i] + "," + exact_text(values[i]);
    for (const double x : rows[i]) text += "," + exact_text(x);
    text += "\n";
  }
  return text;
}

IdentifiedSpread read_identified_spread(const std::string& path, const Arm& arm) {
  TableReader table(path, {.text_cells = true});
  const std::vector<std::string>& columns = table.columns();
  const auto refuse = [&](const std::string& finding) {
    throw FormatError(finding, "armature identify ARM LOG -o ARM.yaml --covariance FILE.csv writes both", {path});
  };
  if (columns.size() < 3 || columns[0] != "coordinate" || columns[1] != "value")
    refuse("this is not the covariance of an identified arm");
  table.select(columns);
  IdentifiedSpread spread;
  std::vector<std::vector<double>> rows;
  std::vector<double> row(columns.size());
  while (table.next(row)) {
    spread.names.emplace_back(table.text_of(0));
    for (std::size_t k = 1; k < row.size(); ++k)
      if (!std::isfinite(row[k])) refuse(fmt::format("'{}' has a cell that is no number", spread.names.back()));
    rows.push_back(row);
  }
  const auto count = static_cast<Eigen::Index>(rows.size()), factors = static_cast<Eigen::Index>(columns.size()) - 2;
  spread.estimate.resize(count);
  spread.factor.resize(count, factors);
  for (Eigen::Index i = 0; i < count; ++i) {
    spread.estimate[i] = rows[i][1];
    for (Eigen::Index k = 0; k < factors; ++k) spread.factor(i, k) = rows[i][static_cast<std::size_t>(k) + 2];
  }
  for (int i = 0; i < arm.dof(); ++i) {
    const std::optional<MassProperties>& mass = arm.joint(i).link.mass;
    const Ten link = mass ? Ten(parameters(inertia_of(*mass))) : Ten(Ten::Zero());
    for (int k = 0; k < 10; ++k) {
      const auto at = row_of(spread, link_row(i, k));
      if (!at || std::abs(spread.estimate[*at] - link[k]) > 1e-6 * (std::abs(link[k]) + link[0]))
        refuse(fmt::format("it belongs to another arm than the scenario's: link '{}' differs", arm.joint(i).link.name));
    }
  }
  return spread;
}

void move_drives(const IdentifiedSpread& spread, const Eigen::VectorXd& z, Yaml& arm) {
  const Eigen::VectorXd by = spread.factor * z;
  for (std::size_t i = 0; i < spread.names.size(); ++i) {
    const std::string& name = spread.names[i];
    if (!name.starts_with("joints.")) continue;
    for (Yaml* node : values_at(arm, name, {}, false)) {
      WrittenQuantity q = read_quantity(node->text);
      const double change = by[i];
      if (name.find(".drive.") != std::string::npos)  // inertia stays positive
        q.value *= q.value > 0 ? 1 + kept_above(change / q.value) : 1;
      else  // friction brakes, or there is none; an offset has either sign
        q.value = q.value > 0 && !name.ends_with(".offset") ? std::max(0.0, q.value + change) : q.value + change;
      node->text = quantity_text(q);
    }
  }
}

void move_links(const IdentifiedSpread& spread, const Eigen::VectorXd& z, ArmDescription& arm) {
  const Eigen::VectorXd by = spread.factor * z;
  int moving = -1;
  for (JointDescription& joint : arm.joints) {
    if (joint.type == JointType::fixed || !joint.link.mass) continue;
    ++moving;
    Ten e;
    for (int k = 0; k < 10; ++k) {
      const auto at = row_of(spread, link_row(moving, k));
      e[k] = at ? by[*at] : 0;
    }
    const Inertia<double> body =
        inertia_from_parameters<double>(moved_link(Ten(parameters(inertia_of(*joint.link.mass))), e));
    MassProperties& mass = *joint.link.mass;
    mass.mass = body.m;
    mass.position = body.h / body.m;
    mass.position_is_first_moment = false;
    mass.tensor = central_inertia(body);
    mass.tensor_about_origin = false;
  }
  for (JointDescription& joint : arm.joints)
    if (auto* law = std::get_if<Stribeck>(&joint.friction)) law->stiction = std::max(law->stiction, law->coulomb);
}

}  // namespace armature::campaign
