// Section 11.2: force control, and force and position in parallel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "armature/numerics/decompositions.hpp"
#include "verona2023.hpp"

namespace armature::studies::verona2023 {

using namespace laboratory;

namespace {

constexpr double wall = 0.7378;  // [m], just above where the tool starts

Log pressed(const std::string& push, const std::string& law, const std::string& to, double duration) {
  return simulated(scenario("force", fmt::format("start: {{q: [1.2, -0.1, -0.3]}}\nplant: {{walls: [{{point: [0, 0, "
                                                 "{}], normal: [0, 0, -1], stiffness: 5 N/m}}]}}\n"
                                                 "reference: {{kind: hold{}, push: [{{force: [{}]}}]}}\ncontroller: "
                                                 "{{task: position, mass: [0.12, 0.12, 0.12], {}}}\n"
                                                 "run: {{duration: {} s, tick: 1 ms, log_every: 10}}\n",
                                                 wall, to, push, law, duration)));
}

const char* force_law =
    "kind: force, kp: [40, 40, 40], kd: [25, 25, 25], force_kp: [5, 5, 5], force_ki: [5, 5, 5], from_start: false";

/// Poles of the force loop against the wall, M s³ + K_d s² + K_p (1 + K_f k) s + K_p K_i k, the slowest last.
std::vector<std::complex<double>> force_poles(double kp, double kd, double force_kp, double force_ki) {
  constexpr double mass = 0.12, k = 5;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
  A(0, 1) = A(1, 2) = 1;
  A.row(2) << -kp * force_ki * k / mass, -kp * (1 + force_kp * k) / mass, -kd / mass;
  const Eigen::VectorXcd found = eigenvalues(A);
  std::vector<std::complex<double>> poles(found.begin(), found.end());
  std::sort(poles.begin(), poles.end(), [](auto a, auto b) { return std::abs(a) > std::abs(b); });
  return poles;
}
std::string text_of(const std::vector<std::complex<double>>& poles) {
  std::string text = "poles";
  for (const std::complex<double>& p : poles)
    if (p.imag() >= -1e-9)
      text += fmt::format("{} {:.4g}{}", text == "poles" ? "" : ",", p.real(),
                          p.imag() > 1e-9 ? fmt::format(" +- {:.4g} j", p.imag()) : "");
  return text + " 1/s";
}

/// The slope of a channel between two times, by least squares.
double slope(const Log& log, const char* name, double from, double to) {
  double n = 0, st = 0, sx = 0, stt = 0, stx = 0;
  const std::vector<double>& x = log.channel(name).values;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (log.time[i] >= from && log.time[i] <= to) {
      n += 1;
      st += log.time[i];
      sx += x[i];
      stt += log.time[i] * log.time[i];
      stx += log.time[i] * x[i];
    }
  return (n * stx - st * sx) / (n * stt - st * st);
}

/// f_z, what the tool presses with, and x_F, where the force loop wants it.
void figures(Log& log, const std::string& force, const std::string& position, bool to_frame) {
  std::vector<double> pressed;
  for (const double f : log.channel("force_z").values) pressed.push_back(-f);
  log.add("f_z", "N").values = pressed;
  log.add("f_z_ref", "N").values = log.channel("force_z_ref").values;
  log.time_figures = {{force, "Force on the wall, wanted and actual", {"f_z", "f_z_ref"}}};
  if (!to_frame) {
    log.time_figures.push_back({position, "Position", position_channels()});
    return;
  }
  for (const int k : {1, 2, 3}) {
    const std::string axis(1, "xyz"[k - 1]);
    log.add("x_F_" + axis, "m").values = log.channel(fmt::format("part_force_shift{}", k)).values;
  }
  log.time_figures.push_back({position, "Position of the tool", {"tool_x", "tool_y", "tool_z"}});
  log.time_figures.push_back({position,
                              "x_F, where the force loop wants the tool",
                              {"x_F_x", "x_F_y", "x_F_z"},
                              "It starts at K_f f_d, far away, and ends where the tool is."});
}

void force(StudyResult& result) {
  for (const double wanted : {3.0, 6.0}) {
    Log log = pressed(fmt::format("0, 0, {} N", wanted), force_law, "", 8);
    const double f = -end(log, "force_z"), depth = end(log, "tool_z") - wall;
    result.claims.push_back(
        {fmt::format("11.2.1, {} N", wanted), fmt::format("the force settles at {} N", wanted), "converges (Fig. 53)",
         fmt::format("{:.5f} N, {:.4f} m into the wall; x and y end at {:.1e}, {:.1e} m", f, depth, end(log, "tool_x"),
                     end(log, "tool_y")),
         std::abs(f / wanted - 1) < 0.01 && std::abs(depth / (wanted / 5) - 1) < 0.01 &&
             std::abs(end(log, "tool_x")) < 1e-3,
         wanted == 6 ? "6 N along z is inside the image of K_e, not outside; a wall of 5 N/m needs a stroke of 1.4 m"
                     : "x_F counts from the origin, so x and y are driven to zero; a stroke of 0.75 m"});
    if (wanted == 3) {
      const auto error = [&](double t) { return std::abs(-log.channel("force_z").values[row_at(log, t)] - wanted); };
      const double pole = -std::log(error(3) / error(6)) / 3;
      const auto poles = force_poles(40, 25, 5, 5);
      result.claims.push_back({"11.2.1, slow pole", "the force creeps to its value with the loop's slowest pole", "-",
                               fmt::format("{:.4f} 1/s between 3 s and 6 s", pole),
                               std::abs(pole / poles.back().real() - 1) < 0.02, text_of(poles)});
    }
    figures(log, wanted == 3 ? "Fig. 53" : "", wanted == 3 ? "Fig. 54" : "Fig. 55", true);
    result.logs.push_back(kept(std::move(log), fmt::format("11.2.1: force control, {} N", wanted)));
  }
  Log drift = pressed("0.002 N, 0, 3 N", force_law, "", 8);
  const double speed = slope(drift, "tool_x", 5, 8);
  result.claims.push_back({"11.2.1, outside the image",
                           "a force along x, where nothing resists, makes the tool drift with K_i f",
                           "a little drag (Fig. 55)", fmt::format("{:.5f} m/s, K_i f = {:.5f} m/s", speed, 5 * 0.002),
                           std::abs(speed / 0.01 - 1) < 0.01, "0.002 N, ours"});
  figures(drift, "", "", true);
  result.logs.push_back(kept(std::move(drift), "11.2.1: a force in a free direction"));
}

void parallel(StudyResult& result) {
  Log log = pressed("0, 0, 3 N",
                    "kind: parallel_force_position, kp: [200, 200, 200], kd: [50, 50, 50], force_kp: [50, 50, 50], "
                    "force_ki: [50, 50, 50]",
                    ", to: [1.34, -0.2, -0.66]", 8);
  const double f = -end(log, "force_z"), ex = end(log, "tool_x") - end(log, "tool_x_ref"),
               ey = end(log, "tool_y") - end(log, "tool_y_ref"), ez = end(log, "tool_z") - end(log, "tool_z_ref"),
               expected = wall + 3.0 / 5 - end(log, "tool_z_ref");
  result.claims.push_back(
      {"11.2.2", "force along z, position along x and y", "force and position reached but for z (Figs 57, 58)",
       fmt::format("{:.5f} N; x, y off by {:.0e}, {:.0e} m; z off by {:.4f} m, statics say {:.4f} m", f, ex, ey, ez,
                   expected),
       std::abs(f / 3 - 1) < 0.01 && std::abs(ex) < 1e-4 && std::abs(ey) < 1e-4 && std::abs(ez / expected - 1) < 0.01,
       text_of(force_poles(200, 50, 50, 50))});
  figures(log, "Fig. 57", "Fig. 58", false);
  result.logs.push_back(kept(std::move(log), "11.2.2: force and position in parallel"));
}

}  // namespace

void force_control(StudyResult& result) {
  force(result);
  parallel(result);
}

}  // namespace armature::studies::verona2023
