#include "armature/identification/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/threads.hpp"
#include "armature/identification/motion_observer.hpp"

namespace armature::identification {

namespace {

constexpr double forgotten = 1e-17;  // share of a step at a block's end that still shows: less than rounding

constexpr Eigen::Index row_chunk = 256;  // rows that a thread takes at a time

constexpr Eigen::Index lanes = 8;  // columns that are filtered side by side: they fit the cache and the vector unit

/// Pieces of so many of the `count`, each by whichever core is free: what a piece holds does not depend on who works it off.
void on_all_cores(Eigen::Index count, Eigen::Index piece, const std::function<void(Eigen::Index, Eigen::Index)>& work) {
  const Eigen::Index pieces = (count + piece - 1) / piece;
  std::atomic<Eigen::Index> next = 0;
  on_threads(static_cast<int>(std::min<Eigen::Index>(pieces, std::max(1U, std::thread::hardware_concurrency()))), [&] {
    for (Eigen::Index k = next++; k < pieces; k = next++) work(k * piece, std::min(count, (k + 1) * piece));
  });
}

/// All sections over `rows` rows of so many lanes, from the steady state of the first row (the last, where they run backwards).
void run_sections(const std::vector<Section>& sections, double* data, Eigen::Index rows, bool backwards) {
  using State = std::array<double, static_cast<std::size_t>(lanes)>;
  std::vector<State> z1(sections.size()), z2(sections.size());
  const double* first = data + (backwards ? rows - 1 : 0) * lanes;
  double share = 1;  // of the input that reaches the section
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const auto [b0, b1, b2, a1, a2] = sections[i];
    const double gain = (b0 + b1 + b2) / (1 + a1 + a2);
    for (std::size_t l = 0; l < State().size(); ++l) {
      z2[i][l] = (b2 - a2 * gain) * share * first[l];
      z1[i][l] = (b1 - a1 * gain) * share * first[l] + z2[i][l];
    }
    share *= gain;
  }
  for (Eigen::Index k = 0; k < rows; ++k) {
    double* const row = data + (backwards ? rows - 1 - k : k) * lanes;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const auto [b0, b1, b2, a1, a2] = sections[i];
      State &p1 = z1[i], &p2 = z2[i];
      for (std::size_t l = 0; l < State().size(); ++l) {
        const double in = row[l], out = b0 * in + p1[l];
        p1[l] = b1 * in - a1 * out + p2[l];
        p2[l] = b2 * in - a2 * out;
        row[l] = out;
      }
    }
  }
}

RowMatrix central_difference(const RowMatrix& x, double step) {
  const Eigen::Index n = x.rows();
  RowMatrix d(n, x.cols());
  if (n < 3) throw Error(fmt::format("a log of {} samples", n), "velocities need three samples or more");
  d.middleRows(1, n - 2) = (x.bottomRows(n - 2) - x.topRows(n - 2)) / (2 * step);
  d.row(0) = (-3 * x.row(0) + 4 * x.row(1) - x.row(2)) / (2 * step);
  d.row(n - 1) = (3 * x.row(n - 1) - 4 * x.row(n - 2) + x.row(n - 3)) / (2 * step);
  return d;
}

std::vector<Section> motion_sections(const Processing& p, double step) {
  return p.cutoff > 0 ? butterworth(p.order, p.cutoff, 1 / step) : std::vector<Section>{};
}
std::vector<Section> parallel_sections(const Processing& p, double step) {
  return p.parallel_cutoff > 0 ? butterworth(p.parallel_order, p.parallel_cutoff, 1 / step) : std::vector<Section>{};
}

/// Which entries of the rows can be other than zero (joint by joint, columns in order): a link's parameters do not show in the torques
/// of joints behind it, a joint's friction only in its own.
std::vector<std::pair<int, int>> structure(const TorqueModel& model) {
  const int n = model.dof();
  RowMatrix rows(n, model.size()), seen = RowMatrix::Zero(n, model.size());
  Random random(1);
  JointMotion m;
  m.q.resize(n);
  m.qd.resize(n);
  m.qdd.resize(n);
  for (int trial = 0; trial < 8; ++trial) {
    for (int i = 0; i < n; ++i) {
      m.q[i] = random.uniform(-3, 3);
      m.qdd[i] = random.uniform(-9, 9);
    }
    for (int i = 0; i < n; ++i) m.qd[i] = trial % 2 == 0 ? random.uniform(-3, 3) : -m.qd[i];  // both directions
    model.rows(m, rows);
    seen += rows.cwiseAbs();
  }
  std::vector<std::pair<int, int>> entries;
  for (int j = 0; j < n; ++j)
    for (int c = 0; c < model.size(); ++c)
      if (seen(j, c) > 0) entries.emplace_back(j, c);
  return entries;
}

/// The equations of samples [from, to) of the block, every decimation-th of the log; the rest of it is what filters need.
/// `last`: the log ends with the block.
void block_equations(const TorqueModel& model, const Processing& p, const MotionBlock& block,
                     const FilteredMotion& motion, Eigen::Index from, Eigen::Index to, bool last,
                     const EquationSink& sink) {
  const auto edge = static_cast<Eigen::Index>(std::llround(p.edge / block.step));
  from = std::max(from, edge - static_cast<Eigen::Index>(block.first));
  if (last) to = std::min(to, block.samples() - edge);
  const int n = model.dof(), columns = model.size();
  const std::vector<Section> parallel = parallel_sections(p, block.step);
  const Eigen::Index reach = parallel.empty() ? 0 : static_cast<Eigen::Index>(settling_length(parallel, forgotten));
  const Eigen::Index begin = std::max<Eigen::Index>(0, from - reach), end = std::min(block.samples(), to + reach);

  SampleEquations sample;
  sample.run = block.run;
  sample.segment = block.segment;
  sample.rows.resize(n, columns);
  sample.torque.resize(n);
  sample.known.resize(n);
  sample.counts.resize(n);
  const auto take_motion = [&](Eigen::Index k) {
    sample.motion.q = motion.q.row(k).transpose();
    sample.motion.qd = motion.qd.row(k).transpose();
    sample.motion.qdd = motion.qdd.row(k).transpose();
  };
  const auto is_kept = [&](Eigen::Index k) {
    return (block.first + static_cast<std::size_t>(k)) % static_cast<std::size_t>(p.decimation) == 0;
  };
  RowMatrix filtered;  // what is not zero of the rows, then torques, then known torques
  std::vector<std::pair<int, int>> entries;
  if (!parallel.empty()) {
    entries = structure(model);
    const auto count = static_cast<Eigen::Index>(entries.size());
    filtered.resize(end - begin, count + 2 * n);
    on_all_cores(end - begin, row_chunk, [&](Eigen::Index first, Eigen::Index last_row) {
      RowMatrix rows(n, columns);
      VecX<double> known;
      for (Eigen::Index i = first; i < last_row; ++i) {
        const Eigen::Index k = begin + i;
        const JointMotion m{motion.q.row(k).transpose(), motion.qd.row(k).transpose(), motion.qdd.row(k).transpose()};
        model.rows(m, rows);
        model.known_torque(m, known);
        double* to_filter = &filtered(i, 0);
        for (const auto& [j, c] : entries) *to_filter++ = rows(j, c);
        for (int j = 0; j < n; ++j) {
          to_filter[j] = block.tau(k, j) - known[j];
          to_filter[n + j] = known[j];
        }
      }
    });
    filter_zero_phase(parallel, filtered);
    sample.rows.setZero();
  }
  for (Eigen::Index k = from; k < to; ++k) {
    if (!is_kept(k)) continue;
    sample.time = block.start + static_cast<double>(block.first + static_cast<std::size_t>(k)) * block.step;
    if (!p.keeps(sample.time)) continue;
    take_motion(k);
    if (parallel.empty()) {
      model.rows(sample.motion, sample.rows);
      model.known_torque(sample.motion, sample.known);
      sample.torque = block.tau.row(k).transpose() - sample.known;
    } else {
      const double* from_filter = &filtered(k - begin, 0);
      for (const auto& [j, c] : entries) sample.rows(j, c) = *from_filter++;
      for (int j = 0; j < n; ++j) {
        sample.torque[j] = from_filter[j];
        sample.known[j] = from_filter[n + j];
      }
    }
    for (int j = 0; j < n; ++j)
      sample.counts[j] = std::abs(sample.motion.qd[j]) >= p.standstill * (model.arm().body(j).revolute ? 1 : 0.1);
    sink(sample);
  }
}

}  // namespace

bool Processing::keeps(double time) const {
  return time >= from && time <= to &&
         (windows.empty() || std::any_of(windows.begin(), windows.end(),
                                         [&](const TimeWindow& w) { return time >= w.from && time <= w.to; }));
}

void filter_zero_phase(const std::vector<Section>& sections, RowMatrix& x) {
  const Eigen::Index n = x.rows();
  if (n < 2 || sections.empty()) return;
  const Eigen::Index pad = std::min(n - 1, static_cast<Eigen::Index>(settling_length(sections)));
  const Eigen::Index rows = n + 2 * pad;
  on_all_cores(x.cols(), lanes, [&](Eigen::Index c, Eigen::Index after) {
    std::vector<double> panel(static_cast<std::size_t>(rows * lanes), 0.0);
    const auto row_of = [&](Eigen::Index k) { return panel.data() + k * lanes; };
    const Eigen::Index width = after - c;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index l = 0; l < width; ++l) row_of(pad + i)[l] = x(i, c + l);
    for (Eigen::Index i = 1; i <= pad; ++i)  // both ends continued by odd reflection
      for (Eigen::Index l = 0; l < width; ++l) {
        row_of(pad - i)[l] = 2 * x(0, c + l) - x(i, c + l);
        row_of(pad + n - 1 + i)[l] = 2 * x(n - 1, c + l) - x(n - 1 - i, c + l);
      }
    for (const bool backwards : {false, true}) run_sections(sections, panel.data(), rows, backwards);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index l = 0; l < width; ++l) x(i, c + l) = row_of(pad + i)[l];
  });
}

FilteredMotion filtered_motion(const MotionBlock& block, const Processing& p) {
  FilteredMotion m;
  if (p.motion == Processing::Motion::observer) {
    observe_motion(block, p, m);
    return m;
  }
  const std::vector<Section> sections = motion_sections(p, block.step);
  // Differences before filters: both are linear, and rounding is not amplified by the step.
  m.q = block.q;
  if (p.measured_velocity) {
    if (block.qd.rows() != block.q.rows())
      throw Error("measured velocities are asked for, but the log has none", "leave them out, or name their columns");
    m.qd = block.qd;
  } else {
    m.qd = central_difference(m.q, block.step);
  }
  m.qdd = central_difference(m.qd, block.step);
  for (RowMatrix* x : {&m.q, &m.qd, &m.qdd}) filter_zero_phase(sections, *x);
  return m;
}

void make_equations(const TorqueModel& model, const Processing& processing, const MotionBlock& log,
                    const EquationSink& sink) {
  make_equations(model, processing, log, filtered_motion(log, processing), sink);
}

void make_equations(const TorqueModel& model, const Processing& processing, const MotionBlock& log,
                    const FilteredMotion& motion, const EquationSink& sink) {
  block_equations(model, processing, log, motion, 0, log.samples(), true, sink);
}

EquationStream::EquationStream(const TorqueModel& model, const Processing& processing, double start, double step,
                               bool velocities, EquationSink sink, std::size_t block)
    : model_(model), processing_(processing), sink_(std::move(sink)), block_(block) {
  if (processing.decimation < 1)
    throw Error(fmt::format("decimation by {}", processing.decimation), "the factor is a positive whole number");
  margin_ = 4 + static_cast<std::size_t>(std::llround(processing.edge / step));  // of the differences and of the end
  for (const auto& sections : {motion_sections(processing, step), parallel_sections(processing, step)})
    if (!sections.empty()) margin_ += settling_length(sections, forgotten);
  if (processing.motion == Processing::Motion::observer) margin_ += observer_memory(processing, step);
  block_ = std::max(block_, 2 * margin_);
  buffer_.start = start;
  buffer_.step = step;
  const auto rows = static_cast<Eigen::Index>(block_ + 2 * margin_);
  buffer_.q.resize(rows, model.dof());
  buffer_.tau.resize(rows, model.dof());
  if (velocities) buffer_.qd.resize(rows, model.dof());
}

void EquationStream::push(const double* q, const double* qd, const double* tau) {
  const auto k = static_cast<Eigen::Index>(filled_++);
  const int n = model_.dof();
  buffer_.q.row(k) = Eigen::Map<const Eigen::RowVectorXd>(q, n);
  buffer_.tau.row(k) = Eigen::Map<const Eigen::RowVectorXd>(tau, n);
  if (qd != nullptr && buffer_.qd.rows() > 0) buffer_.qd.row(k) = Eigen::Map<const Eigen::RowVectorXd>(qd, n);
  if (filled_ < static_cast<std::size_t>(buffer_.q.rows())) return;
  work(done_ - buffer_.first, filled_ - margin_, false);
  const std::size_t keep = 2 * margin_, drop = filled_ - keep;  // the next block begins a margin before what is done
  for (RowMatrix* m : {&buffer_.q, &buffer_.qd, &buffer_.tau})
    if (m->rows() > 0)
      for (std::size_t i = 0; i < keep; ++i) m->row(i) = m->row(drop + i).eval();
  buffer_.first += drop;
  filled_ = keep;
}

void EquationStream::finish() {
  if (filled_ > done_ - buffer_.first) work(done_ - buffer_.first, filled_, true);
}

void EquationStream::work(std::size_t from, std::size_t to, bool last) {
  MotionBlock block{buffer_.first,
                    buffer_.start,
                    buffer_.step,
                    buffer_.q.topRows(filled_),
                    buffer_.qd.rows() > 0 ? RowMatrix(buffer_.qd.topRows(filled_)) : RowMatrix(),
                    buffer_.tau.topRows(filled_),
                    buffer_.run,
                    buffer_.segment};
  block_equations(model_, processing_, block, filtered_motion(block, processing_), static_cast<Eigen::Index>(from),
                  static_cast<Eigen::Index>(to), last, sink_);
  done_ = buffer_.first + to;
}

void EquationStore::add(const SampleEquations& sample) {
  for (int j = 0; j < dof_; ++j) {
    if (!sample.counts[j]) continue;
    A_.insert(A_.end(), sample.rows.row(j).data(), sample.rows.row(j).data() + columns_);
    y_.push_back(sample.torque[j]);
    time_.push_back(sample.time);
    joint_.push_back(j);
  }
}

Equations EquationStore::take() {
  Equations e;
  e.dof = dof_;
  const auto rows = static_cast<Eigen::Index>(y_.size());
  e.A = Eigen::Map<RowMatrix>(A_.data(), rows, columns_);
  e.y = Eigen::Map<Eigen::VectorXd>(y_.data(), rows);
  A_.clear();
  A_.shrink_to_fit();
  e.time = std::move(time_);
  e.joint = std::move(joint_);
  return e;
}

Equations equations_of(const TorqueModel& model, const Processing& processing, const MotionBlock& log) {
  EquationStore store(model);
  make_equations(model, processing, log, [&](const SampleEquations& s) { store.add(s); });
  return store.take();
}

}  // namespace armature::identification
