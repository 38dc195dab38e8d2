// Draws an arm along a path, and its torques: the picture of the README.
//   demo_picture ARM path.csv torques.csv > picture.svg
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/formats/load_arm.hpp"
#include "table.hpp"

namespace {

using armature::Arm;
using armature::Vec3;
using Rows = std::vector<std::vector<double>>;
using Polyline = std::vector<Vec3<double>>;  // in the world [m]

constexpr double width = 960, height = 420;                  // of the page [px]
constexpr double scale = 310, floor_x = 245, floor_y = 330;  // [px/m], and where the world's origin lies [px]
constexpr double azimuth = -1.05, elevation = 0.35;          // of the eye [rad]
constexpr double plot_x = 560, plot_y = 60, plot_w = 360, plot_h = 290;  // [px]
constexpr const char* colours[] = {"#0b6e99", "#d9730d", "#0f7b6c", "#6940a5", "#ad1a72", "#64473a", "#9b9a97"};

std::string pixels(const Polyline& line) {
  std::string text;
  for (const Vec3<double>& p : line) {
    const double right = -std::sin(azimuth) * p[0] + std::cos(azimuth) * p[1];
    const double away = -std::cos(azimuth) * p[0] - std::sin(azimuth) * p[1];
    const double up = std::cos(elevation) * p[2] + std::sin(elevation) * away;
    text += fmt::format("{:.1f},{:.1f} ", floor_x + scale * right, floor_y - scale * up);
  }
  text.pop_back();
  return text;
}

void polyline(const Polyline& line, const std::string& style) {
  fmt::print("<polyline points=\"{}\" {}/>\n", pixels(line), style);
}

void dot(const Vec3<double>& p, double radius, const std::string& style) {
  const std::string at = pixels({p});
  const std::size_t comma = at.find(',');
  fmt::print("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", at.substr(0, comma), at.substr(comma + 1), radius, style);
}

/// From the base along every joint's axis and link to the tool.
Polyline skeleton(const Arm& arm, const armature::algorithms::LinkPoses<double>& poses) {
  Polyline line{Vec3<double>::Zero()};
  for (int i = 0; i < arm.dof(); ++i) {
    const auto& X_WB = poses.X_WB[i];
    const Vec3<double> along_axis(0, 0, arm.body(i).X_BL.p[2]);
    line.insert(line.end(), {X_WB.p, X_WB * along_axis, X_WB * arm.body(i).X_BL.p});
  }
  line.push_back(tool_pose(arm, poses).p);
  return line;
}

armature::algorithms::LinkPoses<double> poses_at(const Arm& arm, const std::vector<double>& row) {
  return armature::forward_kinematics<double>(arm, Eigen::Map<const Eigen::VectorXd>(row.data() + 1, arm.dof()));
}

void draw_floor() {
  for (int k = -3; k <= 3; ++k) {
    const double at = 0.18 * k, end = 0.54;
    polyline({{at, -end, 0}, {at, end, 0}}, "stroke=\"#e3e2e0\"");
    polyline({{-end, at, 0}, {end, at, 0}}, "stroke=\"#e3e2e0\"");
  }
}

void draw_motion(const Arm& arm, const Rows& path) {
  Polyline trace, shadow;
  for (const auto& row : path) {
    trace.push_back(tool_pose(arm, poses_at(arm, row)).p);
    shadow.emplace_back(trace.back()[0], trace.back()[1], 0);
  }
  polyline(shadow, "stroke=\"#cfcdc8\" stroke-width=\"2\"");
  constexpr std::size_t poses = 8;
  for (std::size_t k = 0; k < poses; ++k) {
    const bool last = k + 1 == poses;
    const auto links = poses_at(arm, path[k * (path.size() - 1) / (poses - 1)]);
    const std::string opacity = fmt::format("opacity=\"{:.2f}\"", last ? 1.0 : 0.10 + 0.04 * static_cast<double>(k));
    polyline(skeleton(arm, links), "stroke=\"#37352f\" stroke-width=\"11\" " + opacity);
    for (int i = 0; i < arm.dof(); ++i) dot(links.X_WB[i].p, 8, fmt::format("fill=\"{}\" {}", colours[i % 7], opacity));
  }
  polyline(trace, "stroke=\"#e03e3e\" stroke-width=\"2.5\"");
  dot(trace.back(), 5, "fill=\"#e03e3e\"");
}

/// A round number near `x` from below: 1, 2 or 5 times a power of ten.
double round_step(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}

void draw_torques(const Arm& arm, const Rows& path, const Rows& torques) {
  double low = 0, high = 0;
  for (const auto& row : torques)
    for (const double tau : row) {
      low = std::min(low, tau);
      high = std::max(high, tau);
    }
  const double end = path.back()[0], step = round_step((high - low) / 4);
  const auto x = [&](double t) { return plot_x + plot_w * t / end; };
  const auto y = [&](double tau) { return plot_y + plot_h * (high - tau) / (high - low); };

  const auto label = [](double at_x, double at_y, const std::string& style, const std::string& text) {
    fmt::print("<text x=\"{:.1f}\" y=\"{:.1f}\" font-family=\"sans-serif\" font-size=\"14\" {}>{}</text>\n", at_x, at_y,
               style, text);
  };
  label(plot_x, plot_y - 26, "fill=\"#37352f\"", "joint torques [N m]");
  for (double tau = std::ceil(low / step) * step; tau <= high; tau += step) {
    fmt::print("<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#e3e2e0\"/>\n", plot_x,
               plot_x + plot_w, y(tau));
    label(plot_x - 8, y(tau) + 4, "text-anchor=\"end\" fill=\"#787774\"",
          fmt::format("{:g}", std::abs(tau) < step / 2 ? 0.0 : tau));
  }
  const double tick = round_step(end / 3);
  for (int k = 0; k * tick <= end * (1 + 1e-12); ++k)
    label(x(k * tick), plot_y + plot_h + 22, "text-anchor=\"middle\" fill=\"#787774\"",
          fmt::format("{:g} s", k * tick));
  for (int i = 0; i < arm.dof(); ++i) {
    const char* colour = colours[i % 7];
    std::string points;
    for (std::size_t row = 0; row < path.size(); row += 5)
      points += fmt::format("{:.1f},{:.1f} ", x(path[row][0]), y(torques[row][i]));
    fmt::print("<polyline points=\"{}\" stroke=\"{}\" stroke-width=\"2.5\"/>\n", points, colour);
    label(plot_x + plot_w - 80 * (arm.dof() - 1 - i), plot_y - 26,
          fmt::format("text-anchor=\"end\" fill=\"{}\" font-weight=\"600\"", colour), arm.joint(i).name);
  }
}

void draw(const std::string& name, const std::string& path_file, const std::string& torque_file) {
  const Arm arm = armature::load_arm(name).arm;
  std::vector<std::string> columns = numbered("q", arm.dof());
  columns.insert(columns.begin(), "t");
  const Rows path = read_columns(path_file, columns);
  const Rows torques = read_columns(torque_file, numbered("tau", arm.dof()));
  fmt::print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n", width,
             height);
  fmt::print("<rect width=\"{}\" height=\"{}\" rx=\"12\" fill=\"#ffffff\"/>\n", width, height);
  fmt::print("<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
  draw_floor();
  draw_motion(arm, path);
  draw_torques(arm, path, torques);
  fmt::print("</g>\n</svg>\n");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) {
    fmt::print(stderr, "demo_picture ARM path.csv torques.csv > picture.svg\n");
    return 2;
  }
  draw(argv[1], argv[2], argv[3]);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "demo_picture: {}\n", error.what());
  return 2;
}
