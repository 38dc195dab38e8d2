// Flexible robot arm of the DaISy collection [DeMoor1997]: frequency response from reaction torque to acceleration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>

#include "armature/formats/table.hpp"
#include "measured.hpp"

namespace armature::measured {

namespace {

/// The discrete Fourier transform of a real signal, from zero to half the sampling rate.
std::vector<std::complex<double>> lines_of(const std::vector<double>& x) {
  std::vector<std::complex<double>> X;
  Eigen::FFT<double> fft;
  fft.fwd(X, x);
  X.resize(x.size() / 2 + 1);
  return X;
}

}  // namespace

void daisy(const Progress& progress, StudyResult& result) {
  const std::string file = data_file("daisy_robot_arm/robot_arm.csv");
  if (file.empty()) {
    result.claims.push_back(missing("daisy", "frequency response of a flexible arm with its coherence", "-",
                                    "daisy_robot_arm/robot_arm.csv", "DaISy database, set 96-009"));
    return;
  }
  progress("daisy");
  TableReader table(file);
  table.select(table.columns());
  std::vector<double> u, y, row(table.columns().size());
  while (table.next(row)) u.push_back(row[0]), y.push_back(row[1]);
  // One period of 1024 samples, of which only the odd lines are excited: the second half is the first with the other sign. What stands
  // in the even lines between them is noise and distortion, and says how much of it stands in the odd ones [Pintelon2012]:
  //     coherence = (1 - N_u/P_u) (1 - N_y/P_y),  N: mean power of the two lines beside it
  const std::vector<std::complex<double>> U = lines_of(u), Y = lines_of(y);
  Spectrum H{"arm acceleration over reaction torque", "reaction torque", "acceleration", "", {}, {}, {}};
  double odd = 0, even = 0;
  std::size_t excited = 0, coherent = 0, peak = 0;
  double largest = 0;
  for (std::size_t k = 1; k + 1 < U.size(); ++k) (k % 2 == 1 ? odd : even) += std::norm(U[k]);
  for (std::size_t k = 1; k + 1 < U.size(); k += 2) {
    const auto beside = [k](const std::vector<std::complex<double>>& X) {
      return (std::norm(X[k - 1]) + std::norm(X[k + 1])) / 2;
    };
    const double coherence =
        std::max(0.0, 1 - beside(U) / std::norm(U[k])) * std::max(0.0, 1 - beside(Y) / std::norm(Y[k]));
    H.frequency.push_back(static_cast<double>(k) / static_cast<double>(u.size()));
    H.response.push_back(Y[k] / U[k]), H.coherence.push_back(coherence);
    if (std::norm(U[k]) < 1e-3 * odd / static_cast<double>(U.size() / 2)) continue;  // the sweep does not reach it
    ++excited, coherent += coherence > 0.8;
    if (coherence > 0.8 && std::abs(H.response.back()) > largest) largest = std::abs(H.response.back()), peak = k;
  }
  result.claims.push_back(
      {"daisy", "frequency response of the flexible arm with its coherence: 80 % of the excited lines above 0.8", "-",
       fmt::format("{} of {} excited lines with coherence above 0.8; largest response, {:.1f} dB, at {:.4f} of the "
                   "sampling rate; {:.2f} % of the power where nothing was excited",
                   coherent, excited, 20 * std::log10(largest),
                   static_cast<double>(peak) / static_cast<double>(u.size()), 100 * even / (odd + even)),
       5 * coherent > 4 * excited,
       "the sampling time is not published, so frequencies are shares of the sampling rate"});
  Log log;
  log.title = "Flexible robot arm (DaISy 96-009)";
  log.spectra.push_back({"arm acceleration over reaction torque", "reaction torque", "acceleration", "", H.frequency,
                         H.response, H.coherence});
  result.logs.push_back(log);
}

}  // namespace armature::measured
