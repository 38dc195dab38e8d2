#include "armature/identification/local_modes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <unsupported/Eigen/FFT>

#include "armature/core/units.hpp"
#include "armature/numerics/damped_descent.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

using Complex = std::complex<double>;
constexpr double window_width = 0.25;            // of the window's centre, to either side
constexpr double window_step = 1.22;             // from one centre to the next
constexpr double window_core = 0.6;              // of the window: what lies nearer to its ends is left to the next one
constexpr double widest_damping = 0.5;           // of what is called a mode
constexpr std::size_t scan_lines = 1500;         // where modes are looked for
constexpr std::size_t fit_lines = 4000;          // where they are fitted
constexpr int degrees[] = {2, 4, 6, 8, 10, 12};  // of B and T
constexpr int scan_degree = 6;                   // the highest where modes are looked for
constexpr double scan_doubt = 0.3;               // of what proves a mode: enough to look closer

/// Spectra of the whole log.
struct LogSpectra {
  double tick = 0, length = 0;  // [s]
  std::vector<Complex> excitation, input, output;
};

/// Lines of one window, each signal scaled to a mean square of one.
struct WindowLines {
  double centre = 0, width = 0, tick = 0;
  Eigen::VectorXd x;
  Eigen::VectorXcd sigma, excitation, input, output;
  Eigen::VectorXd weight;  // of each line: one over its noise, up to a factor
};

Eigen::VectorXcd scaled_lines(const std::vector<Complex>& all, const std::vector<std::size_t>& lines) {
  Eigen::VectorXcd out(static_cast<Eigen::Index>(lines.size()));
  for (std::size_t i = 0; i < lines.size(); ++i) out[i] = all[lines[i]];
  const double size = out.norm() / std::sqrt(static_cast<double>(lines.size()));
  return size > 0 ? Eigen::VectorXcd(out / size) : out;
}

WindowLines window_lines(const LogSpectra& s, double centre, double width, std::size_t most) {
  const double spacing = 1 / s.length;
  const auto first = static_cast<std::size_t>(std::ceil(centre * (1 - width) / spacing));
  const auto last = std::min(static_cast<std::size_t>(std::floor(centre * (1 + width) / spacing)), s.input.size() - 1);
  const std::size_t every = std::max<std::size_t>(1, (last + 1 - std::min(first, last)) / most);
  std::vector<std::size_t> lines;
  for (std::size_t k = std::max<std::size_t>(first, 1); k <= last; k += every) lines.push_back(k);
  WindowLines w{centre, width, s.tick, {}, {}, {}, {}, {}, {}};
  const auto n = static_cast<Eigen::Index>(lines.size());
  w.x.resize(n);
  w.sigma.resize(n);
  w.weight.setOnes(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double f = static_cast<double>(lines[i]) * spacing;
    w.x[i] = (f / centre - 1) / width;
    w.sigma[i] = (std::polar(1.0, 2 * pi * f * s.tick) - 1.0) / (2 * pi * centre * s.tick);
  }
  w.input = scaled_lines(s.input, lines);
  w.output = scaled_lines(s.output, lines);
  if (!s.excitation.empty()) w.excitation = scaled_lines(s.excitation, lines);
  return w;
}

/// Chebyshev's polynomials, one a column.
template <class X>
auto chebyshev(const X& x, int degree) {
  Eigen::Matrix<typename X::Scalar, Eigen::Dynamic, Eigen::Dynamic> V(x.size(), degree + 1);
  V.col(0).setOnes();
  V.col(1) = x;
  for (int k = 2; k <= degree; ++k) V.col(k) = 2 * x.cwiseProduct(V.col(k - 1)) - V.col(k - 2);
  return V;
}

struct LocalModel {
  int degree = 0, poles = 0;
  Eigen::VectorXcd c;    // of B, then of T
  Eigen::VectorXd a;     // A = σ^poles + a[poles-1] σ^(poles-1) + ... + a[0]
  Eigen::MatrixXd V_a;   // covariance of a
  Eigen::MatrixXd V_c;   // of (Re c, Im c)
  Eigen::MatrixXd V_ca;  // of (Re c, Im c) with a
  double squares = 0, criterion = std::numeric_limits<double>::infinity();
  Eigen::VectorXcd fitted;
};

/// The Hermitian matrix as a real one of (Re, Im).
Eigen::MatrixXd as_real(const Eigen::MatrixXcd& G) {
  const Eigen::Index n = G.rows(), m = G.cols();
  Eigen::MatrixXd R(2 * n, 2 * m);
  R << G.real(), -G.imag(), G.imag(), G.real();
  return R;
}
Eigen::MatrixXd stacked(const Eigen::MatrixXcd& A) {
  Eigen::MatrixXd R(2 * A.rows(), A.cols());
  R << A.real(), A.imag();
  return R;
}

/// With A given the rest is linear; what of the output hangs on `a`, the rest adapted, follows from the Gram matrices.
class LocalFit {
 public:
  LocalFit(const WindowLines& w, const Eigen::VectorXcd& u, const Eigen::VectorXcd& y, int degree, int poles)
      : u_(u),
        y_(w.weight.cast<Complex>().cwiseProduct(y)),
        weight_(w.weight),
        V_(chebyshev(w.x, degree)),
        n_(w.x.size()),
        p_(2 * (degree + 1)),
        poles_(poles) {
    powers_.resize(n_, poles + 1);
    powers_.col(0).setOnes();
    for (int k = 1; k <= poles; ++k) powers_.col(k) = powers_.col(k - 1).cwiseProduct(w.sigma);
    model_.degree = degree;
    model_.poles = poles;
    model_.a = Eigen::VectorXd::Zero(poles);
  }

  /// False where no such model is found.
  bool solve() {
    if (n_ < p_ + poles_ + 8) return false;
    if (poles_ > 0 && !begin()) return false;
    if (!evaluate(model_)) return false;
    const auto linearize = [&] { return model_.squares > rounding * y_.squaredNorm(); };
    const DampingSettings damping{.first = 1e-4, .rises = 100, .attempts = 4, .trials = most_steps};
    if (poles_ > 0) damped_descent(damping, linearize, [&](double mu) { return try_step(mu); });
    return evaluate(model_) && finish();
  }
  [[nodiscard]] const LocalModel& model() const { return model_; }
  /// What the model leaves of each line, unweighted.
  [[nodiscard]] Eigen::VectorXcd left_over() const {
    return (y_ - model_.fitted).cwiseQuotient(weight_.cast<Complex>());
  }
  /// B/A at each line.
  [[nodiscard]] Eigen::VectorXcd response() const {
    return (V_.cast<Complex>() * model_.c.head(p_ / 2)).cwiseQuotient(denominator(model_.a));
  }

 private:
  TriedStep try_step(double damping) {
    const Eigen::MatrixXd curvature = curvature_;
    const Eigen::VectorXd slope = slope_;
    Eigen::MatrixXd H = curvature;
    H.diagonal() *= 1 + damping;
    LocalModel trial = model_;
    trial.a += solved_symmetric(H, slope);
    if (!trial.a.allFinite() || !evaluate(trial) || !(trial.squares < model_.squares)) {
      curvature_ = curvature;
      slope_ = slope;
      return TriedStep::worse;
    }
    const bool settled = model_.squares - trial.squares < enough * model_.squares;
    model_ = std::move(trial);
    return settled ? TriedStep::settled : TriedStep::better;
  }

  static constexpr int most_steps = 12;
  static constexpr double enough = 1e-4;     // relative gain of a step
  static constexpr double rounding = 1e-24;  // of the squares

  Eigen::VectorXcd denominator(const Eigen::VectorXd& a) const {
    Eigen::VectorXcd d = powers_.col(poles_);
    for (int k = 0; k < poles_; ++k) d += a[k] * powers_.col(k);
    return d;
  }

  //  The columns are w u V and w V, V real: their Gram matrix needs |w|² alone.
  Eigen::MatrixXcd gram(const Eigen::VectorXd& weight) const {
    const auto between = [&](const Eigen::VectorXd& d) { return (V_.transpose() * (d.asDiagonal() * V_)).eval(); };
    const Eigen::Index h = p_ / 2;
    Eigen::MatrixXcd G(p_, p_);
    G.topLeftCorner(h, h) = between(weight.cwiseProduct(u_.cwiseAbs2())).cast<Complex>();
    G.bottomRightCorner(h, h) = between(weight).cast<Complex>();
    const Eigen::VectorXd re = weight.cwiseProduct(u_.real()), im = weight.cwiseProduct(u_.imag());
    G.topRightCorner(h, h).real() = between(re);
    G.topRightCorner(h, h).imag() = -between(im);
    G.bottomLeftCorner(h, h) = G.topRightCorner(h, h).adjoint();
    return G;
  }
  Eigen::MatrixXcd across(const Eigen::VectorXcd& w, const Eigen::MatrixXcd& Q) const {
    const Eigen::MatrixXcd t = w.conjugate().asDiagonal() * Q, u = u_.conjugate().asDiagonal() * t;
    Eigen::MatrixXcd out(p_, Q.cols());
    const auto projected = [&](const Eigen::MatrixXcd& q, Eigen::Index row) {
      out.middleRows(row, p_ / 2).real() = V_.transpose() * q.real();
      out.middleRows(row, p_ / 2).imag() = V_.transpose() * q.imag();
    };
    projected(u, 0);
    projected(t, p_ / 2);
    return out;
  }
  Eigen::MatrixXcd combined(const Eigen::VectorXcd& w, const Eigen::MatrixXcd& c) const {
    const Eigen::Index h = p_ / 2;
    Eigen::MatrixXcd B(n_, c.cols()), T(n_, c.cols());
    B.real() = V_ * c.topRows(h).real();
    B.imag() = V_ * c.topRows(h).imag();
    T.real() = V_ * c.bottomRows(h).real();
    T.imag() = V_ * c.bottomRows(h).imag();
    return w.asDiagonal() * (u_.asDiagonal() * B + T);
  }

  /// Equation errors weighted by the last denominator [SanathananKoerner1963].
  bool begin() {
    Eigen::VectorXcd weight = Eigen::VectorXcd::Ones(n_);
    for (int round = 0; round < 5; ++round) {
      Eigen::MatrixXcd Q = y_.asDiagonal() * powers_;
      Q = (weight.asDiagonal() * Q).eval();
      const Eigen::VectorXcd w = weight_.cast<Complex>().cwiseProduct(weight);
      Q -= combined(w, complex_solved(gram(w.cwiseAbs2()), across(w, Q)));
      const Eigen::MatrixXcd A = Q.leftCols(poles_);
      model_.a = -solved_symmetric((A.adjoint() * A).real(), (A.adjoint() * Q.col(poles_)).real());
      if (!model_.a.allFinite()) return false;
      weight = denominator(model_.a).cwiseAbs().cwiseMax(1e-9).cwiseInverse().cast<Complex>();
    }
    return true;
  }

  bool evaluate(LocalModel& m) {
    const Eigen::VectorXcd A = denominator(m.a), w = weight_.cast<Complex>().cwiseQuotient(A);
    if (!w.allFinite()) return false;
    gram_ = gram(w.cwiseAbs2());
    m.c = complex_solved(gram_, across(w, y_));
    m.fitted = combined(w, m.c);
    m.c += complex_solved(gram_, across(w, y_ - m.fitted));
    m.fitted = combined(w, m.c);
    const Eigen::VectorXcd r = y_ - m.fitted;
    m.squares = r.squaredNorm();
    if (!std::isfinite(m.squares)) return false;
    if (poles_ == 0) return true;
    const Eigen::VectorXcd pull = -m.fitted.cwiseQuotient(A);
    const Eigen::MatrixXcd J = pull.asDiagonal() * powers_.leftCols(poles_);  // d fitted/d a
    across_ = across(w, J);
    curvature_ = (J.adjoint() * J - across_.adjoint() * complex_solved(gram_, across_)).real();
    slope_ = (J.adjoint() * r).real();
    return curvature_.allFinite() && slope_.allFinite();
  }

  bool finish() {
    const double n = 2.0 * static_cast<double>(n_), p = 2.0 * static_cast<double>(p_) + poles_;
    const double squares = std::max(model_.squares, rounding * y_.squaredNorm()), variance = squares / (n - p);
    model_.criterion = n * std::log(squares / n) + 2 * p * n / (n - p - 1);  // AIC of few lines
    const Eigen::MatrixXd G = inverse(as_real(gram_));
    model_.V_a = Eigen::MatrixXd::Zero(poles_, poles_);
    model_.V_c = variance * G;
    model_.V_ca = Eigen::MatrixXd::Zero(G.rows(), poles_);
    if (poles_ > 0) {
      model_.V_a = variance * inverse(curvature_);
      const Eigen::MatrixXd by_a = G * stacked(across_);
      model_.V_c += by_a * model_.V_a * by_a.transpose();
      model_.V_ca = -by_a * model_.V_a;  // c follows a so that what is left stays smallest
    }
    return std::isfinite(model_.criterion) && model_.V_c.allFinite() && model_.V_a.allFinite();
  }

  const Eigen::VectorXcd& u_;
  Eigen::VectorXcd y_;  // times the weights, as is what is fitted to it
  Eigen::VectorXd weight_;
  Eigen::MatrixXd V_;
  Eigen::Index n_, p_;
  int poles_;
  Eigen::MatrixXcd powers_, gram_, across_;
  Eigen::MatrixXd curvature_;
  Eigen::VectorXd slope_;
  LocalModel model_;
};

/// The model of least AIC; a pair of poles more than noise calls for. `last`: the best of one degree less, where the degree is the
/// highest there is and more would still have helped.
struct Chosen {
  LocalModel model;
  Eigen::VectorXcd left_over, response;
  std::optional<LocalModel> last;
};
std::optional<Chosen> chosen_model(const WindowLines& w, const Eigen::VectorXcd& u, const Eigen::VectorXcd& y,
                                   double proof) {
  std::optional<Chosen> best;
  const double by_chance = proof * 4 * std::log(2.0 * static_cast<double>(w.x.size()) + 10);
  for (const int poles : {0, 2, 4}) {
    std::optional<LocalModel> here, before;
    Eigen::VectorXcd left_over, response;
    for (const int degree : degrees) {
      if (proof < 1 && degree > scan_degree) break;
      LocalFit fit(w, u, y, degree, poles);
      if (!fit.solve()) continue;
      if (here && fit.model().criterion >= here->criterion) break;
      before = std::move(here);
      here = fit.model();
      left_over = fit.left_over();
      response = fit.response();
    }
    if (!here || (best && here->criterion > best->model.criterion - by_chance)) continue;
    best = Chosen{*here, left_over, response, std::nullopt};
    if (here->degree == *std::rbegin(degrees)) best->last = before;
  }
  return best;
}

/// The same where noise differs from line to line, as it does in a loop: its size is that of what is left of the lines around, and
/// weighs them. `rest` (or empty) is what `u` leaves out of the input: noise in a loop comes to the output by it too, so that the noise
/// is the output less the response to the whole input.
std::optional<Chosen> weighed_model(WindowLines& w, const Eigen::VectorXcd& u, const Eigen::VectorXcd& rest,
                                    const Eigen::VectorXcd& y, double proof) {
  const auto noise = [&](const Chosen& c) -> Eigen::VectorXd {
    if (rest.size() == 0) return c.left_over.cwiseAbs2();
    return (c.left_over - c.response.cwiseProduct(rest)).cwiseAbs2();
  };
  w.weight.setOnes();
  std::optional<Chosen> chosen = chosen_model(w, u, y, proof);
  const Eigen::Index n = w.x.size(), around = std::max<Eigen::Index>(10, n / 40);
  if (!chosen || proof < 1 || n < 4 * around) return chosen;
  const Eigen::VectorXd of_line = noise(*chosen);
  Eigen::VectorXd power(n + 1);
  power[0] = 0;
  for (Eigen::Index k = 0; k < n; ++k) power[k + 1] = power[k] + of_line[k];
  const double floor = 1e-6 * power[n] / static_cast<double>(n) + 1e-200;
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index low = std::max<Eigen::Index>(0, k - around), high = std::min(n, k + around + 1);
    w.weight[k] = 1 / std::sqrt((power[high] - power[low]) / static_cast<double>(high - low) + floor);
  }
  w.weight *= std::sqrt(static_cast<double>(n)) / w.weight.norm();
  chosen = chosen_model(w, u, y, proof);
  if (chosen && rest.size() > 0) {
    const double more = noise(*chosen).dot(w.weight.cwiseAbs2()) / chosen->model.squares;
    chosen->model.V_a *= more;
    chosen->model.V_c *= more;
    chosen->model.V_ca *= more;
  }
  return chosen;
}

/// d(frequency [Hz], damping) of s = j 2π f by what moves s.
void set_mode(Complex s, const Eigen::RowVectorXcd& by, const Eigen::MatrixXd& V, Resonance& mode) {
  const double w = std::abs(s);
  const Eigen::RowVectorXd growth = (std::conj(s) * by).real() / w;
  const Eigen::RowVectorXd tilt = -by.real() / w + s.real() / (w * w) * growth;
  mode.frequency = w / (2 * pi);
  mode.damping = -s.real() / w;
  mode.frequency_deviation = std::sqrt(std::max(0.0, growth.dot(growth * V))) / (2 * pi);
  mode.damping_deviation = std::sqrt(std::max(0.0, tilt.dot(tilt * V)));
}

/// Roots of x^n + a[n-1] x^(n-1) + ... by the companion matrix.
Eigen::VectorXcd roots(const Eigen::VectorXd& a) {
  const Eigen::Index n = a.size();
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(n, n);
  C.bottomLeftCorner(n - 1, n - 1).setIdentity();
  C.col(n - 1) = -a;
  return eigenvalues(C);
}

/// B at a point of the window, its slope, and what each of its coefficients counts there.
void response_numerator(const LocalModel& m, Complex x, Complex& value, Complex& slope, Eigen::RowVectorXcd& T) {
  const int n = m.degree + 1;
  Eigen::RowVectorXcd D(n);
  T.resize(n);
  T[0] = 1;
  T[1] = x;
  D[0] = 0;
  D[1] = 1;
  for (int k = 2; k < n; ++k) {
    T[k] = 2.0 * x * T[k - 1] - T[k - 2];
    D[k] = 2.0 * T[k - 1] + 2.0 * x * D[k - 1] - D[k - 2];
  }
  value = (T * m.c.head(n))[0];
  slope = (D * m.c.head(n))[0];
}

/// Whether the response has a part at the pole s, which moves by `by_s` with a: B there, beside its own deviation, is larger than chance would
/// make it anywhere in the window. Else a zero cancels the pole, and it stands for what the ends of the log or the noise left.
//     dB(x(a), c) = T dc + B' x' da;   chi² of two numbers, exp(-chi²/2) < 1/numbers in the window
bool shows_in_response(const LocalModel& m, const WindowLines& w, Complex s, const Eigen::RowVectorXcd& by_s,
                       double proof) {
  const Complex j(0, 1), to_x = 1.0 / (j * 2.0 * pi * w.centre * w.width);
  Complex value, slope;
  Eigen::RowVectorXcd T;
  response_numerator(m, s * to_x - 1 / w.width, value, slope, T);
  const Eigen::Index p = m.c.size(), n = T.size();
  Eigen::RowVectorXcd by_c = Eigen::RowVectorXcd::Zero(2 * p);
  by_c.head(n) = T;
  by_c.segment(p, n) = j * T;
  const Eigen::MatrixXd C = stacked(by_c), A = stacked(slope * to_x * by_s);
  const Eigen::MatrixXd across = C * m.V_ca * A.transpose();
  const Eigen::Matrix2d V = C * m.V_c * C.transpose() + across + across.transpose() + A * m.V_a * A.transpose();
  const Eigen::Vector2d b(value.real(), value.imag());
  return b.dot(V.inverse() * b) > proof * 2 * std::log(2.0 * static_cast<double>(w.x.size()));
}

/// `cancelled` gets those that no response shows.
std::vector<Resonance> poles_of(const LocalModel& m, const WindowLines& w, double proof,
                                std::vector<Resonance>& cancelled) {
  std::vector<Resonance> found;
  if (m.poles == 0) return found;
  const double scale = 2 * pi * w.centre;
  for (const Complex root : roots(m.a)) {
    if (!(root.imag() > 0)) continue;
    Complex slope = 0, power = 1;
    Eigen::RowVectorXcd by(m.poles);
    for (int k = 0; k < m.poles; ++k, power *= root) {
      by[k] = power;
      slope += static_cast<double>(k + 1) * (k + 1 < m.poles ? m.a[k + 1] : 1.0) * power;
    }
    const Complex z = 1.0 + root * scale * w.tick;
    if (!(std::abs(z) > 0) || !(std::abs(slope) > 0)) continue;
    Resonance mode;
    const Complex s = std::log(z) / w.tick;
    const Eigen::RowVectorXcd by_s = -by / slope * scale / z;
    set_mode(s, by_s, m.V_a, mode);
    (shows_in_response(m, w, s, by_s, proof) ? found : cancelled).push_back(mode);
  }
  return found;
}

/// Zeros are roots of B, a polynomial of x with complex coefficients: found by Newton's method from all over the window.
std::vector<Resonance> zeros_of(const LocalModel& m, const WindowLines& w) {
  std::vector<Resonance> found;
  const int n = m.degree + 1;
  for (double start = -0.9; start < 1; start += 0.1) {
    Complex x(start, 0), value, slope;
    Eigen::RowVectorXcd T;
    double step = 1;
    for (int k = 0; k < 50 && step > 1e-14; ++k) {
      response_numerator(m, x, value, slope, T);
      const Complex d = value / slope;
      if (!std::isfinite(std::abs(d))) break;
      step = std::abs(d);
      x -= step > 0.3 ? d * (0.3 / step) : d;
    }
    if (!(step <= 1e-12) || !(std::abs(x.real()) < 1)) continue;
    response_numerator(m, x, value, slope, T);
    const double to_s = 2 * pi * w.centre * w.width;
    const Complex j(0, 1), s = j * (2 * pi * w.centre * (1.0 + w.width * x));
    const Eigen::RowVectorXcd by_c = -T / slope * j * to_s;
    // coefficients of B come first in (Re c, Im c); T's have no part in it
    const Eigen::Index p = m.c.size();
    Eigen::RowVectorXcd by = Eigen::RowVectorXcd::Zero(2 * p);
    by.head(n) = by_c;
    by.segment(p, n) = j * by_c;
    Resonance mode;
    mode.anti = true;
    set_mode(s, by, m.V_c, mode);
    const bool known = std::any_of(found.begin(), found.end(), [&](const Resonance& other) {
      return std::abs(other.frequency / mode.frequency - 1) < 1e-6 && std::abs(other.damping - mode.damping) < 1e-6;
    });
    if (!known) found.push_back(mode);
  }
  return found;
}

/// How far apart two modes lie in the plane of s, over 2π [Hz].
double distance(const Resonance& a, const Resonance& b) {
  const auto place = [](const Resonance& m) {
    return m.frequency * Complex(-m.damping, std::sqrt(std::max(0.0, 1 - m.damping * m.damping)));
  };
  return std::abs(place(a) - place(b));
}

/// Poles that the response shows, and zeros but for those by which other poles are cancelled.
std::vector<Resonance> poles_and_zeros(const LocalModel& m, const WindowLines& w, double proof) {
  std::vector<Resonance> cancelled, modes = poles_of(m, w, proof, cancelled), zeros = zeros_of(m, w);
  for (const Resonance& pole : cancelled) {
    const auto nearest = std::min_element(zeros.begin(), zeros.end(), [&](const Resonance& a, const Resonance& b) {
      return distance(a, pole) < distance(b, pole);
    });
    if (nearest != zeros.end()) zeros.erase(nearest);
  }
  modes.insert(modes.end(), zeros.begin(), zeros.end());
  return modes;
}

/// The modes of a window's model; where a higher degree would have helped, what the last one changed is added to the deviations.
std::vector<Resonance> modes_of(const Chosen& chosen, const WindowLines& w, double proof) {
  std::vector<Resonance> modes = poles_and_zeros(chosen.model, w, proof);
  if (!chosen.last) return modes;
  const std::vector<Resonance> before = poles_and_zeros(*chosen.last, w, proof);
  for (Resonance& mode : modes) {
    double df = 0.5 * mode.frequency, dz = 0.5;  // it came with the last degree
    for (const Resonance& other : before)
      if (other.anti == mode.anti && std::abs(other.frequency - mode.frequency) < df) {
        df = std::abs(other.frequency - mode.frequency);
        dz = std::abs(other.damping - mode.damping);
      }
    mode.frequency_deviation = std::hypot(mode.frequency_deviation, df);
    mode.damping_deviation = std::hypot(mode.damping_deviation, dz);
  }
  return modes;
}

/// A mode worth naming: inside the window, damped, and known better than it is wide.
bool told(const Resonance& m, const WindowLines& w, double proof) {
  const double most = 0.5 * m.damping / proof;
  return std::abs(m.frequency / w.centre - 1) < window_core * w.width && m.damping > 0 && m.damping < widest_damping &&
         m.frequency_deviation < most * m.frequency && m.damping_deviation < most;
}

std::vector<Resonance> window_modes(const LogSpectra& s, double centre, double width, std::size_t most, double proof) {
  WindowLines w = window_lines(s, centre, width, most);
  std::vector<Resonance> modes;
  if (w.x.size() < 16) return modes;
  Eigen::VectorXcd explained = w.input, rest;
  if (w.excitation.size() > 0) {
    const std::optional<Chosen> by_excitation = chosen_model(w, w.excitation, w.input, proof);
    if (!by_excitation) return modes;
    explained = by_excitation->model.fitted;
    rest = w.input - explained;
  }
  const std::optional<Chosen> chosen = weighed_model(w, explained, rest, w.output, proof);
  if (!chosen) return modes;
  for (const Resonance& mode : modes_of(*chosen, w, proof))
    if (told(mode, w, proof)) modes.push_back(mode);
  return modes;
}

bool same_mode(const Resonance& a, const Resonance& b) {
  const double near = 3 * std::hypot(a.frequency_deviation, b.frequency_deviation) +
                      0.3 * std::max({a.damping, b.damping, 0.003}) * a.frequency;
  return a.anti == b.anti && std::abs(a.frequency - b.frequency) < near;
}

/// 2^a 3^b 5^c: a number of samples whose transform is quick.
std::size_t quick_length(std::size_t n) {
  for (; n > 1; --n) {
    std::size_t rest = n;
    for (const std::size_t prime : {2U, 3U, 5U})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) break;
  }
  return n;
}

std::vector<Complex> spectrum_of(std::vector<double> values) {
  double mean = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (double& v : values) v -= mean;
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<Complex> out;
  fft.fwd(out, values);
  return out;
}

}  // namespace

std::vector<Resonance> find_modes(const Log& log, const FrfSettings& settings, double from, double to) {
  FrfSignals signals = frf_signals(log, settings);
  const std::size_t n = quick_length(signals.input.size());
  for (std::vector<double>* v : {&signals.excitation, &signals.input, &signals.output})
    if (!v->empty()) v->erase(v->begin(), v->end() - static_cast<std::ptrdiff_t>(n));
  LogSpectra s{
      signals.step, static_cast<double>(n) * signals.step, {}, spectrum_of(signals.input), spectrum_of(signals.output)};
  if (!signals.excitation.empty()) s.excitation = spectrum_of(signals.excitation);
  std::vector<Resonance> found;
  for (double centre = from / (1 - window_width); centre < to; centre *= window_step)
    for (const Resonance& guess : window_modes(s, centre, window_width, scan_lines, scan_doubt)) {
      if (std::any_of(found.begin(), found.end(), [&](const Resonance& m) { return same_mode(m, guess); })) continue;
      const Resonance* best = nullptr;
      const std::vector<Resonance> again = window_modes(s, guess.frequency, window_width, fit_lines, 1);
      for (const Resonance& mode : again)
        if (same_mode(mode, guess) &&
            (!best || std::abs(mode.frequency - guess.frequency) < std::abs(best->frequency - guess.frequency)))
          best = &mode;
      if (!best || best->frequency < from || best->frequency > to) continue;
      if (std::none_of(found.begin(), found.end(), [&](const Resonance& m) { return same_mode(m, *best); }))
        found.push_back(*best);
    }
  std::sort(found.begin(), found.end(),
            [](const Resonance& a, const Resonance& b) { return a.frequency < b.frequency; });
  return found;
}

}  // namespace armature::identification
