#include "armature/identification/internal/by_simulation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"
#include "armature/identification/estimators.hpp"
#include "armature/numerics/damped_descent.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/runge_kutta.hpp"

namespace armature::identification {

namespace {

/// tau = M qdd + h, from the columns: h at qdd = 0, M column by column.
struct LinearDynamics {
  Eigen::MatrixXd M;
  Eigen::VectorXd h;
};
LinearDynamics dynamics(const TorqueModel& model, const Eigen::VectorXd& x, const JointMotion& state) {
  const int n = model.dof();
  LinearDynamics d{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
  RowMatrix rows(n, model.size());
  VecX<double> known;
  JointMotion m = state;
  const auto torque = [&]() -> Eigen::VectorXd {
    model.rows(m, rows);
    model.known_torque(m, known);
    return rows * x + known;
  };
  m.qdd = VecX<double>::Zero(n);
  d.h = torque();
  for (int j = 0; j < n; ++j) {
    m.qdd.setZero();
    m.qdd[j] = 1;
    d.M.col(j) = torque() - d.h;
  }
  return d;
}

Eigen::VectorXd acceleration(const TorqueModel& model, const Eigen::VectorXd& x, const Eigen::VectorXd& state,
                             const Eigen::VectorXd& tau) {
  const int n = model.dof();
  JointMotion m;
  m.q = state.head(n);
  m.qd = state.segment(n, n);
  const LinearDynamics d = dynamics(model, x, m);
  return solved(d.M, tau - d.h);
}

/// State (q, qd) and its sensitivities to (x, q0, qd0), as columns behind it: y' = f, S' = F S + G.
struct Sensitive {
  using Scalar = double;
  Eigen::VectorXd y;
  Eigen::MatrixXd S;
  friend Sensitive operator+(const Sensitive& a, const Sensitive& b) { return {a.y + b.y, a.S + b.S}; }
  friend Sensitive operator*(double s, const Sensitive& a) { return {s * a.y, s * a.S}; }
};
Sensitive rate(const TorqueModel& model, const Eigen::VectorXd& x, const Sensitive& at, const Eigen::VectorXd& tau) {
  const int n = model.dof(), p = model.size();
  JointMotion m;
  m.q = at.y.head(n);
  m.qd = at.y.tail(n);
  const LinearDynamics d = dynamics(model, x, m);
  m.qdd = solved(d.M, tau - d.h);
  RowMatrix rows(n, p);
  model.rows(m, rows);
  Sensitive r{Eigen::VectorXd(2 * n), Eigen::MatrixXd(2 * n, at.S.cols())};
  r.y << m.qd, m.qdd;
  Eigen::MatrixXd F(n, 2 * n);  // of the acceleration to the state
  for (int k = 0; k < 2 * n; ++k) {
    const double e = 1e-6 * std::max(1.0, std::abs(at.y[k]));
    Eigen::VectorXd up = at.y, down = at.y;
    up[k] += e;
    down[k] -= e;
    F.col(k) = (acceleration(model, x, up, tau) - acceleration(model, x, down, tau)) / (2 * e);
  }
  r.S.topRows(n) = at.S.bottomRows(n);
  r.S.bottomRows(n) = F * at.S;
  r.S.block(n, 0, n, p) -= solved(d.M, rows);  // M dqdd/dx = -rows
  return r;
}

/// What the segments of a log say about the parameters and about the states in which they begin: normal equations of both.
struct SegmentSums {
  struct Segment {
    Eigen::MatrixXd G;  // x by x
    Eigen::VectorXd g;
    Eigen::MatrixXd C, B;  // x by beginning, beginning by beginning
    Eigen::VectorXd b;
  };
  std::vector<Segment> segments;
  double cost = 0, squares = 0, count = 0;
};

/// A log cut into segments that are simulated each from a state of its own.
class SegmentedLog {
 public:
  SegmentedLog(const TorqueModel& model, const MotionBlock& log, double segment)
      : model_(model),
        log_(log),
        length_(std::max<Index>(8, std::min<Index>(std::llround(segment / log.step), log.samples() / 12))),
        segments_(std::max<Index>(1, log.samples() / length_)) {
    // positions are weighted alike in units of their range
    const Eigen::VectorXd range = (log.q.colwise().maxCoeff() - log.q.colwise().minCoeff()).transpose();
    unit_ = range.cwiseMax(1e-9);
  }

  /// Where the segments begin, as the log says it.
  [[nodiscard]] std::vector<Eigen::VectorXd> beginnings() const {
    const FilteredMotion motion = filtered_motion(log_, {.cutoff = std::min(0.1 / log_.step, 50.0)});
    std::vector<Eigen::VectorXd> begin;
    for (Index s = 0; s < segments_; ++s) {
      begin.emplace_back(2 * model_.dof());
      begin.back() << motion.q.row(s * length_).transpose(), motion.qd.row(s * length_).transpose();
    }
    return begin;
  }

  /// The cost is infinite where a simulation diverges.
  [[nodiscard]] SegmentSums simulate(const Eigen::VectorXd& x, const std::vector<Eigen::VectorXd>& from,
                                     bool slopes) const {
    SegmentSums sums;
    for (Index s = 0; s < segments_ && std::isfinite(sums.cost); ++s) simulate_one(s, x, from[s], slopes, sums);
    return sums;
  }

 private:
  using Index = Eigen::Index;

  void simulate_one(Index s, const Eigen::VectorXd& x, const Eigen::VectorXd& from, bool slopes,
                    SegmentSums& sums) const {
    const int n = model_.dof(), p = model_.size();
    Sensitive at{from, Eigen::MatrixXd::Zero(2 * n, slopes ? p + 2 * n : 0)};
    if (slopes) at.S.rightCols(2 * n).setIdentity();
    SegmentSums::Segment own{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Zero(p), Eigen::MatrixXd::Zero(p, 2 * n),
                             Eigen::MatrixXd::Zero(2 * n, 2 * n), Eigen::VectorXd::Zero(2 * n)};
    const Index last = std::min(length_, log_.samples() - s * length_ - 1);
    for (Index k = 0; k <= last; ++k) {
      const Index row = s * length_ + k;
      const Eigen::VectorXd error = log_.q.row(row).transpose() - at.y.head(n), e = error.cwiseQuotient(unit_);
      sums.cost += e.squaredNorm();
      sums.count += n;
      sums.squares += error.squaredNorm();
      if (slopes) {
        const Eigen::MatrixXd J = unit_.cwiseInverse().asDiagonal() * at.S.topRows(n);
        own.G += J.leftCols(p).transpose() * J.leftCols(p);
        own.g += J.leftCols(p).transpose() * e;
        own.C += J.leftCols(p).transpose() * J.rightCols(2 * n);
        own.B += J.rightCols(2 * n).transpose() * J.rightCols(2 * n);
        own.b += J.rightCols(2 * n).transpose() * e;
      }
      if (k == last) break;
      advance(row, x, slopes, at);
      if (!at.y.allFinite()) {
        sums.cost = INFINITY;
        return;
      }
    }
    sums.segments.push_back(std::move(own));
  }

  void advance(Index row, const Eigen::VectorXd& x, bool slopes, Sensitive& at) const {
    const auto torque = [&](double share) -> Eigen::VectorXd {  // between two samples, along a line
      return (1 - share) * log_.tau.row(row).transpose() + share * log_.tau.row(row + 1).transpose();
    };
    if (slopes) {
      const auto f = [&](double share, const Sensitive& z) { return rate(model_, x, z, torque(share)); };
      at = classical_step(at, log_.step, f(0, at), f);
    } else {
      const auto f = [&](double share, const Eigen::VectorXd& y) {
        const int n = model_.dof();
        Eigen::VectorXd d(2 * n);
        d << y.tail(n), acceleration(model_, x, y, torque(share));
        return d;
      };
      at.y = classical_step(at.y, log_.step, f(0, at.y), f);
    }
  }

  const TorqueModel& model_;
  const MotionBlock& log_;
  Index length_, segments_;  // rows of a segment, and how many there are
  Eigen::VectorXd unit_;     // in which a joint's position errors are counted
};

/// C B⁻¹ of a segment, its beginnings damped by mu: what eliminates them.
Eigen::MatrixXd eliminator(const SegmentSums::Segment& s, double mu) {
  Eigen::MatrixXd B = s.B;
  B.diagonal() *= 1 + mu;
  return solved(B, s.C.transpose()).transpose();
}

/// All segments about x alone, damped by mu, the beginnings eliminated (Schur complement).
LinearPart about_parameters(const SegmentSums& sums, double mu) {
  LinearPart all{Eigen::MatrixXd::Zero(sums.segments.front().G.rows(), sums.segments.front().G.cols()),
                 Eigen::VectorXd::Zero(sums.segments.front().g.size())};
  for (const SegmentSums::Segment& s : sums.segments) {
    all.M += s.G;
    all.m += s.g;
  }
  all.M.diagonal() *= 1 + mu;
  for (const SegmentSums::Segment& s : sums.segments) {
    const Eigen::MatrixXd CB = eliminator(s, mu);
    all.M -= CB * s.C.transpose();
    all.m -= CB * s.b;
  }
  return all;
}

/// That makes all parameters alike.
Eigen::VectorXd scale_of_diagonal(const Eigen::MatrixXd& G) {
  return G.diagonal().cwiseAbs().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
}

}  // namespace

VecX<double> model_acceleration(const TorqueModel& model, const Eigen::VectorXd& x, const JointMotion& state,
                                const VecX<double>& tau) {
  const LinearDynamics d = dynamics(model, x, state);
  if (cholesky(0.5 * (d.M + d.M.transpose())).size() == 0)
    throw Error("these parameters give a mass matrix that is not positive definite", "start from physical_estimate");
  return solved(d.M, Eigen::VectorXd(tau) - d.h);
}

//     J = d(q simulated)/d(x, states where segments begin); damped steps on normal equations, the beginnings eliminated
//     segment by segment
OutputErrorResult output_error(const TorqueModel& model, const MotionBlock& log, const Eigen::VectorXd& start,
                               const OutputErrorSettings& settings) {
  const SegmentedLog segmented(model, log, settings.segment);
  std::vector<Eigen::VectorXd> begin = segmented.beginnings();
  OutputErrorResult result;
  result.x = start;
  const SegmentSums first = segmented.simulate(start, begin, false);
  if (!std::isfinite(first.cost))
    throw Error("the simulation with the first parameters diverges",
                "use shorter segments, or start from physical_estimate");
  result.rms_before = std::sqrt(first.squares / first.count);
  SegmentSums sums;
  const auto linearize = [&] {
    sums = segmented.simulate(result.x, begin, true);
    return true;
  };
  const auto try_step = [&](double mu) {
    const auto [G, g] = about_parameters(sums, mu);
    const Eigen::VectorXd scale = scale_of_diagonal(G);
    const Eigen::VectorXd dx = scale.asDiagonal() * least_squares_solution(scale.asDiagonal() * G * scale.asDiagonal(),
                                                                           scale.asDiagonal() * g);
    std::vector<Eigen::VectorXd> next = begin;
    for (std::size_t s = 0; s < next.size(); ++s) {
      Eigen::MatrixXd B = sums.segments[s].B;
      B.diagonal() *= 1 + mu;
      next[s] += solved(B, sums.segments[s].b - sums.segments[s].C.transpose() * dx);
    }
    const double cost = segmented.simulate(result.x + dx, next, false).cost;
    if (!(cost < sums.cost)) return TriedStep::worse;
    result.x += dx;
    begin = std::move(next);
    return 1 - cost / sums.cost < settings.tolerance ? TriedStep::settled : TriedStep::better;
  };
  const DampingSettings damping{.first = 1e-6, .falls = 0.1, .least = 1e-11, .iterations = settings.iterations};
  result.iterations = damped_descent(damping, linearize, try_step).iterations;
  linearize();
  result.rms = std::sqrt(sums.squares / sums.count);
  //     about the solution a segment says G_s dx = g_s
  const Eigen::VectorXd scale = scale_of_diagonal(about_parameters(sums, 0).M);
  std::vector<LinearPart> parts;
  for (const SegmentSums::Segment& s : sums.segments) {
    const Eigen::MatrixXd CB = eliminator(s, 0);
    parts.push_back({scale.asDiagonal() * (s.G - CB * s.C.transpose()) * scale.asDiagonal(),
                     scale.asDiagonal() * (s.g - CB * s.b)});
  }
  result.covariance = scale.asDiagonal() * leave_one_out_covariance(parts, {}, result.freedom) * scale.asDiagonal();
  return result;
}

LoopLaw find_loop_law(const Arm& described, const MotionBlock& log, const RowMatrix& reference,
                      const Processing& processing) {
  const Eigen::Index n = log.q.cols(), rows = log.samples();
  Processing smooth = processing;
  smooth.motion = Processing::Motion::filter;
  smooth.measured_velocity = false;
  MotionBlock wanted = log;
  wanted.q = reference;
  const FilteredMotion is = filtered_motion(log, smooth), should = filtered_motion(wanted, smooth);
  RowMatrix tau = log.tau;
  if (smooth.cutoff > 0) filter_zero_phase(butterworth(smooth.order, smooth.cutoff, 1 / log.step), tau);
  RowMatrix forward(rows, n), sum(rows, n);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const VecX<double> q = should.q.row(k).transpose(), v = should.qd.row(k).transpose(),
                       a = should.qdd.row(k).transpose();
    forward.row(k) = (inverse_dynamics<double>(described, q, v, a) + rotor_torque<double>(described, a)).transpose();
    sum.row(k) = log.step * (should.q.row(k) - is.q.row(k));
    if (k > 0) sum.row(k) += sum.row(k - 1);
  }
  const auto edge = std::min<Eigen::Index>(std::llround(smooth.edge / log.step), rows / 10);
  const Eigen::Index used = rows - 2 * edge;
  LoopLaw law{Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n),
              Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (Eigen::Index j = 0; j < n; ++j) {
    Eigen::MatrixXd A(used, 5);
    A << (should.q - is.q).col(j).segment(edge, used), (should.qd - is.qd).col(j).segment(edge, used),
        sum.col(j).segment(edge, used), forward.col(j).segment(edge, used), Eigen::VectorXd::Ones(used);
    const Eigen::VectorXd y = tau.col(j).segment(edge, used),
                          length = A.colwise().norm().transpose().cwiseMax(1e-300).cwiseInverse();
    const Eigen::VectorXd x = length.asDiagonal() * least_squares_solution(A * length.asDiagonal(), y);
    law.kp[j] = x[0];
    law.kd[j] = x[1];
    law.ki[j] = x[2];
    law.share[j] = x[3];
    law.offset[j] = x[4];
    law.explained[j] = 1 - (y - A * x).squaredNorm() / std::max((y.array() - y.mean()).matrix().squaredNorm(), 1e-300);
  }
  return law;
}

FilteredMotion simulate_loop(const TorqueModel& model, const Eigen::VectorXd& x, const LoopLaw& law,
                             const RowMatrix& reference, const Eigen::VectorXd& begin, double step) {
  const int n = model.dof();
  const Eigen::Index rows = reference.rows();
  MotionBlock wanted;
  wanted.step = step;
  wanted.q = reference;
  const FilteredMotion should = filtered_motion(wanted, {});
  FilteredMotion is{RowMatrix(rows, n), RowMatrix(rows, n), RowMatrix(rows, n)};
  Eigen::VectorXd y(2 * n), sum = Eigen::VectorXd::Zero(n);
  y << begin, should.qd.row(0).transpose();
  for (Eigen::Index k = 0; k < rows; ++k) {
    const Eigen::VectorXd e = should.q.row(k).transpose() - y.head(n), de = should.qd.row(k).transpose() - y.tail(n);
    sum += step * e;
    const VecX<double> q = should.q.row(k).transpose(), v = should.qd.row(k).transpose(),
                       a = should.qdd.row(k).transpose();
    const Eigen::VectorXd forward =
        inverse_dynamics<double>(model.arm(), q, v, a) + rotor_torque<double>(model.arm(), a);
    const Eigen::VectorXd tau = law.kp.cwiseProduct(e) + law.kd.cwiseProduct(de) + law.ki.cwiseProduct(sum) +
                                law.share.cwiseProduct(forward) + law.offset;
    const auto rate = [&](double, const Eigen::VectorXd& at) {
      Eigen::VectorXd d(2 * n);
      d << at.tail(n), acceleration(model, x, at, tau);
      return d;
    };
    const Eigen::VectorXd k1 = rate(0, y);
    is.q.row(k) = y.head(n).transpose();
    is.qd.row(k) = y.tail(n).transpose();
    is.qdd.row(k) = k1.tail(n).transpose();
    y = classical_step(y, step, k1, rate);
    if (!y.allFinite() || y.cwiseAbs().maxCoeff() > 1e6)
      throw Error(
          fmt::format("the simulated loop runs away {:.3g} s after its beginning", static_cast<double>(k) * step),
          "the log may be of another loop than a PID with feed-forward: use iv or oe");
  }
  return is;
}

DirectInverseResult direct_inverse(const TorqueModel& model, const RowMatrix& tau, double step,
                                   const std::function<FilteredMotion(const Eigen::VectorXd&)>& simulate,
                                   const Eigen::VectorXd& start, const Processing& processing, int iterations) {
  DirectInverseResult result;
  Eigen::VectorXd x = start;
  const int n = model.dof();
  RowMatrix torque = tau;
  const std::vector<Section> sections =
      processing.parallel_cutoff > 0 ? butterworth(processing.parallel_order, processing.parallel_cutoff, 1 / step)
                                     : std::vector<Section>{};
  for (result.iterations = 1; result.iterations <= iterations && !result.converged; ++result.iterations) {
    const FilteredMotion motion = simulate(x);
    if (motion.q.rows() != tau.rows())
      throw Error("the simulation has another length than the log", "one state per sample");
    const int width = model.size() + 1;
    RowMatrix all(tau.rows(), n * width), rows(n, model.size());
    JointMotion m;
    VecX<double> known;
    for (Eigen::Index k = 0; k < tau.rows(); ++k) {
      m.q = motion.q.row(k).transpose();
      m.qd = motion.qd.row(k).transpose();
      m.qdd = motion.qdd.row(k).transpose();
      model.rows(m, rows);
      model.known_torque(m, known);
      for (int j = 0; j < n; ++j) {
        all.row(k).segment(j * width, model.size()) = rows.row(j);
        all(k, j * width + model.size()) = torque(k, j) - known[j];
      }
    }
    filter_zero_phase(sections, all);
    Evidence evidence(n, model.size());
    const auto edge = static_cast<Eigen::Index>(std::llround(processing.edge / step));
    for (Eigen::Index k = edge; k < tau.rows() - edge; k += processing.decimation) {
      for (int j = 0; j < n; ++j)
        if (std::abs(motion.qd(k, j)) >= processing.standstill)
          evidence.add(j, &all(k, j * width), all(k, j * width + model.size()));
      evidence.end_sample();
    }
    evidence.finish();
    result.estimate = least_squares(evidence);
    const double change = (result.estimate.x - x).norm() / std::max(x.norm(), 1e-12);
    x = result.estimate.x;
    result.converged = change < 1e-4;
  }
  return result;
}

}  // namespace armature::identification
