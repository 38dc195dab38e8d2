// armature linearize: modes, damping and frequency responses of a machine about a state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/settings_yaml.hpp"
#include "armature/formats/table.hpp"
#include "armature/report/linearization_report.hpp"
#include "armature/simulation/reduced_drive.hpp"
#include "armature/simulation/sensitivity.hpp"
#include "json_out.hpp"
#include "linearize_observer.hpp"
#include "linearize_text.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "scenario_options.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct LinearizeOptions {
  ScenarioOptions scenario;
  std::optional<std::string> input, output, from, to, bode, page, reduce, reduce_drives, method, model, two_inertias,
      observer;
  bool json = false, sensitivity = false, sampled = false, limit_cycles = false;
};

/// What is called as a log calls it: the torque asked of a joint, and what is measured of it.
int joint_called(const std::string& name, const std::string& before, const std::string& after, int joints) {
  for (int i = 1; i <= joints; ++i)
    if (name == fmt::format("{}{}{}", before, i, after)) return i;
  return 0;
}

/// How a response begins and ends.
struct ResponsePath {
  std::string input, output;
  Eigen::VectorXd b, C;  // combination of the motors' commands; of the states
};

std::size_t index_of(const std::vector<std::string>& names, const std::string& name, const char* what) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  throw Error(fmt::format("there is no {} '{}'", what, printable(name)), suggestion(name, names));
}

/// What one percent more of a parameter does.
struct Sensitivity {
  PlantParameter parameter;
  std::vector<std::complex<double>> eigenvalue;  // d eigenvalue / d ln p, a mode each
  double loudest = 0, at = 0;                    // largest change of |response| [dB per percent], and where [Hz]
};

/// d ln frequency / d ln p of each mode, and d damping / d ln p.
std::pair<double, double> relative(const Mode& mode, const std::complex<double>& slope) {
  const double size = std::abs(mode.eigenvalue);
  const double frequency = (std::conj(mode.eigenvalue) * slope).real() / (size * size);
  return {frequency, -slope.real() / size - mode.damping * frequency};
}

/// One column a mode that swings: percent of its frequency, and of critical damping, per percent of the parameter.
std::string sensitivity_table(const std::vector<Mode>& modes, const std::vector<Sensitivity>& all, bool responds) {
  std::vector<std::string> header{"parameter", "value"};
  for (const Mode& mode : modes)
    if (mode.eigenvalue.imag() > 0) header.push_back(fmt::format("{:.4g} Hz", mode.frequency));
  if (responds) header.insert(header.end(), {"response", "at"});
  std::vector<std::vector<std::string>> rows;
  for (const Sensitivity& s : all) {
    std::vector<std::string> row{s.parameter.name, fmt::format("{:.4g} {}", s.parameter.value, s.parameter.unit)};
    for (std::size_t k = 0; k < modes.size(); ++k)
      if (modes[k].eigenvalue.imag() > 0) {
        const auto [frequency, damping] = relative(modes[k], s.eigenvalue[k]);
        row.push_back(fmt::format("{:+.3f} % {:+.4f}", frequency, 0.01 * damping));
      }
    if (responds) {
      row.push_back(fmt::format("{:+.3f} dB", s.loudest));
      row.push_back(fmt::format("{:.4g} Hz", s.at));
    }
    rows.push_back(std::move(row));
  }
  return text_table(header, rows);
}

ResponsePath path_of(const LinearizeOptions& options, const Experiment& e, const LinearPlant& linear,
                     const std::vector<std::string>& inputs, const std::vector<std::string>& states) {
  const int n = e.plant.dof();
  ResponsePath path{options.input.value_or(inputs.front()), options.output.value_or(states.front()), {}, {}};
  if (const int joint = joint_called(path.input, "tau", "_ref", n); joint > 0)
    path.b = e.composition.to_command.col(joint - 1);
  else
    path.b = Eigen::VectorXd::Unit(e.plant.inputs(), static_cast<Eigen::Index>(index_of(inputs, path.input, "motor")));
  if (const int joint = joint_called(path.output, "q", "_meas", n); joint > 0) {
    path.C = Eigen::VectorXd::Zero(linear.A.rows());
    for (Eigen::Index k = 0; k < linear.A.rows(); ++k) {
      const Eigen::VectorXd x = Eigen::VectorXd::Unit(e.plant.states(), k);
      VecX<double> q, qd;
      shown_at(e.loop.sensors.side, e.plant, x.data(), q, qd);
      path.C[k] = q[joint - 1];
    }
  } else {
    path.C = Eigen::VectorXd::Unit(linear.A.rows(), static_cast<Eigen::Index>(index_of(states, path.output, "state")));
  }
  return path;
}

/// With the hold of the tick and the delays of sensors and converter, where it is sampled.
std::vector<std::complex<double>> response_along(const ResponsePath& path, const LinearPlant& linear,
                                                 const LoopSettings& loop, bool sampled,
                                                 const std::vector<double>& frequencies) {
  if (!sampled) return frequency_response(linear, linear.B * path.b, path.C, frequencies);
  std::vector<std::complex<double>> response = frequency_response(held(linear, loop.tick), path.b, path.C, frequencies);
  const double delay = (loop.sensors.delay + loop.converter.delay) * loop.tick;
  for (std::size_t i = 0; i < frequencies.size(); ++i) response[i] *= std::polar(1.0, -2 * pi * frequencies[i] * delay);
  return response;
}

bool unstable(const std::vector<Mode>& modes) {
  return std::any_of(modes.begin(), modes.end(),
                     [](const Mode& m) { return m.eigenvalue.real() > 1e-9 * (1 + std::abs(m.eigenvalue)); });
}

/// The same beyond what rounding makes of a body that turns freely, whose two eigenvalues are both zero.
bool grows(const std::vector<Mode>& modes) {
  double fastest = 0;
  for (const Mode& m : modes) fastest = std::max(fastest, std::abs(m.eigenvalue));
  return std::any_of(modes.begin(), modes.end(), [&](const Mode& m) { return m.eigenvalue.real() > 1e-6 * fastest; });
}

/// What nothing reaches cannot be compared.
void refuse_silence(const std::vector<std::complex<double>>& response) {
  if (std::any_of(response.begin(), response.end(), [](const auto& value) { return !(std::abs(value) > 0); }))
    throw Error(
        "the motor does not reach this state about the start",
        "another --input or --output; teeth with play stand apart at the start: leave drive.backlash out of the arm");
}

int order_of(const char* option, const std::string& text, Eigen::Index most) {
  const double order = parse_option(option, text, dimension::none, 0);
  if (!(order >= 1 && order <= static_cast<double>(most) && order == std::floor(order)))
    throw Error(fmt::format("{} {}", option, printable(text)), fmt::format("an order from 1 to {}", most));
  return static_cast<int>(order);
}

Reduction method_of(const LinearizeOptions& options) {
  const std::vector<std::string> methods{"modal", "balanced"};
  return static_cast<Reduction>(index_of(methods, options.method.value_or("balanced"), "method"));
}

/// The channel from a motor to a state, by fewer states.
ReducedAnswer reduce(const LinearizeOptions& options, const LinearPlant& linear, std::size_t in, std::size_t out,
                     const std::vector<double>& frequencies, const std::vector<std::complex<double>>& response) {
  if (linear.B.cols() == 0) throw Error("this machine has no motor to excite", "every joint is passive");
  const int order = order_of("--reduce", *options.reduce, linear.A.rows());
  const Reduction method = method_of(options);
  refuse_silence(response);
  StateSpace whole{linear.A, linear.B.col(in), Eigen::MatrixXd::Zero(1, linear.A.rows()), Eigen::MatrixXd::Zero(1, 1)};
  whole.C(0, static_cast<Eigen::Index>(out)) = 1;
  ReducedAnswer answer = compare(whole, reduced(whole, order, method), frequencies);
  answer.method = method;
  return answer;
}

/// A response from motor to state that a smaller plant is to keep.
struct WholeResponse {
  std::string motor, state;
  std::size_t in = 0;  // the motor
  std::vector<double> frequencies;
  std::vector<std::complex<double>> response;
};

/// Says how far the same plant with fewer states keeps it. Throws Error where it is unstable and the whole one is not.
std::string kept_by(const LoadedScenario& small, const WholeResponse& whole, bool whole_grows) {
  Experiment e = build(small);
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(e.plant.inputs());
  const LinearPlant linear = linearize(e.plant, 0, e.start, u, e.plant.modes_at(0, e.start, u.data()));
  if (!whole_grows && grows(modes_of(linear)))
    throw Error("with so few states the machine is unstable, which it is not", "a state more, or the other --method");
  std::vector<std::string> states;
  for (const PlantQuantity& one : linear.states) states.push_back(one.name);
  const Eigen::VectorXd C = Eigen::VectorXd::Unit(
      linear.A.rows(), static_cast<Eigen::Index>(index_of(states, whole.state, "state of the small machine")));
  const auto smaller =
      frequency_response(linear, linear.B.col(static_cast<Eigen::Index>(whole.in)), C, whole.frequencies);
  double up_to = 0, worst = 0;
  for (std::size_t i = 0; i < whole.frequencies.size(); ++i) {
    worst = std::max(worst, std::abs(20 * std::log10(std::abs(smaller[i] / whole.response[i]))));
    if (worst < 1) up_to = whole.frequencies[i];
  }
  return fmt::format("  Motor '{}' to state '{}': within 1 dB up to {} Hz, {} dB at most up to {} Hz.\n", whole.motor,
                     whole.state, short_text(up_to), short_text(worst), short_text(whole.frequencies.back()));
}

/// Every elastic drive of the arm as a linear model of fewer states.
std::vector<ReducedDriveAnswer> reduce_drives(const LinearizeOptions& options, const LoadedScenario& loaded,
                                              const std::vector<double>& frequencies) {
  if (loaded.scenario.plant.drives != ComposeOptions::Drives::elastic)
    throw Error("the scenario's drives are not elastic: there is nothing to reduce", "plant.drives: elastic");
  if (!loaded.scenario.plant.reduced.empty())
    throw Error("the scenario's drives are reduced already", "the scenario without plant.reduced");
  std::vector<ReducedDriveAnswer> all;
  for (int joint = 0; joint < loaded.arm.dof(); ++joint) {
    if (!loaded.arm.joint(joint).drive.stiffness) continue;
    const StateSpace drive = drive_model(loaded.arm, joint, loaded.scenario.plant);
    ReducedDriveAnswer answer{
        joint, loaded.arm.joint(joint).name, static_cast<int>(drive.A.rows()),
        reduced_drive(drive, order_of("--reduce-drives", *options.reduce_drives, drive.A.rows()), method_of(options)),
        Eigen::Vector2d::Zero()};
    for (Eigen::Index in = 0; in < 2; ++in) {
      const auto before = frequency_response(drive, in, 0, frequencies),
                 after = frequency_response(answer.reduction.model.system, in, 0, frequencies);
      for (std::size_t i = 0; i < frequencies.size(); ++i)
        answer.error[in] = std::max(answer.error[in], std::abs(after[i] - before[i]) / answer.reduction.peak[in]);
    }
    all.push_back(std::move(answer));
  }
  return all;
}

/// Writes the block `plant` with the reduced drives, and says what they keep.
std::string write_reduced_drives(const LinearizeOptions& options, const LoadedScenario& loaded,
                                 const std::vector<ReducedDriveAnswer>& drives, const WholeResponse& whole,
                                 bool whole_grows) {
  LoadedScenario small = loaded;
  for (const ReducedDriveAnswer& drive : drives)
    small.scenario.plant.reduced.push_back(as_setting(drive.reduction.model.system, drive.joint));
  std::string said = kept_by(small, whole, whole_grows);
  if (!options.model) return said;
  JointKinds kinds;
  for (int i = 0; i < loaded.arm.dof(); ++i) kinds.push_back(!loaded.arm.body(i).revolute);
  OutputFile file(*options.model);
  file.write(write_settings(kinds, [plant = small.scenario.plant](Fields& f) mutable { f.group("plant", plant, ""); }));
  file.commit();
  return said + fmt::format("\n  written: {0}; armature simulate SCENARIO --with {0} runs it\n", *options.model);
}

/// Writes the arm whose elastic drives have two inertias, and says what that changes between motor and state.
std::string write_two_inertias(const LinearizeOptions& options, const LoadedScenario& loaded, const Experiment& before,
                               const WholeResponse& whole, bool whole_grows) {
  LoadedScenario small = loaded;
  small.arm = with_two_inertia_drives(loaded.arm, VecX<double>(before.start.head(loaded.arm.dof())));
  if (small.arm.description() == loaded.arm.description())
    throw Error("no drive of this arm has a tachometer or a gear on a shaft of its own",
                "drives of rotor, spring and joint have two inertias already");
  if (loaded.scenario.plant.drives != ComposeOptions::Drives::elastic)
    throw Error("the scenario's drives are not elastic: there is nothing to reduce", "plant.drives: elastic");
  refuse_silence(whole.response);
  const std::string said = kept_by(small, whole, whole_grows);
  OutputFile file(*options.two_inertias);
  file.write(write_arm_yaml(small.arm.description()));
  file.commit();
  return fmt::format("\n  written: {}, the arm with drives of two inertias: {} states, {} before\n",
                     *options.two_inertias, build(small).plant.states() - 2, before.plant.states() - 2) +
         said;
}

/// Lines from --from to --to, each as much higher than the one before; what is sampled ends below the Nyquist frequency.
std::vector<double> lines_of(const LinearizeOptions& options, double default_from, double default_to,
                             double nyquist = INFINITY) {
  const double from = parse_option("--from", options.from, dimension::rate, default_from);
  const double to = parse_option("--to", options.to, dimension::rate, default_to);
  if (!(to < nyquist))
    throw Error(fmt::format("--to is {:g} Hz", to),
                fmt::format("a sampled response ends at the Nyquist frequency of run.tick, {:g} Hz", nyquist));
  if (!(from > 0 && to > from))
    throw Error("the frequencies do not go up from above zero", "for example --from 0.1Hz --to 1kHz");
  std::vector<double> frequencies;
  for (int i = 0; i <= 400; ++i) frequencies.push_back(from * std::pow(to / from, i / 400.0));
  return frequencies;
}

/// All that is found of a plant about its initial state, as far as it was asked for.
struct Linearization {
  LinearPlant plant;
  std::vector<Mode> modes;
  std::vector<std::string> states, inputs;
  ResponsePath path;
  std::vector<double> frequencies;
  std::vector<std::complex<double>> response;  // none without a motor
  std::vector<Sensitivity> sensitivities;
  std::optional<LoopBalance> balance;
  std::optional<ReducedAnswer> smaller;
  std::vector<ReducedDriveAnswer> drives;
  std::string kept;  // what is said of arms that were written
};

/// What a little more of each parameter does to modes and response.
std::vector<Sensitivity> sensitivities_of(const Experiment& e, const Linearization& l, const Eigen::VectorXd& u,
                                          const Modes& modes) {
  std::vector<Sensitivity> sensitivities;
  for (PlantParameter& parameter : parameters_of(e.plant.description())) {
    const LinearSlope change = slope(parameter, 0, e.start, u, modes);
    Sensitivity s{std::move(parameter), eigenvalue_slopes(l.plant, change)};
    if (!l.inputs.empty()) {
      const std::size_t in = index_of(l.inputs, l.path.input, "motor");
      const auto slopes = response_slopes(l.plant, change, static_cast<Eigen::Index>(in), l.path.C, l.frequencies);
      for (std::size_t i = 0; i < l.frequencies.size(); ++i) {
        if (!(std::abs(l.response[i]) > 0)) continue;  // nothing arrives there
        const double decibel = 0.2 / std::log(10.0) * (slopes[i] / l.response[i]).real();
        if (std::abs(decibel) > std::abs(s.loudest)) {
          s.loudest = decibel;
          s.at = l.frequencies[i];
        }
      }
    }
    sensitivities.push_back(std::move(s));
  }
  return sensitivities;
}

/// Models of fewer states: of the whole plant, of its drives, and the arm with drives of two inertias.
void find_smaller(const LinearizeOptions& options, const LoadedScenario& loaded, const Experiment& e,
                  Linearization& l) {
  const bool fewer_states = options.reduce || options.reduce_drives || options.two_inertias;
  if (fewer_states && options.sampled)
    throw Error("--sampled goes with none of --reduce, --reduce-drives and --two-inertias",
                "they compare continuous responses");
  const std::size_t in = fewer_states && !l.inputs.empty() ? index_of(l.inputs, l.path.input, "motor") : 0,
                    out = fewer_states && !l.inputs.empty() ? index_of(l.states, l.path.output, "state") : 0;
  if (options.reduce) {
    l.smaller = reduce(options, l.plant, in, out, l.frequencies, l.response);
    l.smaller->channel = fmt::format("motor '{}' to state '{}'", l.inputs[in], l.states[out]);
  }
  if (options.model && !l.smaller && !options.reduce_drives)
    throw Error("--model writes a reduced model, and none is asked for", "add --reduce ORDER or --reduce-drives ORDER");
  if (options.model && l.smaller) {
    if (options.reduce_drives)
      throw Error("--model is one file, and two models are asked for", "--reduce or --reduce-drives");
    OutputFile file(*options.model);
    file.write(reduced_json(*l.smaller).dump(1) + "\n");
    file.commit();
  }
  if (options.reduce_drives || options.two_inertias) {
    if (l.inputs.empty()) throw Error("this machine has no motor to excite", "every joint is passive");
    const WholeResponse whole{l.inputs[in], l.states[out], in, l.frequencies, l.response};
    if (options.reduce_drives) {
      l.drives = reduce_drives(options, loaded, l.frequencies);
      l.kept += reduced_drives_text(l.drives, method_of(options)) +
                write_reduced_drives(options, loaded, l.drives, whole, grows(l.modes));
    }
    if (options.two_inertias) l.kept += write_two_inertias(options, loaded, e, whole, grows(l.modes));
  }
}

void write_bode(const std::string& name, const Linearization& l) {
  OutputFile file(name);
  file.write("frequency,re,im,magnitude_db,phase_deg\n");
  for (std::size_t i = 0; i < l.frequencies.size(); ++i)
    file.write(fmt::format("{},{},{},{},{}\n", l.frequencies[i], l.response[i].real(), l.response[i].imag(),
                           20 * std::log10(std::abs(l.response[i])), std::arg(l.response[i]) / deg));
  file.write(fmt::format("# input: {}{}\n# output: {}\n", printable(l.path.input),
                         l.path.input.starts_with("tau") ? " [N m]" : "", printable(l.path.output)));
  file.commit();
}

Json linearization_json(const std::string& scenario, const LinearizeOptions& options, const Linearization& l) {
  Json answer{{"scenario", scenario}, {"states", l.states}, {"inputs", l.inputs}, {"modes", Json::array()}};
  for (const Mode& mode : l.modes)
    answer["modes"].push_back({{"re", mode.eigenvalue.real()},
                               {"im", mode.eigenvalue.imag()},
                               {"frequency", mode.frequency},
                               {"damping", mode.damping}});
  for (const Sensitivity& s : l.sensitivities) {
    Json one{{"parameter", s.parameter.name}, {"value", s.parameter.value}, {"unit", s.parameter.unit}};
    one["eigenvalue_slopes"] = Json::array();
    for (const auto& slope : s.eigenvalue)
      one["eigenvalue_slopes"].push_back({{"re", slope.real()}, {"im", slope.imag()}});
    one["response_db_per_percent"] = s.loudest;
    one["response_at"] = s.at;
    answer["sensitivities"].push_back(std::move(one));
  }
  if (l.balance) answer["limit_cycles"] = limit_cycle_json(*l.balance);
  if (l.smaller) answer["reduced"] = reduced_json(*l.smaller);
  if (!l.drives.empty()) answer["reduced_drives"] = reduced_drives_json(l.drives, method_of(options));
  answer["A"] = json_of(l.plant.A);
  answer["B"] = json_of(l.plant.B);
  return answer;
}

void print_linearization(const std::string& scenario, const LinearizeOptions& options, const Linearization& l) {
  fmt::print("{} linearized at its initial state: {} states, {} {}\n\n", scenario, l.states.size(), l.inputs.size(),
             l.inputs.size() == 1 ? "input" : "inputs");
  std::vector<std::vector<std::string>> rows;
  double fastest = 0;
  for (const Mode& mode : l.modes) fastest = std::max(fastest, std::abs(mode.eigenvalue));
  for (const Mode& mode : l.modes) {
    if (std::abs(mode.eigenvalue) <= 1e-12 * fastest) {  // zero, but for rounding: a joint that nothing holds
      rows.push_back({"0", "", "0", "-"});
      continue;
    }
    rows.push_back({short_text(mode.eigenvalue.real()),
                    mode.eigenvalue.imag() > 0 ? short_text(mode.eigenvalue.imag()) : "", short_text(mode.frequency),
                    short_text(mode.damping)});
  }
  fmt::print("{}", text_table({"Re 1/s", "Im 1/s", "Hz", "damping"}, rows));
  if (options.sensitivity)
    fmt::print(
        "\nOne percent more of each parameter: change of a mode's frequency, of its damping ratio, and the largest "
        "change\n"
        "of the response from motor to state\n\n{}",
        sensitivity_table(l.modes, l.sensitivities, !l.inputs.empty()));
  if (l.balance) fmt::print("{}", limit_cycle_text(*l.balance));
  if (l.smaller) fmt::print("{}", reduced_text(*l.smaller));
  fmt::print("{}", l.kept);
  if (unstable(l.modes)) fmt::print("\n  The plant alone, without its controller, is unstable at this state.\n");
}

int run_linearize(const LinearizeOptions& options) {
  const LoadedScenario loaded = options.scenario.load();
  if (options.observer) {
    const double half = 0.5 / loaded.scenario.run.tick;
    return show_observer(loaded, *options.observer, lines_of(options, 1e-4 * half, 0.99 * half, half), options.bode,
                         options.page, options.json);
  }
  Experiment e = build(loaded);
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(e.plant.inputs());
  const Modes modes = e.plant.modes_at(0, e.start, u.data());
  Linearization l{linearize(e.plant, 0, e.start, u, modes)};
  l.modes = modes_of(l.plant);
  for (const PlantQuantity& state : l.plant.states) l.states.push_back(state.name);
  for (const Motor& motor : e.plant.description().motors) l.inputs.push_back(motor.name);
  if (!l.inputs.empty()) l.path = path_of(options, e, l.plant, l.inputs, l.states);
  const double nyquist = 0.5 / e.loop.tick;
  l.frequencies = options.sampled ? lines_of(options, 0.1, 0.99 * nyquist, nyquist) : lines_of(options, 0.1, 1000);
  if (!l.inputs.empty()) l.response = response_along(l.path, l.plant, e.loop, options.sampled, l.frequencies);
  if (options.sensitivity) l.sensitivities = sensitivities_of(e, l, u, modes);
  if (options.limit_cycles) l.balance = balance_of(loaded, e);
  find_smaller(options, loaded, e, l);
  if (options.bode) {
    if (l.inputs.empty()) throw Error("this machine has no motor to excite", "every joint is passive");
    write_bode(*options.bode, l);
  }
  std::string page;
  if (options.page) {
    std::vector<Spectrum> responses;
    if (!l.response.empty())
      responses.push_back({fmt::format("{} to {}", l.path.input, l.path.output),
                           l.path.input,
                           l.path.output,
                           "",
                           l.frequencies,
                           l.response,
                           {}});
    page = write_report(linearization_report(loaded.scenario.scenario, l.modes, std::move(responses)), *options.page);
  }
  if (options.json) {
    print_json(linearization_json(loaded.scenario.scenario, options, l));
    return exit_done;
  }
  print_linearization(loaded.scenario.scenario, options, l);
  if (options.bode)
    fmt::print("\n  written: {}, the response from motor '{}' to state '{}'\n", *options.bode, l.path.input,
               l.path.output);
  else if (!l.inputs.empty())
    fmt::print("\n  --bode FILE writes the response from motor '{}' to state '{}'.\n", l.path.input, l.path.output);
  if (options.page) fmt::print("  page: {}\n", page);
  return exit_done;
}

}  // namespace

void add_linearize(CommandLine& line) {
  static LinearizeOptions options;
  Verb& verb =
      line.verb("linearize", "linearize a scenario's plant at its initial state: modes, damping, frequency response");
  options.scenario.add_to(verb);
  verb.option("--input", "MOTOR", options.input,
              "motor that excites the plant, or the torque of a joint as a log calls it, tau1_ref (default: the first)")
      .option("--output", "STATE", options.output,
              "state that responds, or what is measured of a joint, q1_meas (default: the first joint's position)")
      .option("--from", "FREQUENCY", options.from, "lowest frequency (default 0.1 Hz)")
      .option("--to", "FREQUENCY", options.to, "highest frequency (default 1 kHz)")
      .option("--bode", "FILE", options.bode, "write the frequency response as CSV")
      .option("--page", "DIR", options.page, "folder for a page with poles and Bode plot")
      .flag("--sampled", options.sampled,
            "the response from tick to tick, with the hold and the delays: what frf estimates from a log")
      .flag("--sensitivity", options.sensitivity, "sensitivity of modes and response to each parameter")
      .flag("--limit-cycles", options.limit_cycles,
            "limit cycles that backlash and dry friction sustain in the loop, from their describing functions")
      .option("--reduce", "ORDER", options.reduce, "reduce the model from motor to state to this many states")
      .option("--reduce-drives", "ORDER", options.reduce_drives,
              "reduce every elastic drive, from command and speed to torque, to this many states")
      .option("--method", "NAME", options.method, "of reduction: balanced (default) or modal")
      .option("--model", "FILE", options.model,
              "write the reduced model: of --reduce as JSON (A, B, C, D and its errors), of --reduce-drives as a block "
              "that simulate --with takes")
      .option("--two-inertias", "ARM.yaml", options.two_inertias,
              "write the arm with two-inertia drives (rotor, spring, joint) that keep the lowest resonance of each")
      .option("--observer", "JOINT", options.observer,
              "instead of the plant, the Kalman observer of the scenario's controller at this joint, from what is "
              "measured to what it reconstructs")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .example("armature linearize scenarios/rrr_observer_and_guard.yaml --observer 1 --bode observer.csv",
               "Bode data of an observer")
      .example("armature linearize scenarios/rrr_pd_step.yaml --bode bode.csv --output q2 --input shoulder",
               "Bode data of the shoulder")
      .action([] { return run_linearize(options); });
}

}  // namespace armature::app
