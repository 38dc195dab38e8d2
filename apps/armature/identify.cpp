// armature identify: from a log to an arm, with how sure it is.
#include "armature/identification/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arm_options.hpp"
#include "armature/campaign/identified_spread.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/identification/joint_filter.hpp"
#include "armature/identification/payload.hpp"
#include "armature/report/identification_report.hpp"
#include "armature/run/identify_answer.hpp"
#include "armature/run/identify_choice.hpp"
#include "identify_gains.hpp"
#include "identify_twist.hpp"
#include "json_out.hpp"
#include "log_options.hpp"
#include "meshes.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "setting_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct IdentifyOptions {
  ArmOptions arm;
  LogOptions log;
  SettingOptions settings;
  std::optional<std::string> out, covariance, errors, page, link_positions;
  bool json = false;

  [[nodiscard]] IdentifyChoice choice() const {
    IdentifyChoice c;
    c.processing = log.choice();
    settings.read([&](Fields& f) { c.own_fields(f); });
    return c;
  }
};

/// How far identification is: a long log takes its time in the passes over it. How many there are depends on the friction law that is
/// looked for; how long one is, is known after the first.
class PassProgress {
 public:
  explicit PassProgress(const IdentifySettings& s)
      : expected_(2 +
                  (s.choose_friction ? 17.0
                   : s.find_shape    ? 4.0
                                     : 0.0) +
                  (s.lugre ? 2 : 0) + (s.find_delay ? 10 : 0) + (s.find_gravity ? 20 : 0) +
                  (by_least_squares(s.estimator) ? 0 : 2)) {}
  void begin(const std::string& step) {
    step_ = step;
    draw(0);
  }
  /// The source, each of its passes counted.
  [[nodiscard]] MotionSource watched(MotionSource source) {
    if (!line_.watched()) return source;
    source.for_each = [this, inner = std::move(source.for_each)](const MotionSource::Sample& sample) {
      double row = 0;
      inner([&](const JointSample& s) {
        if (std::fmod(++row, 4096) == 0) draw(rows_ > 0 ? row / rows_ : 0);
        sample(s);
      });
      rows_ = row;
      ++done_;
    };
    return source;
  }
  void clear() { line_.clear(); }

 private:
  void draw(double of_this) { line_.update(std::min((done_ + of_this) / expected_, 0.99), step_); }
  double expected_, done_ = 0, rows_ = 0;
  std::string step_ = "reading the log";
  ProgressLine line_;
};

void print_people(const Identification& r) {
  for (const std::string& line : verdict(r)) fmt::print("{}\n", wrapped(line, 2));
  fmt::print("\n");
  for (const std::string& sentence : sentences(r)) fmt::print("{}\n", wrapped(sentence, 2));
  for (const LogTable& table : identification_tables(r))
    fmt::print("\n{}\n{}", table.title, text_table(table.header, table.rows));
}

/// The measured torque of the joint that the model predicts worst, and what it leaves of it, where plots are welcome.
void print_worst_prediction(const Identification& r) {
  const Log& log = r.prediction.log;
  int worst = 0;
  double most = -1;
  for (int i = 1; log.has(fmt::format("tau{}_error", i)); ++i) {
    double error = 0, size = 0;
    const std::vector<double>&e = log.channel(fmt::format("tau{}_error", i)).values,
          &tau = log.channel(fmt::format("tau{}", i)).values;
    for (std::size_t k = 0; k < e.size(); ++k)
      if (std::isfinite(e[k]) && std::isfinite(tau[k])) {
        error += e[k] * e[k];
        size += tau[k] * tau[k];
      }
    if (size > 0 && error / size > most) {
      most = error / size;
      worst = i;
    }
  }
  if (worst == 0) return;
  const Channel& tau = log.channel(fmt::format("tau{}", worst));
  fmt::print("\n");
  print_plot(fmt::format("torque of joint {}, the one predicted worst [{}]", worst, tau.unit), log.time, tau.values);
  print_plot(fmt::format("what the model leaves of it [{}]", tau.unit), log.time,
             log.channel(fmt::format("tau{}_error", worst)).values);
}

void print_own(const OwnParameters& own) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < own.names.size(); ++k) {
    const auto i = static_cast<int>(k);
    const bool known = own.estimate.determined[k];
    const double x = own.estimate.x[i], half = known ? own.estimate.half_width(i) : 0;
    rows.push_back({own.names[k], known ? short_text(x) : "not excited", known ? short_text(x - half) : "",
                    known ? short_text(x + half) : ""});
  }
  fmt::print("\nThe same in the parameters of --parameters\n{}",
             text_table({"parameter", "estimate", "from", "to"}, rows));
}

/// --payload: the arm is known, what its tool carries is not.
int run_payload(const IdentifyOptions& options, const IdentifyChoice& choice, const Arm& arm) {
  const std::unique_ptr<MeasuredLog> log = options.log.open(arm, choice.standing_joints);
  const MotionSource source = log->source();
  const PayloadEstimate p = options.log.placed([&] {
    return identify_payload(arm, source, default_processing(options.log.processing(*log), source, arm.dof()));
  });
  const Inertia<double> body = inertia_from_parameters<double>(p.body);
  const Vec3<double> centre = body.h / body.m;
  if (options.out) {
    OutputFile file(*options.out);
    file.write(arm_yaml_for(carrying(arm, p, options.arm.arm), *options.out));
    file.commit();
  }
  if (options.json) {
    print_json(Json::parse(payload_json(arm, p)));
    return exit_done;
  }
  std::vector<std::vector<std::string>> rows;
  for (int k = 0; k < 10; ++k) {
    const bool known = p.estimate.determined[k];
    const double x = p.estimate.x[k], half = known ? p.estimate.half_width(k) : 0;
    rows.push_back({payload_names[k],
                    k == 0  ? "kg"
                    : k < 4 ? "kg m"
                            : "kg m^2",
                    known ? short_text(x) : "not excited", known ? short_text(x - half) : "",
                    known ? short_text(x + half) : "", short_text(p.body[k])});
  }
  fmt::print("The tool carries {:.4g} kg, its centre of mass at ({:.4g}, {:.4g}, {:.4g}) m in the tool's frame.\n",
             body.m, centre[0], centre[1], centre[2]);
  fmt::print(
      "It explains {:.1f} % of the squared residual of the arm without it; the remaining residual is {:.2f} % of "
      "torque RMS.\n\n",
      100 * p.explained, 100 * p.relative);
  fmt::print("{}", text_table({"parameter", "unit", "estimate", "from", "to", "body"}, rows));
  return exit_done;
}

/// --estimator ekf: one joint moves, the others are held.
int run_joint_filter(const IdentifyOptions& options, const IdentifyChoice& choice, const Arm& arm) {
  const std::unique_ptr<MeasuredLog> log = options.log.open(arm, true);
  const MotionSource source = log->source();
  const JointFilter r = options.log.placed([&] {
    return filter_joint(arm, source, default_processing(options.log.processing(*log), source, arm.dof()),
                        choice.joint.empty() ? std::nullopt : std::optional(joint_called(arm, choice.joint)));
  });
  if (options.out) {
    (void)Arm(r.arm);  // says what is wrong with a law that no joint has
    OutputFile file(*options.out);
    file.write(arm_yaml_for(r.arm, *options.out));
    file.commit();
  }
  std::string page;
  if (options.page) {
    page = write_report(joint_filter_report(arm, r, options.log.names()), *options.page);
  }
  const LogTable table = joint_filter_table(arm, r);
  if (options.json) {
    print_json(Json::parse(joint_filter_json(arm, r)));
    return exit_done;
  }
  fmt::print(
      "{}\n",
      wrapped(fmt::format("Joint '{}' alone, the others held: J qdd = tau - friction(qd) - c sin(q + {:.4g} rad). "
                          "Readings have a noise of {:.3g} rad; innovation RMS {:.3g} rad.",
                          arm.joint(r.joint).name, r.filter.estimate.phase, r.reading, r.filter.innovation),
              2));
  fmt::print("{}\n",
             wrapped(fmt::format("The friction law holds up to {:.3g} rad/s, the fastest that was seen; widths w and "
                                 "heights f of its sigmoids may trade places with hardly any difference.",
                                 r.fastest),
                     2));
  fmt::print("\n{}\n{}", table.title, text_table(table.header, table.rows));
  if (options.out) fmt::print("\n  written: {}\n", *options.out);
  if (options.page) fmt::print("  page: {}\n", page);
  return exit_done;
}

int identified(const IdentifyOptions& options) {
  const IdentifyChoice choice = options.choice();
  const bool periodic = !std::isnan(choice.period);
  refuse_contradictions(choice);
  if (options.covariance && (choice.payload || choice.estimator == "ekf" || !choice.drive_gains.empty()))
    throw Error("--covariance is about a whole arm: it goes with none of --payload, --drive-gains and --estimator ekf",
                "leave it out");
  if ((choice.payload && (options.page || options.errors)) ||
      (!choice.drive_gains.empty() && (options.out || options.page || options.errors)))
    throw Error(choice.payload ? "--payload has neither a page nor a log of errors"
                               : "--drive-gains writes no file: its answer is a few numbers",
                "leave out -o, --page and --errors, or ask for --json");
  const LoadedArm loaded = options.arm.load();
  if (!choice.drive_gains.empty()) return run_drive_gains(options.log, choice.drive_gains, loaded.arm, options.json);
  if (options.link_positions)
    return run_link_positions(options.log, *options.link_positions, loaded.arm, options.out, options.json);
  if (choice.payload) return run_payload(options, choice, loaded.arm);
  if (choice.estimator == "ekf") return run_joint_filter(options, choice, loaded.arm);
  const std::optional<OwnColumns> asked = own_columns(choice, loaded.arm);
  const std::unique_ptr<MeasuredLog> log = options.log.open(loaded.arm, choice.standing_joints);
  IdentifySettings settings = identify_settings(choice, loaded.arm, *log);
  MeanPeriod mean;
  if (periodic) mean = mean_period(*log, loaded.arm, choice.period, settings.processing);
  PassProgress progress(settings);
  settings.progress = [&progress](const std::string& step) { progress.begin(step); };
  const MotionSource source = progress.watched(periodic ? source_of(mean.block) : log->source());
  Identification r = options.log.placed([&] { return identify(loaded.arm, source, settings); });
  progress.clear();
  r.standing = log->standing();
  std::optional<OwnAnswer> own;
  if (asked) own = own_answer(r, *asked);
  if (own)
    for (const std::string& warning : own->warnings) warn(warning);
  r.arm.notes = fmt::format("Identified from {}. {}.", options.log.names(), describe(r.processing, r.step));
  if (options.out) {
    OutputFile file(*options.out);
    file.write(arm_yaml_for(r.arm, *options.out));
    file.commit();
  }
  if (options.covariance) write_text_file(*options.covariance, identified_spread_text(r));
  if (options.errors) {
    OutputFile file(*options.errors);
    write_log(r.prediction.log, file.stream(), file.name());
    file.commit();
  }
  const std::string page = options.page ? write_report(identify_report(r, options.log.names()), *options.page) : "";
  if (!options.json) print_notes(*log);
  if (!options.json && periodic) fmt::print("{}\n", wrapped(mean.sentence, 2));
  if (options.json) {
    print_json(Json::parse(identification_json(r, *log, own)));
  } else {
    print_people(r);
    if (own) print_own(own->parameters);
  }
  if (!options.json) print_worst_prediction(r);
  if (options.out && !options.json) fmt::print("\n  written: {}\n", *options.out);
  if (options.covariance && !options.json) fmt::print("  written: {}\n", *options.covariance);
  if (options.page && !options.json) fmt::print("  page: {}\n", page);
  return exit_done;
}

int run_identify(const IdentifyOptions& options) {
  try {
    return identified(options);
  } catch (const NotConverged& error) {
    complain(error.what());
    return exit_no;
  }
}

}  // namespace

void add_identify(CommandLine& line) {
  static IdentifyOptions options;
  Verb& verb =
      line.verb("identify", "identify an arm's inertia, rotors and friction from a log, with confidence intervals");
  options.arm.add_to(verb);
  add_mesh_options(verb);
  options.log.add_to(verb);
  options.settings.add_to(
      verb, [](Fields& f) { IdentifyChoice().own_fields(f); },
      {{"friction", {"LAW", {"choose", "none", "coulomb_viscous", "asymmetric", "stribeck", "three_sigmoid", "lugre",
                               "load_dependent"}}},
       {"link_weights", {"LIST"}},
       {"parameters", {"FILE"}},
       {"without", {"P4,P15"}},
       {"drive_gains", {"EMPTY.csv"}}});
  verb.option("-o,--out", "FILE", options.out, "write the identified arm as an arm file")
      .option("--covariance", "FILE", options.covariance,
              "write the covariance of the parameters (CSV), from which a campaign draws arms")
      .option("--page", "DIR", options.page, "folder for a page: parameters, friction, torques, residuals")
      .option("--errors", "FILE", options.errors, "write measured and predicted torques as a log (CSV)")
      .option("--link-positions", "q_link{}", options.link_positions,
              "columns of encoders behind the gears, {} the joint's number, the log's positions being the motors': the "
              "stiffness of all such joints, which -o writes into the arm")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "The arm file that is written is physically consistent; intervals are those of the unconstrained estimate. "
          "docs/identification.md explains every number.")
      .example("armature identify ur10 log.csv -o identified.yaml", "columns q1.., tau1.., perhaps v1..")
      .example("armature identify tx40 tx40.csv.xz --map map.yaml --from 3s -o identified.yaml",
               "motor-side data; the first three seconds are kept for validate")
      .example("armature identify robot.urdf run_2.csv run_3.csv --window 2.5s..20s -o identified.yaml",
               "two runs together; of each only the time that counts")
      .example("armature identify identified.yaml loaded.csv --payload", "what the tool carries in this log")
      .action([] { return run_identify(options); });
}

}  // namespace armature::app
