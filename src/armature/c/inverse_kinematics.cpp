#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/settings.hpp"
#include "armature/compute/ik_solver.hpp"

namespace armature::c {

namespace {

void read_row(const armature_input& in, std::size_t row, std::span<double> numbers) {
  const char* place = static_cast<const char*>(in.data) + static_cast<std::ptrdiff_t>(row) * in.state_step;
  for (double& number : numbers) {
    if (in.type == ARMATURE_FLOAT) {
      float x;
      std::memcpy(&x, place, sizeof x);
      number = x;
    } else {
      std::memcpy(&number, place, sizeof number);
    }
    place += in.number_step;
  }
}

void refuse_type(const armature_input& in) {
  if (in.type != ARMATURE_DOUBLE && in.type != ARMATURE_FLOAT)
    throw Error(fmt::format("an array is of type {}", in.type), "ARMATURE_DOUBLE or ARMATURE_FLOAT");
}

VecX<double> guess_of(const armature_input* guess, std::size_t row, int dof) {
  if (!guess) return {};
  VecX<double> q(dof);
  read_row(*guess, row, {q.data(), static_cast<std::size_t>(dof)});
  if (!q.allFinite()) throw Error("the guess is not finite", "one position per joint");
  return q;
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_inverse_kinematics(const armature_arm* arm, const char* const* settings, size_t count,
                                            size_t targets, const armature_input* target, size_t width,
                                            const armature_input* guess, size_t capacity, double* q, int32_t* found,
                                            double* error) {
  return guarded([&] {
    const Arm& a = needed(arm, "arm").arm;
    IkChoice choice;
    read_pairs(setting_pairs(settings, count), [&](Fields& f) { choice.fields(f); });
    if (width != 3 && width != 7)
      throw Error(fmt::format("a target has {} numbers", width),
                  "3: a position, or 7: and a quaternion qw, qx, qy, qz");
    if (capacity == 0) throw Error("there is no room for a solution", "capacity is at least 1");
    const IkSolver solver(a, choice, width == 7);
    if (targets == 0) return;
    needed(q, "q");
    needed(static_cast<const char*>(needed(target, "target").data), "target->data");
    refuse_type(*target);
    if (guess) {
      refuse_type(*guess);
      needed(static_cast<const char*>(guess->data), "guess->data");
    }
    const auto n = static_cast<size_t>(a.dof());
    for (size_t k = 0; k < targets; ++k) try {
        double numbers[7];
        read_row(*target, k, {numbers, width});
        const IkAnswer answer = solver.solve(ik_target({numbers, width}).X_WT, guess_of(guess, k, a.dof()));
        const size_t written = std::min(answer.solutions.size(), capacity);
        for (size_t s = 0; s < written; ++s)
          std::memcpy(q + (k * capacity + s) * n, answer.solutions[s].q.data(), n * sizeof(double));
        const IkSolution& first = answer.nearest ? *answer.nearest : answer.solutions.front();
        if (answer.nearest) std::memcpy(q + k * capacity * n, first.q.data(), n * sizeof(double));
        if (found) found[k] = static_cast<int32_t>(answer.solutions.size());
        if (error) {
          error[2 * k] = first.error.position;
          error[2 * k + 1] = first.error.angle;
        }
      } catch (const Error& wrong) {
        throw Error(wrong.finding(), wrong.hint(), {fmt::format("target {}", k)});
      }
  });
}
