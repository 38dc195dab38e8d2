// Smaller models of a linear one: by its modes, or balanced.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::simulation {

/// x' = A x + B u,  y = C x + D u
struct StateSpace {
  Eigen::MatrixXd A, B, C, D;
};
/// From input `in` to output `out`, at the frequencies [Hz].
std::vector<std::complex<double>> frequency_response(const StateSpace& system, Eigen::Index in, Eigen::Index out,
                                                     const std::vector<double>& frequencies);

/// X with A X + X Aᵀ + Q = 0, for symmetric Q and an A whose eigenvalues all decay [BartelsStewart1972].
Eigen::MatrixXd lyapunov(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q);

enum class Reduction {
  modal,    ///< the modes that answer most are kept as they are
  balanced  ///< what is hardly reached or hardly seen is left out
};

/// A model of fewer states. What does not decay (an integrator, an unstable mode) is kept whole, and so is the response to
/// what stands still: of what is left out the static part stays, as a direct term.
struct ReducedModel {
  StateSpace system;
  int decaying = 0;        // states of the given model that decay
  Eigen::VectorXd hankel;  // Hankel singular values of its decaying part, falling
  double bound = 0;        // no response is off by more, at any frequency (largest singular value of the difference)
};
/// With at most `order` states: a pair of modes is not split, and no state is kept that answers nothing. Throws Error where the
/// part that does not decay is larger.
ReducedModel reduced(const StateSpace& system, int order, Reduction method);

}  // namespace armature::simulation
