#include "armature/simulation/loop.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/characters.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::simulation {

namespace {

/// Writes one row per call into the log's channels, in the order in which they were added.
class Recorder {
 public:
  Recorder(const Plant& plant, const AnyController& controller, const LoopInputs& inputs)
      : plant_(plant), controller_(controller), inputs_(inputs) {
    for (const PlantQuantity& state : plant.state_names()) add(state.name, state.unit);
    add("energy_stored", "J");
    add("energy_error", "J");
    for (const Motor& motor : plant.description().motors) {
      const char* units[] = {"N m", "A", "V"};
      add("u_" + motor.name, units[static_cast<int>(motor.command)]);
      add("torque_" + motor.name, "N m");
    }
    joints("q", "_ref");
    joints("v", "_ref");
    joints("q", "_meas");
    joints("v", "_meas");
    joints("tau", "");
    joints("tau", "_ref");
    joints("tau", "_meas");
    joints("friction", "");
    if (plant.dof() > 0)
      for (const char* name : {"tool_x", "tool_y", "tool_z"}) add(name, "m");
    if (plant.dof() > 0)
      for (const char* name : {"tool_qw", "tool_qx", "tool_qy", "tool_qz"}) add(name, "");
    contact_ = !plant.description().walls.empty() || !plant.description().wrenches.empty();
    if (contact_)
      for (const std::string suffix : {"", "_meas"}) {
        for (const char* name : {"force_x", "force_y", "force_z"}) add(name + suffix, "N");
        for (const char* name : {"moment_x", "moment_y", "moment_z"}) add(name + suffix, "N m");
      }
    for (const Part& part : controller.parts())
      for (int i = 0; i < part.value.size(); ++i)
        add(part_name(part, i), part.is_torque() && i < plant.dof() ? torque_unit(i) : part.unit);
    for (const LoopInput& input : inputs.all()) add("input_" + input.name, input.unit);
    add("status", "");
  }

  /// Throws Error where the log of such a run is too large.
  void check_size(const LoopSettings& settings) const {
    if (static_cast<double>(rows_of(settings)) * static_cast<double>(log_.channels.size() + 1) > most_logged)
      refuse_size(settings);
  }
  void reserve(const LoopSettings& settings) try {
    const std::size_t rows = rows_of(settings);
    log_.time.reserve(rows);
    for (Channel& channel : log_.channels) channel.values.reserve(rows);
  } catch (const std::bad_alloc&) {
    refuse_size(settings);
  }

  /// `asked` are the torques of the law and of the inputs.
  void row(const Integrator& run, const Reference& r, const Reading& y, const VecX<double>& asked) {
    const Eigen::VectorXd& x = run.state();
    const double t = run.time();
    next_ = 0;
    log_.time.push_back(t);
    for (int i = 0; i < plant_.states(); ++i) put(x[i]);
    const PlantOutputs shown = plant_.outputs(t, x.data(), run.input().data(), run.modes());
    const double gained = x[plant_.states() - 2] - x[plant_.states() - 1];  // supplied less dissipated
    if (log_.time.size() == 1) stored_at_start_ = shown.stored - gained;
    put(shown.stored);
    put(stored_at_start_ + gained - shown.stored);
    for (int k = 0; k < plant_.inputs(); ++k) {
      put(run.input()[k]);
      put(plant_.motor_torque(k, x.data(), run.input().data()));
    }
    const int n = plant_.dof();
    const VecX<double> acting = plant_.drive_torque(x.data(), run.input().data(), run.modes());
    for (const VecX<double>* values : {&r.q, &r.qd, &y.q, &y.qd, &acting, &asked, &y.torque})
      for (int i = 0; i < n; ++i) put(i < values->size() ? (*values)[i] : std::nan(""));
    for (int i = 0; i < n; ++i) put(shown.friction[i]);
    if (n > 0) {
      const Quaternion turn = quaternion_from_rotation(shown.X_WT.R);
      for (int i = 0; i < 3; ++i) put(shown.X_WT.p[i]);
      for (int i = 0; i < 4; ++i) put(turn[i]);
    }
    if (contact_)
      for (const Vec6<double>* wrench : {&shown.wrench, &y.wrench})
        for (int i = 0; i < 6; ++i) put((*wrench)[i]);
    for (const Part& part : controller_.parts())
      for (const double value : part.value) put(value);
    for (const LoopInput& input : inputs_.all()) put(input.signal.at(t));
    put(controller_.status().bits());
  }

  Log& log() { return log_; }

 private:
  static std::size_t rows_of(const LoopSettings& settings) {
    return static_cast<std::size_t>(settings.duration / settings.tick / settings.log_every) + 2;
  }
  [[noreturn]] void refuse_size(const LoopSettings& settings) const {
    const auto rows = static_cast<double>(rows_of(settings)), channels = static_cast<double>(log_.channels.size() + 1);
    throw Error(fmt::format("a log of {:.3g} samples of {} channels needs {:.2g} GB of memory", rows, channels,
                            8e-9 * rows * channels),
                fmt::format("at most {:g} numbers, as many as fit: a longer run.tick, a higher run.log_every, or a "
                            "shorter run.duration",
                            most_logged));
  }
  void add(const std::string& name, const std::string& unit) {
    // said before the run, not when its log is written
    if (const std::string flaw = flaw_of_name(name, longest_channel_name); !flaw.empty())
      throw Error(fmt::format("the channel '{}' of the log has a name that {}", printable(name), flaw), name_hint);
    log_.add(name, unit);
  }
  void joints(const std::string& what, const std::string& suffix) {
    for (int i = 0; i < plant_.dof(); ++i) {
      const bool turns = plant_.description().arm->body(i).revolute;
      const std::string unit = what == "friction" || what == "tau"
                                   ? torque_unit(i)
                                   : std::string(turns ? "rad" : "m") + (what == "v" ? "/s" : "");
      add(what + std::to_string(i + 1) + suffix, unit);
    }
  }
  [[nodiscard]] std::string torque_unit(int joint) const {
    return plant_.description().arm->body(joint).revolute ? "N m" : "N";
  }
  /// "part_gravity2" is the controller's part 'gravity' at joint 2; one number alone carries no number.
  static std::string part_name(const Part& part, int i) {
    return "part_" + part.name + (part.value.size() > 1 || part.is_torque() ? std::to_string(i + 1) : "");
  }
  void put(double value) { log_.channels[next_++].values.push_back(value); }

  const Plant& plant_;
  const AnyController& controller_;
  const LoopInputs& inputs_;
  Log log_;
  std::size_t next_ = 0;
  double stored_at_start_ = 0;
  bool contact_ = false;
};

void check_diverged(const Plant& plant, const Eigen::VectorXd& start, const Integrator& run) {
  const auto check = [&](const auto& sizes, int first, double most, const char* what) {
    Eigen::Index i = 0;
    if (plant.dof() == 0 || sizes.maxCoeff(&i) <= most) return;
    throw Error(fmt::format("diverged at t = {:.6g} s: the {} of joint '{}' passes {:g} {}", run.time(), what,
                            plant.description().arm->joint(static_cast<int>(i)).name, most,
                            plant.state_names()[first + i].unit),
                diverged_hint);
  };
  const Eigen::VectorXd& x = run.state();
  check((x.head(plant.dof()) - start.head(plant.dof())).cwiseAbs(), 0, diverged_distance, "way");
  check(x.segment(plant.axes(), plant.dof()).cwiseAbs(), plant.axes(), diverged_speed, "speed");
}

void check_finite(const Eigen::VectorXd& command, const Plant& plant, double t) {
  for (Eigen::Index i = 0; i < command.size(); ++i)
    if (!std::isfinite(command[i]))
      throw Error(fmt::format("diverged at t = {:.6g} s: the command 'u_{}' stops being a finite number", t,
                              plant.description().motors[i].name),
                  "check the gains and the reference");
}

/// A law without tick: the command and the rates of its integrals at every instant, from the plant's state x and its own behind it.
struct ContinuousLaw {
  const Plant& plant;
  const Eigen::MatrixXd& to_command;
  AnyController& controller;
  const ReferenceSource& reference;
  const LoopSettings& settings;
  const Integrator& run;

  void operator()(double t, const double* x, double* u, double* rate) const {
    set_integrals(controller, x + plant.states());
    Measurement now;
    shown_at(settings.sensors.side, plant, x, now.q, now.qd);
    if (!plant.description().walls.empty() || !plant.description().wrenches.empty())
      now.wrench = plant.tool_wrench(t, x, run.modes());
    Reference wanted;
    reference(t, wanted);
    VecX<double> torque = VecX<double>::Zero(plant.dof());
    controller.update(now, wanted, 0, torque);
    settings.inputs.act_on(t, torque);
    Eigen::VectorXd fed = to_command * torque;
    settings.inputs.act_on(t, fed);
    Eigen::Map<Eigen::VectorXd>(u, plant.inputs()) = fed;
    controller.integrals([&rate](std::span<double>, std::span<const double> change) {
      rate = std::copy(change.begin(), change.end(), rate);
    });
  }
};

}  // namespace

void check_loop(const Plant& plant, const Eigen::MatrixXd& to_command, const AnyController& controller,
                const LoopSettings& s) {
  if (!(s.tick > 0) || !(s.duration > 0) || !(s.duration / s.tick <= most_ticks))
    throw Error(fmt::format("a run of {} s in ticks of {} s", s.duration, s.tick),
                fmt::format("both are positive, at most {:g} ticks", most_ticks));
  if (s.log_every < 1) throw Error(fmt::format("logging every {} ticks", s.log_every), "1 or more");
  if (to_command.rows() != plant.inputs() || to_command.cols() != plant.dof())
    throw Error("the map from joint torques to commands does not fit the plant",
                "one row per motor, one column per joint");
  (void)Integrator(plant, s.integrator);
  if (s.integrator.method < Method::dormand_prince && !(s.duration / s.integrator.step <= most_steps))
    throw Error(
        fmt::format("a run of {} s in steps of {} s", s.duration, s.integrator.step),
        fmt::format("at most {:g} steps: a longer run.step, a shorter run.duration, or run.method: cvode", most_steps));
  Recorder(plant, controller, s.inputs).check_size(s);
}

Log run_loop(const Plant& plant, const Eigen::MatrixXd& to_command, AnyController& controller,
             const ReferenceSource& reference, const Eigen::VectorXd& x0, const LoopSettings& settings) {
  check_loop(plant, to_command, controller, settings);
  Integrator run(plant, settings.integrator);
  Sensors sensors(plant, settings.sensors, settings.tick);
  Converter converter(plant.inputs(), settings.converter);
  Recorder recorder(plant, controller, settings.inputs);
  recorder.reserve(settings);
  Log& log = recorder.log();
  Reference r;
  Measurement y;
  VecX<double> tau = VecX<double>::Zero(plant.dof());
  Eigen::VectorXd command = Eigen::VectorXd::Zero(plant.inputs());
  const auto ticks = static_cast<long>(std::llround(settings.duration / settings.tick));
  const std::atomic<bool>* stop = settings.integrator.stop;
  std::size_t checkpoint = 0;

  const auto measure = [&](const Reading& reading) { y = {reading.q, reading.qd, reading.torque, reading.wrench}; };
  try {
    run.start(0, x0, command);
    reference(0, r);
    const Reading* reading = &sensors.read(0, run.state(), command, run.modes());
    measure(*reading);
    controller.reset(y);
    if (settings.continuous)
      run.set_input(ContinuousLaw{plant, to_command, controller, reference, settings, run}, integrals_of(controller));
    for (long k = 0; k <= ticks; ++k) {
      const double t = static_cast<double>(k) * settings.tick;
      reference(t, r);
      if (k > 0) check_diverged(plant, x0, run);
      if (settings.watch) settings.watch(run);
      if (k > 0) reading = &sensors.read(t, run.state(), run.input(), run.modes());
      measure(*reading);
      controller.update(y, r, settings.continuous ? 0 : settings.tick, tau);
      settings.inputs.act_on(t, tau);
      if (!settings.continuous) {  // else the integrator asks the law, which was called here for its parts alone
        command.noalias() = to_command.lazyProduct(tau);
        settings.inputs.act_on(t, command);
        check_finite(command, plant, t);
        run.set_input(converter.convert(command));
      }
      if (k % settings.log_every == 0) recorder.row(run, r, *reading, tau);
      if (k == ticks) break;
      if (stop && stop->load(std::memory_order_relaxed)) throw Error(stopped_at(t));
      if (checkpoint < settings.checkpoints.size() && settings.checkpoints[checkpoint] <= t) {
        ++checkpoint;
        run.start(run.time(), run.state(), run.input(), run.modes());
      }
      run.advance(static_cast<double>(k + 1) * settings.tick, log.events);
      if (settings.progress && k % std::max(1L, ticks / 100) == 0)
        settings.progress(static_cast<double>(k) / static_cast<double>(ticks));
    }
  } catch (const Error& error) {
    if (log.time.empty()) throw;  // nothing ran: the settings are wrong
    log.incomplete = error.finding();
    if (!error.hint().empty()) log.facts.emplace_back("hint", error.hint());
  }
  log.facts.emplace_back(integrator_fact, run.used());
  return std::move(log);
}

void LoopSettings::fields(Fields& f) {
  f.number("duration", duration, dimension::time, "simulated time", Range::positive);
  f.number("tick", tick, dimension::time, "sampling period of the controller", Range::positive);
  integrator.fields(f);
  f.integer("log_every", log_every, "ticks between logged samples", Range::positive);
  f.flag("accept_energy_error", accept_energy_error,
         "an energy balance off by more than 0.1 % of the work done is a warning, not a failure");
  f.numbers("checkpoints", checkpoints, dimension::time, "times at which the run can be split", 0, Range::not_negative);
}

}  // namespace armature::simulation
