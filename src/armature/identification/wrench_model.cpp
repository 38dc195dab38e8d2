#include "armature/identification/wrench_model.hpp"

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/spatial/twist.hpp"

namespace armature::identification {

namespace {

constexpr int acceleration_at = 0, world_at = 3, turning_at = 12, products_at = 15;  // columns
constexpr int product_of[6][2] = {{0, 0}, {0, 1}, {1, 1},
                                  {0, 2}, {1, 2}, {2, 2}};  // in the order of inertia parameters

Mat3<double> cross_matrix(const Vec3<double>& v) {
  Mat3<double> X;
  X << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return X;
}

using WrenchRows = Eigen::Matrix<double, 6, wrench_motion_columns>;

}  // namespace

//     a += dv,  w += z qd,  dw += z qdd + (w × z) qd                     from body to body, in the world (regressor.cpp)
WrenchMotion wrench_motion(const Arm& arm, const JointMotion& motion) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, motion.q);
  Vec3<double> w = Vec3<double>::Zero(), dw = w, p = w, a = w;
  for (int k = 0; k < arm.dof(); ++k) {
    const Pose<double>& X_WB = poses.X_WB[k];
    const Vec3<double> z = X_WB.R.col(2);
    a += acceleration_matrix<double>(w, dw) * Vec3<double>(X_WB.p - p);
    p = X_WB.p;
    const Vec3<double> turned = cross<double>(w, z) * motion.qd[k];
    if (arm.body(k).revolute) {
      dw += z * motion.qdd[k] + turned;
      w += z * motion.qd[k];
    } else {
      a += z * motion.qdd[k] + turned * 2.0;
    }
  }
  const Pose<double> X_WT = tool_pose(arm, poses);
  a += acceleration_matrix<double>(w, dw) * Vec3<double>(X_WT.p - p);
  const Mat3<double> R_TW = X_WT.R.transpose();
  WrenchMotion row;
  row.segment<3>(acceleration_at) = R_TW * a;
  for (int k = 0; k < 3; ++k) row.segment<3>(world_at + 3 * k) = R_TW.col(k);
  row.segment<3>(turning_at) = R_TW * dw;
  const Vec3<double> w_T = R_TW * w;
  for (int k = 0; k < 6; ++k) row[products_at + k] = w_T[product_of[k][0]] * w_T[product_of[k][1]];
  return row;
}

//     F = m (a_S - g) + K h,   N = h × (a_S - g) + I dw + w × I w,   a_S = a + K p,   K = [dw]× + [w]×²      (1)
//     reading = gain (R_TSᵀ F; R_TSᵀ N) + offset + drift t                                                   (2)
//  With E = w wᵀ: [w]×² = E - tr(E) 1, and w × I w is the axial vector of I E.
Eigen::MatrixXd wrench_coefficients(const WrenchParameters& x) {
  WrenchRows rows = WrenchRows::Zero();
  const Mat3<double> one = Mat3<double>::Identity(), H = cross_matrix(x.h);
  const Vec3<double> s = x.m * x.p + x.h;  // first moment about T's origin
  rows.block<3, 3>(0, acceleration_at) = x.m * one;
  rows.block<3, 3>(3, acceleration_at) = H;
  for (int k = 0; k < 3; ++k) {
    rows.block<3, 3>(0, world_at + 3 * k) = -x.gravity[k] * x.m * one;
    rows.block<3, 3>(3, world_at + 3 * k) = -x.gravity[k] * H;
  }
  rows.block<3, 3>(0, turning_at) = -cross_matrix(s);
  rows.block<3, 3>(3, turning_at) = x.I - H * cross_matrix(x.p);
  for (int k = 0; k < 6; ++k) {
    Mat3<double> E = Mat3<double>::Zero();
    E(product_of[k][0], product_of[k][1]) = E(product_of[k][1], product_of[k][0]) = 1;
    const Mat3<double> K = E - E.trace() * one, IE = x.I * E;
    rows.block<3, 1>(0, products_at + k) = K * s;
    rows.block<3, 1>(3, products_at + k) =
        H * (K * x.p) + Vec3<double>(IE(2, 1) - IE(1, 2), IE(0, 2) - IE(2, 0), IE(1, 0) - IE(0, 1));
  }
  Eigen::Matrix<double, 6, 6> to_reading = Eigen::Matrix<double, 6, 6>::Zero();
  to_reading.topLeftCorner<3, 3>() = to_reading.bottomRightCorner<3, 3>() = x.R_TS.transpose();
  Eigen::MatrixXd all(wrench_channels, wrench_columns(x.runs.size()));
  all.leftCols(wrench_motion_columns) = x.gain * to_reading * rows;  // (2)
  for (std::size_t r = 0; r < x.runs.size(); ++r) {
    const auto at = static_cast<Eigen::Index>(wrench_motion_columns + 2 * r);
    all.col(at) = x.runs[r].offset;
    all.col(at + 1) = x.runs[r].drift;
  }
  return all;
}

}  // namespace armature::identification
