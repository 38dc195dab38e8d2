#include "armature/run/wrench_answer.hpp"

#include <nlohmann/json.hpp>

#include "armature/formats/settings_yaml.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/run/internal/json_text.hpp"

namespace armature::run {

namespace {

Json list_of(const std::vector<WrenchQuantity>& quantities) {
  Json list = Json::array();
  for (const WrenchQuantity& q : quantities)
    list.push_back({{"name", q.name},
                    {"unit", q.unit},
                    {"value", q.value},
                    {"interval_95", {q.value - q.half_width, q.value + q.half_width}}});
  return list;
}

}  // namespace

std::string wrench_json(const WrenchCalibration& c, const std::vector<std::string>& notes) {
  Json channels = Json::array();
  for (int k = 0; k < wrench_channels; ++k)
    channels.push_back(
        {{"name", c.channels[k]}, {"residual", c.noise[k]}, {"held_out", c.held_out[k]}, {"spread", c.spread[k]}});
  return text_of(Json{{"error", c.error()},
                      {"reads", c.load ? "load" : "reaction"},
                      {"postures", c.postures},
                      {"moving", c.moving},
                      {"tool", list_of(c.tool)},
                      {"mounting", list_of(c.mounting)},
                      {"offsets", list_of(c.zeros)},
                      {"drift", list_of(c.drift)},
                      {"gains", list_of(c.gains)},
                      {"gravity", list_of(c.gravity)},
                      {"channels", channels},
                      {"sentences", sentences(c)},
                      {"notes", notes}});
}

ArmDescription carrying(const Arm& arm, const WrenchCalibration& found, const std::string& source) {
  ArmDescription with = arm.description();
  const Inertia<double> body = inertia_from_parameters<double>(found.body);
  MassProperties mass;
  mass.mass = body.m;
  mass.position = body.h / body.m;
  mass.tensor = central_inertia(body);
  mass.source = "force/torque sensor, " + source;
  with.payload = mass;
  return with;
}

std::string write_sensor(const WrenchSensor& sensor) {
  WrenchSensor s = sensor;
  return write_settings({}, [&](Fields& f) { s.fields(f); });
}

WrenchSensor read_sensor(const std::string& path) {
  const std::string text = read_text_file(path, largest_yaml);
  check_text(text, path, largest_yaml);
  const Yaml yaml = parse_yaml(without_byte_order_mark(text), path);
  WrenchSensor sensor;
  SettingPlaces places;
  read_settings(yaml, {}, places, [&](Fields& f) { sensor.fields(f); });
  return sensor;
}

Log contact_log(const Arm& arm, const WrenchSensor& sensor, const std::vector<WrenchLog>& logs, double cutoff) {
  constexpr const char* names[] = {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"};
  Log log;
  log.title = "Contact of the tool";
  for (int c = 0; c < wrench_channels; ++c) log.add(names[c], c < 3 ? "N" : "N m");
  for (const WrenchLog& part : logs) {
    const FilteredMotion motion = motion_of(part, cutoff);
    for (Eigen::Index k = 0; k < part.q.rows(); ++k) {
      const Vec6<double> w = sensor.contact(
          arm, {motion.q.row(k).transpose(), motion.qd.row(k).transpose(), motion.qdd.row(k).transpose()},
          part.wrench.row(k).transpose());
      log.time.push_back(part.step > 0 ? part.start + static_cast<double>(k) * part.step
                                       : static_cast<double>(log.time.size()));
      for (int c = 0; c < wrench_channels; ++c) log.channels[c].values.push_back(w[c]);
    }
  }
  return log;
}

}  // namespace armature::run
