#include "armature/identification/excitation_log.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/text.hpp"

namespace armature::identification {

Log playable_log(const Arm& arm, const ExcitationPath& path, const Excitation& e, double rate, int periods) {
  Log log;
  log.title = "excitation of " + arm.name();
  log.facts = {{"robot", arm.name()},
               {"base_frequency", exact_text(e.motion.base_frequency)},
               {"harmonics", std::to_string(e.motion.harmonics())},
               {"periods", std::to_string(periods)},
               {"periods_begin", exact_text(path.begin())},
               {"periods_end", exact_text(path.end())},
               {"condition", exact_text(e.condition)}};
  if (e.stopped) log.facts.emplace_back("stopped", "the best motion found before the user stopped the design");
  const int n = arm.dof();
  const char* letters[] = {"q", "v", "a", "tau"};
  for (int kind = 0; kind < 4; ++kind)
    for (int i = 0; i < n; ++i) {
      const bool turns = arm.body(i).revolute;
      const std::string length = turns ? "rad" : "m";
      const std::string units[] = {length, length + "/s", length + "/s^2", turns ? "N m" : "N"};
      log.add(fmt::format("{}{}", letters[kind], i + 1), units[kind]);
    }
  JointMotion m;
  const auto rows = std::lround(path.duration() * rate);
  for (long k = 0; k <= rows; ++k) {
    const double t = static_cast<double>(k) / rate;
    path.at(t, m);
    log.time.push_back(t);
    const VecX<double> tau = motion_torque(arm, m.q, m.qd, m.qdd);
    std::size_t next = 0;
    for (const VecX<double>* values : std::initializer_list<const VecX<double>*>{&m.q, &m.qd, &m.qdd, &tau})
      for (int i = 0; i < n; ++i) log.channels[next++].values.push_back((*values)[i]);
  }
  return log;
}

}  // namespace armature::identification
