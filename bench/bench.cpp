// Times this library and the others side by side, in one run, on the same random states:
//     build-bench/armature_bench [campaign | --real-time | --identification | --benchmark_filter=REGEX] [--benchmark_out=FILE.json]
// "generated" are functions written for the arm and compiled for this machine (armature derive ARM --build),
// with the operations that they count.
// Prints medians in nanoseconds a call, and how many times the others are slower. Ends with 1 if one of them is not, or if a built-in arm
// has no generated functions.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cctype>
#include <deque>
#include <fstream>
#include <memory>

#include "armature/algorithms/derivatives.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/compute/batch.hpp"
#include "armature/compute/compute_choice.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/random_arms.hpp"
#include "campaign.hpp"
#include "contenders.hpp"
#include "generated.hpp"
#include "identification.hpp"
#include "laws.hpp"
#include "simulation.hpp"
#include "table.hpp"
#include "targets.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace std::string_view_literals;
using testing::Oracle;

namespace {

template <Scalar S>
struct State {
  VecX<S> q, qd, in;  // in: accelerations or torques
};

/// As many as a loop sees before it comes back: enough that no branch predictor learns the sines.
constexpr std::size_t cycle = 512;

std::vector<State<double>> random_states(int dof) {
  Random random(7);
  std::vector<State<double>> states(cycle);
  for (auto& s : states)
    for (auto* x : {&s.q, &s.qd, &s.in}) *x = testing::random_vector(dof, random, 3);
  return states;
}

std::vector<State<Pack>> packed(const std::vector<State<double>>& states) {
  std::vector<State<Pack>> result(states.size() / Pack::width);
  const auto gather = [&](std::size_t k, auto member) {
    VecX<Pack> x((states[0].*member).size());
    for (int lane = 0; lane < Pack::width; ++lane)
      for (int i = 0; i < x.size(); ++i)
        x[i].set(lane, (states[k * Pack::width + static_cast<std::size_t>(lane)].*member)[i]);
    return x;
  };
  for (std::size_t k = 0; k < result.size(); ++k) {
    result[k].q = gather(k, &State<double>::q);
    result[k].qd = gather(k, &State<double>::qd);
    result[k].in = gather(k, &State<double>::in);
  }
  return result;
}

/// One iteration is one state, also where a call takes several of them. `operations` of generated code stand in the table.
template <class States, class Call>
void add(const std::string& name, const States& states, int at_once, Call call, int operations = 0) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [&states, at_once, call, operations](benchmark::State& timer) mutable {
                                 std::size_t k = 0;
                                 while (timer.KeepRunningBatch(at_once)) {
                                   call(states[k]);
                                   benchmark::ClobberMemory();
                                   if (++k == states.size()) k = 0;
                                 }
                                 if (operations > 0) timer.counters["operations"] = operations;
                               })
      ->MinTime(0.02)
      ->Repetitions(15);
}

/// Eight states, each number beside those of the seven others.
struct SideBySide {
  std::vector<double> q, qd, in;
};
std::vector<SideBySide> side_by_side(const std::vector<State<double>>& states) {
  std::vector<SideBySide> all(states.size() / 8);
  const auto n = static_cast<std::size_t>(states[0].q.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (auto* x : {&all[k].q, &all[k].qd, &all[k].in}) x->resize(8 * n);
    for (std::size_t lane = 0; lane < 8; ++lane)
      for (std::size_t i = 0; i < n; ++i) {
        const State<double>& s = states[8 * k + lane];
        const auto j = static_cast<int>(i);
        all[k].q[8 * i + lane] = s.q[j];
        all[k].qd[8 * i + lane] = s.qd[j];
        all[k].in[8 * i + lane] = s.in[j];
      }
  }
  return all;
}

/// The same states as rows of arrays, for a batch.
struct StateRows {
  std::vector<double> q, qd, in;
};
std::vector<StateRows> in_rows(const std::vector<State<double>>& states) {
  StateRows rows;
  for (const State<double>& s : states) {
    rows.q.insert(rows.q.end(), s.q.begin(), s.q.end());
    rows.qd.insert(rows.qd.end(), s.qd.begin(), s.qd.end());
    rows.in.insert(rows.in.end(), s.in.begin(), s.in.end());
  }
  return {rows};
}

/// An arm, its states and those who compute it; the benchmarks refer to it.
struct Course {
  explicit Course(const std::string& name)
      : arm(catalogue_arm(name)),
        generated(arm),
        states(random_states(arm.dof())),
        packs(packed(states)),
        eights(side_by_side(states)),
        rows(in_rows(states)),
        contenders(bench::contenders(arm)) {}
  Arm arm;
  bench::Generated generated;
  std::vector<State<double>> states;
  std::vector<State<Pack>> packs;
  std::vector<SideBySide> eights;
  std::vector<StateRows> rows;
  std::vector<std::unique_ptr<Oracle>> contenders;
};

void add_course(const Course& course) {
  static VecX<double> tau, qdd;
  static MatX<double> M;
  static Mat6X<double> J;
  const std::string& arm = course.arm.name();
  const auto add_one = [&](const std::string& quantity, auto call) {
    for (const auto& contender : course.contenders)
      add(fmt::format("{}/{}/{}", quantity, arm, contender->name()), course.states, 1,
          [call, who = contender.get()](const State<double>& s) { call(*who, s); });
  };
  add_one("inverse dynamics", [](Oracle& who, const auto& s) { who.inverse_dynamics(s.q, s.qd, s.in, tau); });
  add_one("mass matrix", [](Oracle& who, const auto& s) { who.mass_matrix(s.q, M); });
  add_one("forward dynamics", [](Oracle& who, const auto& s) { who.forward_dynamics(s.q, s.qd, s.in, qdd); });
  add_one("Jacobian", [](Oracle& who, const auto& s) { who.tool_jacobian(s.q, J); });

  const auto add_ours = [&](const std::string& quantity, auto call) {
    add(fmt::format("{}/{}/Armature", quantity, arm), course.states, 1,
        [call, a = &course.arm](const State<double>& s) { call(*a, s); });
  };
  add_ours("d inverse dynamics", [](const Arm& a, const auto& s) {
    static InverseDynamicsDerivatives<double> d;
    inverse_dynamics_derivatives<double>(a, s.q, s.qd, s.in, {}, d);
  });
  add_ours("d forward dynamics", [](const Arm& a, const auto& s) {
    static ForwardDynamicsDerivatives<double> d;
    forward_dynamics_derivatives<double>(a, s.q, s.qd, s.in, {}, d);
  });

  const bench::Generated& generated = course.generated;
  const auto add_generated = [&](const std::string& quantity, Target target, bool also_eight) {
    const std::string name = fmt::format("{}/{}/generated", quantity, arm);
    const std::size_t outputs = generated.outputs(target);
    const auto calling = [](bench::GeneratedFunction function, std::size_t size) {
      return [function, out = std::vector<double>(size)](const auto& s) mutable {
        function(s.q.data(), s.qd.data(), s.in.data(), out.data());
      };
    };
    add(name, course.states, 1, calling(generated.function(target), outputs), generated.operations(target));
    if (also_eight)
      add(name + ", 8 states at once", course.eights, 8, calling(generated.eight(target), 8 * outputs),
          generated.operations(target));
  };
  add_generated("inverse dynamics", Target::inverse_dynamics, true);
  add_generated("mass matrix", Target::mass_matrix, false);
  add_generated("forward dynamics", Target::forward_dynamics, true);
  add_generated("Jacobian", Target::jacobian, false);
  add_generated("d inverse dynamics", Target::inverse_dynamics_derivatives, true);
  add_generated("d forward dynamics", Target::forward_dynamics_derivatives, true);

  static VecX<Pack> eight_tau, eight_qdd;
  static MatX<Pack> eight_M;
  static Mat6X<Pack> eight_J;
  const auto add_packed = [&](const std::string& quantity, auto call) {
    add(fmt::format("{}/{}/8 states at once", quantity, arm), course.packs, Pack::width,
        [call, arm = &course.arm](const State<Pack>& s) { call(*arm, s); });
  };
  add_packed("inverse dynamics",
             [](const Arm& a, const State<Pack>& s) { inverse_dynamics(a, s.q, s.qd, s.in, eight_tau); });
  add_packed("mass matrix", [](const Arm& a, const State<Pack>& s) { mass_matrix(a, s.q, eight_M); });
  add_packed("forward dynamics",
             [](const Arm& a, const State<Pack>& s) { forward_dynamics(a, s.q, s.qd, s.in, eight_qdd); });
  add_packed("Jacobian",
             [](const Arm& a, const State<Pack>& s) { eight_J = tool_jacobian(a, forward_kinematics(a, s.q)); });
}

/// All states in one call, on one core: what the language bindings call for many states.
void add_batches(const Course& course) {
  const auto n = static_cast<std::ptrdiff_t>(course.arm.dof());
  for (const char* quantity : {"inverse dynamics", "mass matrix", "forward dynamics", "Jacobian"}) {
    std::string name = quantity;
    for (char& c : name) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto batch = std::make_shared<Batch>(course.arm, quantity_called(name), ComputeSettings{});
    add(fmt::format("{}/{}/in a batch", quantity, course.arm.name()), course.rows, cycle,
        [batch, n, out = std::vector<double>(cycle * batch->width())](const StateRows& rows) mutable {
          const std::ptrdiff_t step = n * static_cast<std::ptrdiff_t>(sizeof(double));
          const StridedInput inputs[] = {
              {rows.q.data(), false, step}, {rows.qd.data(), false, step}, {rows.in.data(), false, step}};
          const auto width = static_cast<std::ptrdiff_t>(batch->width() * sizeof(double));
          batch->compute(cycle, {inputs, batch->quantity().inputs.size()}, {out.data(), false, width}, 1);
        });
  }
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown processor";
}

/// The arms of the benchmarks have their functions, as in the program. Without them the figures would be those of another program.
void find_kernels_or_exit() {
  const std::vector<std::string> without = testing::arms_without_kernels(built_in_kernels());
  if (without.empty()) return;
  fmt::print(stderr, "armature_bench: no generated functions for {}\n", fmt::join(without, ", "));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == "campaign"sv) {
    find_kernels_or_exit();
    return bench::campaign_table();
  }
  if (argc == 2 && (argv[1] == "--real-time"sv || argv[1] == "--identification"sv)) {
    find_kernels_or_exit();
    return (argv[1] == "--real-time"sv ? bench::real_time_table() : bench::identification_table()) > 0;
  }
  std::vector<char*> arguments(argv, argv + argc);
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  arguments.insert(arguments.begin() + 1, interleaved);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  std::deque<Course> courses;
  for (const char* name : {"rrr_generic", "ur5", "ur5e", "panda"}) {
    add_course(courses.emplace_back(name));
    add_batches(courses.back());
  }
  find_kernels_or_exit();
  bench::add_steps();
  for (const char* name : {"rrr", "panda"}) bench::add_laws(name);

  fmt::print("{}, {}. Median ns of processor time a call; in brackets, how many times slower than Armature.\n\n",
             processor(), ARMATURE_BUILT);
  bench::Tables tables("Armature");
  benchmark::RunSpecifiedBenchmarks(&tables);
  bench::print_targets(tables);

  int lost = 0;
  for (const std::string& name : tables.faster_than_reference())
    if (!name.ends_with("8 states at once") && !name.ends_with("generated") &&
        !name.ends_with("in a batch")) {  // they are Armature too
      fmt::print("Faster than Armature: {}\n", name);
      lost = 1;
    }
  if (argc == 1 && bench::real_time_table() > 0) lost = 1;
  if (argc == 1 && bench::identification_table() > 0) lost = 1;
  return lost;
}
