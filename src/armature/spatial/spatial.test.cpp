#include <Eigen/Geometry>
#include <cmath>

#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/spatial/inertia.hpp"
#include "armature/spatial/pose.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::spatial;

namespace {

Vec3<double> random_vector(Random& random, double size = 1) {
  return Vec3<double>(random.normal(), random.normal(), random.normal()) * size;
}
Mat3<double> random_rotation(Random& random) { return exp_map(random_vector(random, 2)); }

}  // namespace

TEST_CASE("quarter turns are exact, other angles are libm's") {
  for (int k = -8; k <= 8; ++k) {
    const auto [s, c] = exact_sin_cos(k * pi / 2);
    CHECK(std::abs(s) + std::abs(c) == 1.0);
    CHECK(s == doctest::Approx(std::sin(k * pi / 2)));
    CHECK(c == doctest::Approx(std::cos(k * pi / 2)));
  }
  CHECK(exact_sin_cos(1.5708).c == std::cos(1.5708));
  CHECK(exact_sin_cos(1e-9).s == std::sin(1e-9));
}

TEST_CASE("every representation of a rotation gives the rotation back") {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Mat3<double> R = random_rotation(random);
    CHECK(orthogonality_error(R) < 1e-14);
    CHECK((rotation_from_rpy(rpy_from_rotation(R).angles) - R).norm() < 1e-14);
    CHECK((rotation_from_zyz(zyz_from_rotation(R).angles) - R).norm() < 1e-14);
    CHECK((rotation_from_quaternion(quaternion_from_rotation(R)) - R).norm() < 1e-14);
    CHECK((exp_map(log_map(R)) - R).norm() < 1e-13);
  }
}

TEST_CASE("a half turn has a logarithm of length pi") {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> axis = random_vector(random).normalized();
    const Mat3<double> R = exp_map(axis * pi);
    CHECK(log_map(R).norm() == doctest::Approx(pi));
    CHECK((exp_map(log_map(R)) - R).norm() < 1e-7);
  }
}

TEST_CASE("singular representations are reported and still give the rotation") {
  for (const double psi : {-1.0, 0.0, 0.7}) {
    const Mat3<double> up = rotation_from_rpy({psi, pi / 2, 0.4});
    CHECK(rpy_from_rotation(up).singular);
    CHECK((rotation_from_rpy(rpy_from_rotation(up).angles) - up).norm() < 1e-12);
    for (const double theta : {0.0, pi}) {
      const Mat3<double> R = rotation_from_zyz({0.3, theta, psi});
      CHECK(zyz_from_rotation(R).singular);
      CHECK((rotation_from_zyz(zyz_from_rotation(R).angles) - R).norm() < 1e-12);
    }
  }
}

TEST_CASE("Euler angles give the rotation back however near it is to a singular one") {
  Random random(8);
  for (int i = 0; i < 1000; ++i) {
    const double off = std::pow(10.0, random.uniform(-16, 0)), first = random.uniform(-3, 3),
                 last = random.uniform(-3, 3);
    const Mat3<double> A =
        random_rotation(random);  // there and back: small entries are then known to 1e-16, not better
    const Mat3<double> up = A.transpose() * (A * rotation_from_rpy({first, pi / 2 - off, last}));
    const Mat3<double> R = A.transpose() * (A * rotation_from_zyz({first, off, last}));
    const EulerAngles rpy = rpy_from_rotation(up), zyz = zyz_from_rotation(R);  // called singular: good to `off`
    CHECK((rotation_from_rpy(rpy.angles) - up).cwiseAbs().maxCoeff() < 1e-14 + (rpy.singular ? 2 * off : 0));
    CHECK((rotation_from_zyz(zyz.angles) - R).cwiseAbs().maxCoeff() < 1e-14 + (zyz.singular ? 2 * off : 0));
  }
}

TEST_CASE("rate matrices turn angle rates into angular velocity") {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> angles = random_vector(random), rates = random_vector(random);
    const double h = 1e-6;
    const auto omega = [&](auto rotation) -> Vec3<double> {
      const Mat3<double> Rd = (rotation(angles + h * rates) - rotation(angles - h * rates)) / (2 * h);
      const Mat3<double> W = Rd * rotation(angles).transpose();
      return {W(2, 1), W(0, 2), W(1, 0)};
    };
    CHECK((zyz_rate_matrix<double>(angles) * rates - omega(rotation_from_zyz)).norm() < 1e-8);
    CHECK((rpy_rate_matrix<double>(angles) * rates - omega(rotation_from_rpy)).norm() < 1e-8);
  }
}

TEST_CASE("the rotation from z to an axis takes z there and is exact for the principal axes") {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> axis = random_vector(random).normalized();
    const Mat3<double> R = rotation_from_z_to(axis);
    CHECK((R.col(2) - axis).norm() < 1e-14);
    CHECK(orthogonality_error(R) < 1e-14);
  }
  for (int k = 0; k < 3; ++k)
    for (const double sign : {1.0, -1.0}) {
      const Mat3<double> R = rotation_from_z_to(Vec3<double>::Unit(k) * sign);
      CHECK(R.col(2) == Vec3<double>(Vec3<double>::Unit(k) * sign));
      CHECK(R == R.unaryExpr([](double x) { return std::nearbyint(x); }));
    }
}

TEST_CASE("moving a body's frame keeps its kinetic energy") {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    Mat3<double> L;
    for (int k = 0; k < 9; ++k) L(k) = random.normal();
    const Inertia<double> B =
        inertia_about_com<double>(random.uniform(0.1, 5), random_vector(random), L * L.transpose());
    const Pose<double> X_AB{random_rotation(random), random_vector(random)};
    const Inertia<double> A = seen_from(X_AB, B);
    const auto energy = [](const Inertia<double>& I, const Vec3<double>& v, const Vec3<double>& w) {
      return 0.5 * I.m * v.dot(v) + v.dot(w.cross(I.h)) + 0.5 * w.dot(I.I_Bo * w);
    };
    const Vec3<double> v_A = random_vector(random),
                       w_A = random_vector(random);  // twist of the body at A's origin, in A
    const Vec3<double> w_B = X_AB.R.transpose() * w_A;
    const Vec3<double> v_B = X_AB.R.transpose() * (v_A + w_A.cross(X_AB.p));
    CHECK(energy(A, v_A, w_A) == doctest::Approx(energy(B, v_B, w_B)).epsilon(1e-12));
    CHECK((parameters(inertia_from_parameters<double>(parameters(A))) - parameters(A)).norm() == 0);
    CHECK((central_inertia(B) - L * L.transpose()).norm() < 1e-12 * (1 + B.I_Bo.norm()));
  }
}

TEST_CASE("impossible bodies are told from possible ones") {
  const auto body = [](double m, double a, double b, double c) {
    return inertia_about_com<double>(m, {0.1, 0.2, 0.3}, Vec3<double>(a, b, c).asDiagonal());
  };
  CHECK(judge_body(body(1, 0.02, 0.03, 0.04)).possible());
  CHECK(judge_body(body(1, 0.02, 0.03, 0.05)).possible());  // a flat body
  CHECK_FALSE(judge_body(body(0, 0.02, 0.03, 0.04)).mass_positive);
  CHECK_FALSE(judge_body(body(-1, 0.02, 0.03, 0.04)).mass_positive);
  CHECK_FALSE(judge_body(body(1, -0.02, 0.03, 0.04)).positive_definite);
  CHECK_FALSE(judge_body(body(1, 0.02, 0.03, 0.1)).triangle_inequality);
}
