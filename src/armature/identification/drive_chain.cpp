#include "armature/identification/drive_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::identification {

namespace {

constexpr double convincing = 10;  // difference of the criterion, [Kass1995]: "very strong"

void add(std::optional<double>& to, std::optional<double>& from) {
  if (from) to = to.value_or(0) + *from;
  from.reset();
}

/// A spring that makes `inertia` swing against `rest`, lightly damped.
void tie(double inertia, double rest, double frequency, std::optional<double>& stiffness,
         std::optional<double>& damping) {
  const double together = inertia * rest / (inertia + rest), w = 2 * pi * frequency;
  stiffness = together * w * w;
  damping = 0.1 * together * w;
}

/// Those settings whose names the model knows: shorter chains have fewer parameters.
DriveFitSettings known_to(const DriveModel& model, DriveFitSettings settings) {
  for (auto* names : {&settings.free, &settings.held})
    std::erase_if(*names, [&](const std::string& name) {
      return std::none_of(model.parameters().begin(), model.parameters().end(),
                          [&](const DriveParameter& p) { return p.name == name; });
    });
  return settings;
}

/// The drive with the same numbers given as in another of its shape: those that only it has go, those that it lacks come.
Drive in_words_of(Drive drive, const Drive& other) {
  for (const auto number : {&Drive::tachometer_damping, &Drive::tachometer_viscous, &Drive::coupling_damping,
                            &Drive::gear_viscous, &Drive::rotor_viscous, &Drive::rotor_coulomb})
    if ((drive.*number).has_value() != (other.*number).has_value()) drive.*number = other.*number;
  return drive;
}

struct ChainCandidate {
  ChainShape shape;
  ArmDescription described;  // where its fit started
  ArmDescription fitted;
  ResponseFit fit;
};

}  // namespace

ChainShape shape_of(const Drive& drive) {
  return {drive.tachometer_stiffness.has_value(), drive.coupling_stiffness.has_value()};
}

std::string to_string(const ChainShape& shape) {
  return fmt::format("{}rotor{} - load", shape.tachometer ? "tachometer - " : "", shape.coupling ? " - gear" : "");
}

Drive reshaped(Drive d, const ChainShape& shape, double frequency) {
  const ChainShape before = shape_of(d);
  if (before.tachometer && !shape.tachometer) {
    add(d.rotor_inertia, d.tachometer_inertia);
    add(d.rotor_viscous, d.tachometer_viscous);
    d.tachometer_stiffness.reset();
    d.tachometer_damping.reset();
  }
  if (before.coupling && !shape.coupling) {
    add(d.rotor_inertia, d.gear_inertia);
    add(d.rotor_viscous, d.gear_viscous);
    d.coupling_stiffness.reset();
    d.coupling_damping.reset();
  }
  const double all = shaft_inertia(d);
  if (shape.tachometer && !before.tachometer) {
    if (!d.tachometer_inertia) {
      d.tachometer_inertia = 0.3 * *d.rotor_inertia;
      *d.rotor_inertia *= 0.7;
    }
    tie(*d.tachometer_inertia, all - *d.tachometer_inertia, frequency, d.tachometer_stiffness, d.tachometer_damping);
  }
  if (shape.coupling && !before.coupling) {
    if (!d.gear_inertia) {
      d.gear_inertia = 0.5 * *d.rotor_inertia;
      *d.rotor_inertia *= 0.5;
    }
    tie(*d.gear_inertia, all - *d.gear_inertia, frequency, d.coupling_stiffness, d.coupling_damping);
  }
  return d;
}

std::size_t ChainChoice::best() const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < trials.size(); ++k)
    if (trials[k].criterion < trials[best].criterion - convincing) best = k;
  return best;
}

namespace {

/// Where a chain of this shape is fitted from: as it is described, and from the best shorter one with a resonance more, at frequencies
/// between `low` and `high`.
std::vector<ArmDescription> chain_starts(const ArmDescription& described_arm, std::size_t place,
                                         const ChainShape& shape, const ChainCandidate* shorter, double low,
                                         double high) {
  std::vector<ArmDescription> starts;
  ArmDescription own = described_arm;
  const Drive described = own.joints[place].drive;
  if (shape == shape_of(described) || shape.inertias() == 2) {
    own.joints[place].drive = reshaped(described, shape, 0);
    starts.push_back(own);
  }
  constexpr int frequencies = 8;  // within the lines, evenly in their logarithm, the lowest tenth left out
  for (int f = 0; f < frequencies && shorter; ++f) {
    ArmDescription start = shorter->fitted;
    if ((shorter->shape.tachometer && !shape.tachometer) || (shorter->shape.coupling && !shape.coupling)) break;
    const double share = 0.1 + 0.9 * (f + 0.5) / frequencies;
    start.joints[place].drive = reshaped(start.joints[place].drive, shape, low * std::pow(high / low, share));
    if (shape == shape_of(described)) start.joints[place].drive = in_words_of(start.joints[place].drive, described);
    starts.push_back(start);
  }
  return starts;
}

std::vector<std::string> parameter_names(const DriveModel& model) {
  std::vector<std::string> names;
  for (const DriveParameter& p : model.parameters()) names.push_back(p.name);
  return names;
}

}  // namespace

ChainChoice choose_chain(const Arm& arm, int joint, const VecX<double>& q, const ComposeOptions& options,
                         const std::vector<DriveFrf>& responses, const DriveFitSettings& settings,
                         std::optional<int> inertias) {
  if (responses.empty())
    throw Error("how many inertias a drive has shows in frequency responses, and there is none",
                "give --frf, or describe the chain in the arm's file and leave --inertias out");
  const int most = inertias.value_or(4);
  if (most < 2 || most > 4)
    throw Error(fmt::format("a chain of {} inertias", most), "2, 3 or 4: rotor, load, gear's input, tachometer");
  double low = INFINITY, high = 0;
  for (const DriveFrf& frf : responses) {
    low = std::min(low, frf.frequency.front());
    high = std::max(high, frf.frequency.back());
  }

  std::size_t place = 0;
  for (int moving = -1; place < arm.description().joints.size(); ++place)
    if (arm.description().joints[place].type != JointType::fixed && ++moving == joint) break;
  const auto fitted = [&](const ArmDescription& start, const ChainShape& shape, int iterations) {
    const DriveModel model(Arm(start), joint, q, options);
    ResponseFit fit = fit_responses(model, responses, known_to(model, settings), iterations);
    return ChainCandidate{shape, start, model.arm(fit.values), fit};
  };
  const auto better = [](const ChainCandidate& a, const std::optional<ChainCandidate>& b) {
    return !b || a.fit.rms < b->fit.rms;
  };

  std::vector<ChainCandidate> chain;  // the best of each length
  for (int length = 2; length <= most; ++length) {
    if (settings.progress) settings.progress(fmt::format("chains of {} inertias", length));
    std::optional<ChainCandidate> best;
    for (const ChainShape shape : {ChainShape{false, false}, {false, true}, {true, false}, {true, true}}) {
      if (shape.inertias() != length) continue;
      for (const ArmDescription& start :
           chain_starts(arm.description(), place, shape, chain.empty() ? nullptr : &chain.back(), low, high))
        if (ChainCandidate c = fitted(start, shape, 25); better(c, best)) best = std::move(c);
    }
    if (best) {  // to the end
      ChainCandidate more = fitted(best->fitted, best->shape, 60);
      if (more.fit.rms < best->fit.rms) {
        best->fitted = more.fitted;
        best->fit = more.fit;
      }
      chain.push_back(std::move(*best));
    }
  }

  ChainChoice choice;
  for (const ChainCandidate& c : chain)
    choice.trials.push_back({c.shape, c.fit.parameters, c.fit.rms, c.fit.information_criterion()});
  choice.asked = inertias.has_value();
  choice.chosen = choice.asked ? chain.size() - 1 : choice.best();
  const ChainCandidate& taken = chain[choice.chosen];
  const bool same = parameter_names(DriveModel(Arm(taken.described), joint, q, options)) ==
                    parameter_names(DriveModel(arm, joint, q, options));
  choice.arm = same ? arm.description() : taken.described;
  choice.values = taken.fit.values;
  return choice;
}

std::vector<std::string> sentences(const ChainChoice& choice) {
  const ChainTrial &taken = choice.trials[choice.chosen], &best = choice.trials[choice.best()];
  std::vector<std::string> said;
  if (choice.best() < choice.chosen)
    said.push_back(
        fmt::format("A chain of {} inertias is not supported by the responses: {} leaves a residual of {:.3g}, {} one "
                    "of {:.3g}, and "
                    "its {} more parameters are not worth that (information criterion {:.0f} against {:.0f}).",
                    taken.shape.inertias(), to_string(taken.shape), taken.rms, to_string(best.shape), best.rms,
                    taken.parameters - best.parameters, taken.criterion, best.criterion));
  else
    said.push_back(fmt::format("{} inertias, {}, are what the responses support{}.", taken.shape.inertias(),
                               to_string(taken.shape),
                               choice.chosen > 0 ? fmt::format(": one fewer leaves a residual of {:.3g}, these {:.3g}",
                                                               choice.trials[choice.chosen - 1].rms, taken.rms)
                                                 : ""));
  return said;
}

LogTable chain_table(const ChainChoice& choice) {
  LogTable table{"Chains", {"inertias", "chain", "parameters", "residual", "information criterion", ""}, {}};
  for (std::size_t k = 0; k < choice.trials.size(); ++k) {
    const ChainTrial& t = choice.trials[k];
    table.rows.push_back({fmt::format("{}", t.shape.inertias()), to_string(t.shape), fmt::format("{}", t.parameters),
                          fmt::format("{:.4g}", t.rms), fmt::format("{:.1f}", t.criterion),
                          k == choice.chosen ? "taken" : ""});
  }
  return table;
}

}  // namespace armature::identification
