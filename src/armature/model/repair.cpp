#include "armature/model/repair.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "armature/model/arm.hpp"

namespace armature::model {

namespace {

constexpr double ball_radius = 0.02;  // [m] of a stand-in
constexpr double ball_share = 0.01;   // of the lightest body's mass

/// The sigma >= floor that brings e = (1 1ᵀ - 1) sigma nearest to the wanted principal moments. The optimum is the least-squares
/// solution on one of the eight faces of the bounds, so the best of those that keep the bounds is it.
Vec3<double> nearest_spreads(const Vec3<double>& wanted, double floor) {
  const Mat3<double> A = Mat3<double>::Ones() - Mat3<double>::Identity();
  Vec3<double> best = Vec3<double>::Constant(floor);
  double smallest = (A * best - wanted).squaredNorm();
  for (int face = 1; face < 8; ++face) {  // bit k: sigma k is free
    Mat3<double> H = Mat3<double>::Identity();
    Vec3<double> fixed = Vec3<double>::Zero();
    for (int k = 0; k < 3; ++k)
      if (!(face >> k & 1)) fixed[k] = floor;
    Vec3<double> b = A.transpose() * (wanted - A * fixed);
    const Mat3<double> AA = A.transpose() * A;
    for (int k = 0; k < 3; ++k) {
      if (!(face >> k & 1)) b[k] = 0;
      for (int l = 0; l < 3; ++l)
        if ((face >> k & 1) && (face >> l & 1)) H(k, l) = AA(k, l);
    }
    const Vec3<double> sigma = H.ldlt().solve(b) + fixed;
    const double miss = (A * sigma - wanted).squaredNorm();
    if (sigma.minCoeff() >= floor && miss < smallest) {
      best = sigma;
      smallest = miss;
    }
  }
  return best;
}

MassProperties ball(double mass) {
  MassProperties result;
  result.mass = mass;
  result.tensor = 0.4 * mass * ball_radius * ball_radius * Mat3<double>::Identity();
  result.source = "a stand-in: the link had no mass";
  return result;
}

/// Mass and centre as they are, with the nearest tensor.
MassProperties nearest_body(const MassProperties& given) {
  const Inertia<double> inertia = inertia_of(given);
  MassProperties result;
  result.mass = inertia.m;
  result.position = inertia.h / inertia.m;
  result.tensor = nearest_tensor(inertia.m, central_inertia(inertia));
  result.source = given.source + (given.source.empty() ? "" : "; ") + "the nearest inertia that a body has";
  return result;
}

}  // namespace

Mat3<double> nearest_tensor(double mass, const Mat3<double>& tensor, double thickness) {
  const Eigen::SelfAdjointEigenSolver<Mat3<double>> axes(tensor);
  const Vec3<double> sigma = nearest_spreads(axes.eigenvalues(), mass * thickness * thickness);
  const Vec3<double> moments = Vec3<double>::Constant(sigma.sum()) - sigma;
  return axes.eigenvectors() * moments.asDiagonal() * axes.eigenvectors().transpose();
}

std::vector<BodyRepair> repair_bodies(ArmDescription& arm) {
  arm.unphysical.clear();
  const Chain chain = chain_of(arm);
  double lightest = 0;
  for (const Body& body : chain.bodies)
    if (body.inertia.m > 0 && (lightest == 0 || body.inertia.m < lightest)) lightest = body.inertia.m;
  std::vector<BodyRepair> repairs;
  const auto replace = [&](LinkDescription& link, MassProperties by, bool stand_in) {
    repairs.push_back({link.name, link.mass, by, stand_in});
    link.mass = std::move(by);
  };
  for (std::size_t b = 0; b < chain.bodies.size(); ++b) {
    if (judge_body(chain.bodies[b].inertia).possible()) continue;
    const std::size_t begin = chain.moving[b];
    const std::size_t end = b + 1 < chain.moving.size() ? chain.moving[b + 1] : arm.joints.size();
    bool any_mass = false;
    for (std::size_t j = begin; j < end; ++j) {
      LinkDescription& link = arm.joints[j].link;
      if (!link.mass || !(link.mass->mass > 0)) continue;
      any_mass = true;
      if (!judge_body(inertia_of(*link.mass)).possible()) replace(link, nearest_body(*link.mass), false);
    }
    if (!any_mass) replace(arm.joints[begin].link, ball(ball_share * (lightest > 0 ? lightest : 1)), true);
    for (std::size_t j = begin; j < end; ++j)  // inertia without mass, or mass below zero, beside a body
      if (LinkDescription& link = arm.joints[j].link; link.mass && !(link.mass->mass > 0))
        replace(link, MassProperties{}, false);
  }
  return repairs;
}

}  // namespace armature::model
