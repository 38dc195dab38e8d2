#include "armature/identification/shaken_lines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::identification {

namespace {

using Index = Eigen::Index;

constexpr int least_periods = 4;
constexpr double above_noise = 20;  // power of a line over that of its noise: chance passes it once in exp(20)

/// The periods of one channel, a column each, less mean and slope.
struct Periods {
  Eigen::MatrixXd samples;
  double mean = 0, slope = 0;  // of all of them; the slope in units a sample
};

/// A signal that repeats about a slow one: the mean of a period goes as the slow one does, whatever repeats.
Periods periods_of(const Eigen::VectorXd& channel, Index length, Index count) {
  Periods p{channel.head(length * count).reshaped(length, count)};
  const Eigen::VectorXd means = p.samples.colwise().mean();
  p.mean = means.mean();
  p.slope = (means[count - 1] - means[0]) / static_cast<double>((count - 1) * length);
  const Eigen::VectorXd along = Eigen::VectorXd::LinSpaced(length, -0.5, 0.5) * static_cast<double>(length - 1);
  for (Index k = 0; k < count; ++k) {
    const Index before = std::max<Index>(k - 1, 0), after = std::min(k + 1, count - 1);
    const double slope = (means[after] - means[before]) / static_cast<double>((after - before) * length);
    p.samples.col(k).array() -= means[k];
    p.samples.col(k) -= slope * along;
  }
  return p;
}

/// 2/N sum of x exp(-j 2π line k/N), so that a cosine of amplitude a is a; a row a period, a column a line.
Eigen::MatrixXcd spectra_of(const Eigen::MatrixXd& samples, Index first, Index last) {
  const Index n = samples.rows();
  Eigen::VectorXcd turn(n);
  for (Index k = 0; k < n; ++k)
    turn[k] = std::polar(2.0 / static_cast<double>(n), -2 * pi * static_cast<double>(k) / static_cast<double>(n));
  Eigen::MatrixXcd spectra(samples.cols(), last - first + 1);
  Eigen::VectorXcd wave(n);
  for (Index line = first; line <= last; ++line) {
    for (Index k = 0; k < n; ++k) wave[k] = turn[line * k % n];
    spectra.col(line - first) = samples.transpose() * wave;
  }
  return spectra;
}

/// Where the mean over the periods is more than their scatter explains, in any of the commands.
std::vector<Index> excited_lines(const std::vector<Eigen::MatrixXcd>& commands) {
  std::vector<Index> excited;
  double loudest = 0;
  for (const Eigen::MatrixXcd& spectra : commands)
    loudest = std::max(loudest, spectra.colwise().mean().cwiseAbs2().maxCoeff());
  for (Index line = 0; line < commands.front().cols(); ++line)
    for (const Eigen::MatrixXcd& spectra : commands) {
      const Eigen::VectorXcd one = spectra.col(line);
      const std::complex<double> mean = one.mean();
      const double n = static_cast<double>(one.size()), noise = (one.array() - mean).abs2().sum() / ((n - 1) * n);
      if (std::norm(mean) > above_noise * noise && std::norm(mean) > 1e-10 * loudest) {
        excited.push_back(line);
        break;
      }
    }
  return excited;
}

/// By period what stands by channel: lines that are kept.
std::vector<Eigen::MatrixXcd> by_period(const std::vector<Eigen::MatrixXcd>& channels, const std::vector<Index>& kept,
                                        Index count) {
  std::vector<Eigen::MatrixXcd> periods(static_cast<std::size_t>(count));
  for (Index p = 0; p < count; ++p) {
    Eigen::MatrixXcd& one = periods[p];
    one.resize(static_cast<Index>(channels.size()), static_cast<Index>(kept.size()));
    for (Index c = 0; c < one.rows(); ++c)
      for (Index l = 0; l < one.cols(); ++l) one(c, l) = channels[c](p, kept[l]);
  }
  return periods;
}

Eigen::MatrixXcd mean_of(const std::vector<Eigen::MatrixXcd>& periods) {
  Eigen::MatrixXcd sum = Eigen::MatrixXcd::Zero(periods.front().rows(), periods.front().cols());
  for (const Eigen::MatrixXcd& one : periods) sum += one;
  return sum / static_cast<double>(periods.size());
}

/// Samples of a period. Throws where they are no whole number.
Index samples_of(double period, const ShakenLog& log) {
  const double samples = period / log.step;
  if (!(period > 0) || !(samples >= 8) || std::abs(samples - std::nearbyint(samples)) > 1e-6 * samples)
    throw Error(fmt::format("a period of {:g} s is not a whole number of samples of {:g} s", period, log.step),
                "give the period with which the excitation repeats", {log.name});
  return static_cast<Index>(std::nearbyint(samples));
}

}  // namespace

Eigen::MatrixXcd ShakenLines::mean_commands() const { return mean_of(commands); }
Eigen::MatrixXcd ShakenLines::mean_positions() const { return mean_of(positions); }

ShakenLines shaken_lines(const ShakenLog& log, const ShakenSettings& settings) {
  const Index n = samples_of(settings.period, log);
  const double begin = settings.begin >= 0 ? settings.begin : settings.period;
  const Index rows = log.commands.rows(),
              first_row = std::min(static_cast<Index>(std::nearbyint(begin / log.step)), rows);
  const Index count = (rows - first_row) / n;
  if (count < least_periods)
    throw Error(fmt::format("there are {} whole periods of {:g} s from {:g} s on", count, settings.period, begin),
                fmt::format("{} are needed at least, for what differs between them is the noise", least_periods),
                {log.name});
  const double spacing = 1 / (static_cast<double>(n) * log.step);
  const double to = settings.to > 0 ? settings.to : 0.4 / log.step;
  const Index first = std::max<Index>(1, static_cast<Index>(std::ceil(settings.from / spacing - 1e-9))),
              last = std::min(static_cast<Index>(std::floor(to / spacing + 1e-9)), (n - 1) / 2);
  if (last < first) throw Error("no line lies between --from and --to", "widen the range", {log.name});

  std::vector<Eigen::MatrixXcd> commands, positions;
  for (Index c = 0; c < log.commands.cols(); ++c)
    commands.push_back(
        spectra_of(periods_of(log.commands.col(c).tail(rows - first_row), n, count).samples, first, last));
  const std::vector<Index> kept = excited_lines(commands);
  if (kept.size() < 4)
    throw Error(fmt::format("no command repeats every {:g} s", settings.period),
                "feed the motors with inputs of kind multisine, and give their period", {log.name});
  ShakenLines lines{log.name, log.step, log.delay, log.joints, Eigen::VectorXd(log.positions.cols()),
                    {},       {},       {},        {},         {}};
  lines.velocity = lines.shaking = lines.position;
  for (const Index line : kept) lines.frequency.push_back(static_cast<double>(first + line) * spacing);
  for (Index c = 0; c < log.positions.cols(); ++c) {
    const Periods p = periods_of(log.positions.col(c).tail(rows - first_row), n, count);
    lines.position[c] = p.mean;
    lines.velocity[c] = p.slope / log.step;
    positions.push_back(spectra_of(p.samples, first, last));
  }
  lines.commands = by_period(commands, kept, count);
  lines.positions = by_period(positions, kept, count);
  const Eigen::MatrixXcd mean = lines.mean_positions();
  for (Index c = 0; c < mean.rows(); ++c) {
    double square = 0;
    for (Index l = 0; l < mean.cols(); ++l) square += 0.5 * std::norm(2 * pi * lines.frequency[l] * mean(c, l));
    lines.shaking[c] = std::sqrt(square);
  }
  return lines;
}

}  // namespace armature::identification
