#include "armature/formats/log_map.hpp"

#include "armature/core/error.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::formats;

namespace {

std::vector<LogColumn> named(const std::vector<std::string>& names) {
  std::vector<LogColumn> columns;
  for (const std::string& name : names) columns.push_back({name, ""});
  return columns;
}

/// NAME with each of 1, 2, 3 (or 0, 1, 2) for #.
std::vector<std::string> three(const std::vector<std::string>& patterns, int first = 1) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns)
    for (int i = first; i < first + 3; ++i) {
      std::string name = pattern;
      name.replace(name.find('#'), 1, std::to_string(i));
      names.push_back(name);
    }
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("columns are found by the names that recorders give them") {
  struct Case {
    Names columns;
    const char *position, *velocity, *torque, *reference;
    int first;
  };
  for (const auto& [patterns, position, velocity, torque, reference, first] :
       {Case{{"q#", "v#", "tau#"}, "q#", "v#", "tau#", nullptr, 1},
        Case{{"q#", "qd#", "torque#", "q_ref#"}, "q#", "qd#", "torque#", "q_ref#", 1},
        Case{{"q#", "tau#", "q#_meas", "tau#_meas", "v#_meas", "q#_ref", "v#_ref"},
             "q#_meas",
             "v#_meas",
             "tau#_meas",
             "q#_ref",
             1},
        Case{{"field.position#", "field.velocity#", "field.effort#"},
             "field.position#",
             "field.velocity#",
             "field.effort#",
             nullptr,
             0},
        Case{{"target_q_#", "actual_q_#", "actual_qd_#", "target_current_#", "actual_current_#", "target_moment_#"},
             "actual_q_#",
             "actual_qd_#",
             "actual_current_#",
             "target_q_#",
             0},
        Case{{"joint_#_pos", "joint_#_vel", "joint_#_torque"},
             "joint_#_pos",
             "joint_#_vel",
             "joint_#_torque",
             nullptr,
             1},
        Case{{"q[#]", "dq[#]", "tau[#]", "tau_ext[#]"}, "q[#]", "dq[#]", "tau[#]", nullptr, 0},
        Case{{"q#", "tau#_predicted", "tau#_error", "tau#"}, "q#", nullptr, "tau#", nullptr, 1}}) {
    CAPTURE(position);
    const auto wanted = [&, first = first](const char* pattern) { return pattern ? three({pattern}, first) : Names{}; };
    for (const int joints : {3, 0}) {
      const GuessedColumns g = guess_columns(named(three(patterns, first)), joints);
      CHECK(g.position == wanted(position));
      CHECK(g.velocity == wanted(velocity));
      CHECK(g.torque == wanted(torque));
      CHECK(g.reference == wanted(reference));
      CHECK(g.joints == 3);
      CHECK(g.currents == (std::string(torque).find("current") != std::string::npos));
    }
  }
}

TEST_CASE("the columns of a single joint need no number") {
  const GuessedColumns g = guess_columns(named({"q", "vel", "torque", "temperature"}), 1);
  CHECK(g.position == Names{"q"});
  CHECK(g.velocity == Names{"vel"});
  CHECK(g.torque == Names{"torque"});
  CHECK(guess_columns(named({"q", "q1", "q2", "tau1", "tau2"}), 0).position == Names{"q1", "q2"});
}

TEST_CASE("columns of the motors are taken as such, where joints have none of their own") {
  const GuessedColumns g = guess_columns(named(three({"q_mot#", "dq_mot#", "tau_mot#"})), 3);
  CHECK(g.position == three({"q_mot#"}));
  CHECK(g.velocity == three({"dq_mot#"}));
  CHECK(g.torque == three({"tau_mot#"}));
  CHECK(g.motor_positions);
  CHECK(g.motor_torques);
  const GuessedColumns both = guess_columns(named(three({"q_mot#", "dq_mot#", "motor_current_#", "q#"})), 3);
  CHECK(both.position == three({"q#"}));
  CHECK(both.velocity.empty());
  CHECK(both.torque == three({"motor_current_#"}));
  CHECK_FALSE(both.motor_positions);
  CHECK(both.motor_torques);
}

TEST_CASE("joints with names are found by them, whatever their order in the file") {
  const Names joints{"shoulder_pan", "shoulder_lift", "wrist_1", "wrist_2"};
  const Names columns{"position_wrist_2", "position_shoulder_lift", "position_wrist_1",    "position_shoulder_pan",
                      "effort_wrist_1",   "effort_wrist_2",         "effort_shoulder_pan", "effort_shoulder_lift"};
  const GuessedColumns g = guess_columns(named(columns), 4, joints);
  CHECK(g.position == Names{"position_shoulder_pan", "position_shoulder_lift", "position_wrist_1", "position_wrist_2"});
  CHECK(g.torque == Names{"effort_shoulder_pan", "effort_shoulder_lift", "effort_wrist_1", "effort_wrist_2"});
}

TEST_CASE("a map names only what differs, and what is missing is answered with a map to begin with") {
  const Arm arm = catalogue_arm("rrr");
  const std::vector<LogColumn> columns = named(three({"q#", "v#", "m#"}));
  const LogMap map = complete_map(parse_log_map("torque: m{}\n", "map.yaml", arm), arm, columns, "log.csv");
  CHECK(map.position == three({"q#"}));
  CHECK(map.velocity == three({"v#"}));
  CHECK(map.torque == three({"m#"}));
  CHECK(complete_map(parse_log_map("torque: m{}\nvelocity: none\n", "map.yaml", arm), arm, columns, "log.csv")
            .velocity.empty());
  CHECK(complete_map(parse_log_map("torque: m{}\nposition: v{}\n", "map.yaml", arm), arm, columns, "log.csv")
            .velocity.empty());
  CHECK_THROWS_WITH_AS(complete_map({}, arm, columns, "log.csv"), doctest::Contains("the column 'tau1' is missing"),
                       FormatError);
  CHECK_THROWS_WITH_AS(complete_map({}, arm, columns, "log.csv"), doctest::Contains("position: \"q{}\""), FormatError);
  CHECK_THROWS_WITH_AS(complete_map({}, arm, named(three({"q#", "current#"})), "log.csv"),
                       doctest::Contains("no torque constant"), FormatError);
  CHECK_THROWS_WITH_AS(complete_map({}, arm, named({"q1", "q2", "q3", "q4", "tau1", "tau2", "tau3"}), "log.csv"),
                       doctest::Contains("the log has a column 'q4', but 'rrr' has 3 joints"), FormatError);
}

TEST_CASE("a map that is written reads back as the same") {
  const Arm arm = catalogue_arm("rrr");
  LogMap map;
  map.position = three({"actual_q_#"}, 0);
  map.torque = {"a b", "x: \"y\"", "z"};
  map.reference = three({"q#_ref"});
  map.currents = true;
  map.time = "my stamp";
  const LogMap back = parse_log_map(write_log_map(map), "map.yaml", arm);
  CHECK(back.position == map.position);
  CHECK(back.torque == map.torque);
  CHECK(back.reference == map.reference);
  CHECK(back.currents);
  CHECK(back.time == map.time);
  map.torques = LogMap::Side::motor;
  CHECK(parse_log_map(write_log_map(map), "map.yaml", arm).torques == LogMap::Side::motor);
  CHECK(parse_log_map(write_log_map(map), "map.yaml", arm).positions == LogMap::Side::joint);
}

TEST_CASE("the six columns of a force/torque sensor are found by the names that recorders give them") {
  const auto found = [](const std::vector<std::string>& names) {
    std::vector<LogColumn> columns{{"time", "s"}, {"q1", ""}, {"tau1", ""}};
    for (const std::string& name : names) columns.push_back({name, ""});
    return guess_wrench_columns(columns);
  };
  using Names = std::vector<std::string>;
  for (const Names& names : {Names{"fx", "fy", "fz", "tx", "ty", "tz"}, Names{"Fx", "Fy", "Fz", "Mx", "My", "Mz"},
                             Names{"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"},
                             Names{"wrench.force.x", "wrench.force.y", "wrench.force.z", "wrench.torque.x",
                                   "wrench.torque.y", "wrench.torque.z"},
                             Names{"ft_0", "ft_1", "ft_2", "ft_3", "ft_4", "ft_5"},
                             Names{"wrench1", "wrench2", "wrench3", "wrench4", "wrench5", "wrench6"}}) {
    CHECK(found(names) == names);
    Names mixed(names.rbegin(), names.rend());
    CHECK(found(mixed) == names);  // whatever their order
  }
  CHECK(found({"fx", "fy", "fz", "tx", "ty"}).empty());
  CHECK(found({"fx_target", "fy_target", "fz_target", "tx_target", "ty_target", "tz_target"}).empty());
  // readings come before other columns of the same sort
  const Names read{"force_x_meas", "force_y_meas", "force_z_meas", "moment_x_meas", "moment_y_meas", "moment_z_meas"};
  Names both{"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"};
  both.insert(both.end(), read.begin(), read.end());
  CHECK(found(both) == read);
}
