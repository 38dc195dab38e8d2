#include "armature/run/excite_answer.hpp"

#include <nlohmann/json.hpp>

namespace armature::run {

namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Eigen::VectorXd& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); }

/// One list per joint of amplitudes, one per harmonic.
Json by_joint(const Eigen::MatrixXd& amplitudes) {
  Json lists = Json::array();
  for (const auto& joint : amplitudes.colwise()) lists.push_back(list_of(joint));
  return lists;
}

}  // namespace

std::string excitation_json(const ExcitationTask& task, const Excitation& e, double seconds,
                            const std::vector<std::string>& warnings) {
  const Json answer{{"arm", task.arm.name()},
                    {"criterion", to_string(task.criterion)},
                    {"value", e.criterion},
                    {"condition", e.condition},
                    {"parameters", task.columns.names},
                    {"singular_values", list_of(e.singular_values)},
                    {"base_frequency", e.motion.base_frequency},
                    {"harmonics", e.motion.harmonics()},
                    {"offset", list_of(e.motion.offset)},
                    {"sine", by_joint(e.motion.sine)},
                    {"cosine", by_joint(e.motion.cosine)},
                    {"largest_velocity", list_of(e.use.largest_velocity)},
                    {"largest_acceleration", list_of(e.use.largest_acceleration)},
                    {"largest_torque", list_of(e.use.largest_torque)},
                    {"within_limits", e.within_limits()},
                    {"collisions_watched", task.limits.clearance.has_value()},
                    {"complete", !e.stopped},
                    {"seconds", seconds},
                    {"warnings", warnings}};
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace armature::run
