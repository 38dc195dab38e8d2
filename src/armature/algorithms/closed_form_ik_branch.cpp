#include "armature/algorithms/closed_form_ik_branch.hpp"

#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

double sign_of_bit(int branch, int bit) { return (branch >> bit) & 1 ? -1.0 : 1.0; }

template <Scalar S>
Mat3<S> turn_z(const S& angle) {
  const S c = cos(angle), s = sin(angle);
  Mat3<S> R;
  R << c, -s, S(0), s, c, S(0), S(0), S(0), S(1);
  return R;
}

/// About -y: x turns towards z.
template <Scalar S>
Mat3<S> turn_up(const S& angle) {
  const S c = cos(angle), s = sin(angle);
  Mat3<S> R;
  R << c, S(0), -s, S(0), S(1), S(0), s, S(0), c;
  return R;
}

// Two links a and b in a plane, (x, y) = a (cos A, sin A) + b (cos(A+B), sin(A+B)); with r² = x² + y²:
//     C = 2ab cos B = r² - a² - b²                               (1)   law of cosines
//     D = 2ab |sin B| = sqrt(((a+b)² - r²) (r² - (a-b)²))        (2)
//     B = ± atan2(D, C)                                          (3)
//     A = atan2(y, x) ∓ atan2(D, r² + a² - b²)                   (4)   the triangle's angle at the origin
template <Scalar S>
struct TwoLinks {
  S A, B;
};
template <Scalar S>
TwoLinks<S> two_links(const S& a, const S& b, const S& x, const S& y, double sign, int joint_A, IkMath<S>& math) {
  const S r2 = x * x + y * y, far = (a + b) * (a + b), near = (a - b) * (a - b);
  const S C = r2 - (a * a + b * b);                                       // (1)
  const S D = math.root((far - r2) * (r2 - near), far * sqrt(far * r2));  // (2)
  const S inner = S(sign) * atan2(D, r2 + (a * a - b * b));               // (4)
  return {math.joint(y, x, -inner, joint_A), S(sign) * atan2(D, C)};
}

// A point at distance d behind a plane that turns about z, at reach r within the plane [Kostic2004, (A3)], both signs:
//     r = ± sqrt(x² + y² - d²)              (5)
//     theta1 = atan2(y, x) + atan2(d, r)    (6)
template <Scalar S>
struct Shoulder {
  S theta1, reach;
};
template <Scalar S>
Shoulder<S> shoulder(const Vec3<S>& p, const S& d, double sign, IkMath<S>& math) {
  const S reach = S(sign) * math.root(p[0] * p[0] + p[1] * p[1] - d * d, d * d);  // (5)
  return {math.joint(p[1], p[0], atan2(d, reach), 0), reach};                     // (6)
}

// R = Rz(first) Ry(second) Rz(third), second of the given sign [Siciliano2009, (2.19)-(2.20)]. Next to second = 0 first and
// third are poorly known each, but not together: the careful way takes first from R Rz(-third).
template <Scalar S>
struct Wrist {
  S first, second, third;
};
template <Scalar S>
Wrist<S> wrist(const Mat3<S>& R, double sign, int last_joint, IkMath<S>& math) {
  const S up(sign);
  const S second = atan2(up * math.root(R(2, 0) * R(2, 0) + R(2, 1) * R(2, 1), S(0)), R(2, 2));
  const S third = math.joint(up * R(2, 1), -(up * R(2, 0)), S(0), last_joint);
  if (!math.careful) return {atan2(up * R(1, 2), up * R(0, 2)), second, third};
  const S c = cos(third), s = sin(third);
  return {atan2(-(R(0, 0) * s + R(0, 1) * c), R(1, 0) * s + R(1, 1) * c), second, third};
}

template <Scalar S>
VecX<S> solve(const RrrGeometry<S>& g, const Pose<S>& X, int branch, IkMath<S>& math) {
  const Shoulder<S> to = shoulder(X.p, g.d, sign_of_bit(branch, 1), math);
  const TwoLinks<S> links = two_links(g.a2, g.a3, S(to.reach - g.a1), X.p[2], sign_of_bit(branch, 0), 1, math);
  VecX<S> theta(3);
  theta << to.theta1, links.A, links.B;
  return theta;
}

template <Scalar S>
VecX<S> solve(const Planar3rGeometry<S>& g, const Pose<S>& X, int branch, IkMath<S>& math) {
  const TwoLinks<S> links = two_links(g.l1, g.l2, X.p[0], X.p[1], sign_of_bit(branch, 0), 0, math);
  VecX<S> theta(3);
  theta << links.A, links.B, atan2(X.R(1, 0), X.R(0, 0)) - links.A - links.B;
  return theta;
}

//     z = -a4 sin theta3                                          (7)   [Verona2023, (13)-(18)], with both signs
//     r = a2 + a4 cos theta3,  theta2 = ± sqrt(x² + y² - r²)      (8)
//     theta1 = atan2(y, x) - atan2(theta2, r)                     (9)
template <Scalar S>
VecX<S> solve(const RprGeometry<S>& g, const Pose<S>& X, int branch, IkMath<S>& math) {
  const S x = X.p[0], y = X.p[1], z = X.p[2];
  const S across = S(sign_of_bit(branch, 0)) * math.root(g.a4 * g.a4 - z * z, g.a4 * g.a4);  // a4 cos theta3
  const S r = g.a2 + across;
  const S slide = S(sign_of_bit(branch, 1)) * math.root(x * x + y * y - r * r, r * r);  // (8)
  VecX<S> theta(3);
  theta << math.joint(y, x, -atan2(slide, r), 0), slide, atan2(-z, across);  // (9), (8), (7)
  return theta;
}

// The wrist's centre places the first three joints [Pieper1968]; what is left of the orientation, the last three.
template <Scalar S>
VecX<S> solve(const SphericalWristGeometry<S>& g, const Pose<S>& X, int branch, IkMath<S>& math) {
  const VecX<S> arm = solve(g.arm, X, branch >> 1, math);
  const Mat3<S> R_1F = turn_up<S>(arm[1] + arm[2] + g.tilt);
  const Mat3<S> R_HN = g.R_FH.transpose() * (R_1F.transpose() * (turn_z<S>(arm[0]).transpose() * X.R));
  const Wrist<S> hand = wrist(R_HN, sign_of_bit(branch, 0), 5, math);
  VecX<S> theta(6);
  theta << arm[0], arm[1], arm[2], hand.first, hand.second, hand.third;
  return theta;
}

// The distance d behind the plane of the arm gives theta1, the orientation within it psi, theta5 and theta6; taking off what lies
// beyond axis 4 leaves two links [Hawkins2013].
template <Scalar S>
VecX<S> solve(const UrGeometry<S>& g, const Pose<S>& X, int branch, IkMath<S>& math) {
  const Shoulder<S> to = shoulder(X.p, g.arm.d, sign_of_bit(branch, 2), math);
  const Mat3<S> R_1N = turn_z<S>(to.theta1).transpose() * X.R;
  Mat3<S> R_HN;  // z of H along axes 2, 3, 4, y along axis 5 when psi = 0
  R_HN << -R_1N.row(2), R_1N.row(0), -R_1N.row(1);
  const Wrist<S> hand = wrist(R_HN, sign_of_bit(branch, 0), 5, math);
  const S psi = hand.first, c = cos(psi), s = sin(psi);
  const S x = to.reach - g.arm.a1 - (g.d5 * c - g.a4 * s), z = X.p[2] - (g.d5 * s + g.a4 * c);
  const TwoLinks<S> links = two_links(g.arm.a2, g.arm.a3, x, z, sign_of_bit(branch, 1), 1, math);
  VecX<S> theta(6);
  theta << to.theta1, links.A, links.B, psi - links.A - links.B, hand.second, hand.third;
  return theta;
}

template <Scalar S>
RrrGeometry<S> cast(const RrrGeometry<double>& g) {
  return {S(g.a1), S(g.a2), S(g.a3), S(g.d)};
}
template <Scalar S>
Planar3rGeometry<S> cast(const Planar3rGeometry<double>& g) {
  return {S(g.l1), S(g.l2)};
}
template <Scalar S>
RprGeometry<S> cast(const RprGeometry<double>& g) {
  return {S(g.a2), S(g.a4)};
}
template <Scalar S>
SphericalWristGeometry<S> cast(const SphericalWristGeometry<double>& g) {
  return {cast<S>(g.arm), S(g.tilt), g.R_FH.template cast<S>()};
}
template <Scalar S>
UrGeometry<S> cast(const UrGeometry<double>& g) {
  return {cast<S>(g.arm), S(g.a4), S(g.d5)};
}

}  // namespace

template <Scalar S>
VecX<S> closed_form_branch(const IkGeometry<S>& geometry, const Pose<S>& X_0N, int branch, IkMath<S>& math) {
  return std::visit([&](const auto& g) { return solve(g, X_0N, branch, math); }, geometry);
}

template <Scalar S>
VecX<S> closed_form_branch(const IkFamily& family, const Pose<S>& X_WT, int branch, IkMath<S>& math) {
  const Pose<S> X_0W = family.X_0W.template cast<S>();
  const Pose<S> X_0N =
      family.position_only() ? Pose<S>{X_WT.R, X_0W * X_WT.p} : X_0W * X_WT * family.X_TN.template cast<S>();
  const auto geometry = std::visit([](const auto& g) -> IkGeometry<S> { return cast<S>(g); }, family.geometry);
  VecX<S> q = closed_form_branch(geometry, X_0N, branch, math);
  for (int i = 0; i < q.size(); ++i) {
    const auto [sign, offset] = family.joints[i];
    q[i] = S(sign) * (q[i] - S(offset));
  }
  return q;
}

#define ARMATURE_INSTANTIATE(S)                                                               \
  template VecX<S> closed_form_branch(const IkGeometry<S>&, const Pose<S>&, int, IkMath<S>&); \
  template VecX<S> closed_form_branch(const IkFamily&, const Pose<S>&, int, IkMath<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
