#include "armature/c/internal/law.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/settings.hpp"
#include "armature/run/controllers.hpp"
#include "armature/spatial/rotation.hpp"

struct armature_law {
  armature::AnyController controller;
  int dof = 0;
  std::shared_ptr<std::atomic<bool>> stop{};  // where the law is the caller's, as what became of it
  std::shared_ptr<armature::c::OwnLawFate> fate{};
  armature::VecX<double> tau{};
  armature::Measurement y{};  // of the last tick; here so that a tick makes nothing
  armature::Reference r{};
};

namespace armature::c {

namespace {

const std::vector<std::string>& kind_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const LawKind* kind : law_kinds()) all.emplace_back(kind->name);
    return all;
  }();
  return names;
}

/// `count` numbers; zeros for null where that is allowed.
template <class V>
void read_numbers(V& to, const double* from, int count, const char* what, bool needed_here) {
  if (needed_here && !from)
    throw Error(fmt::format("the law reads {}, which is not given", what), "give it in every tick");
  to.resize(count);
  for (int i = 0; i < count; ++i) {
    to[i] = from ? from[i] : 0;
    if (!std::isfinite(to[i]))
      throw Error(fmt::format("{} holds a number that is not finite", what), "every number must be finite");
  }
}

/// `sensors`: those that the law reads must be there; else they may be zero.
void read_measurement(armature_law& law, const armature_tick& tick, bool sensors) {
  if (tick.dof != static_cast<std::size_t>(law.dof))
    throw Error(fmt::format("the tick is of {} joints and the arm has {}", tick.dof, law.dof), "set dof");
  read_numbers(law.y.q, tick.q, law.dof, "q", true);
  read_numbers(law.y.qd, tick.qd, law.dof, "qd", true);
  const Needs needs = law.controller.needs();
  if (tick.torque || needs.torque) read_numbers(law.y.torque, tick.torque, law.dof, "torque", sensors);
  read_numbers(law.y.wrench, tick.wrench, 6, "wrench", sensors && needs.wrench);
}

void read_reference(armature_law& law, const armature_tick& tick) {
  const Needs needs = law.controller.needs();
  read_numbers(law.r.q, tick.q_ref, law.dof, "q_ref", needs.joint_reference);
  read_numbers(law.r.qd, tick.qd_ref, law.dof, "qd_ref", needs.joint_reference);
  read_numbers(law.r.qdd, tick.qdd_ref, law.dof, "qdd_ref", false);
  if (tick.tool_ref || needs.tool_reference) {
    Eigen::Matrix<double, 7, 1> pose;
    read_numbers(pose, tick.tool_ref, 7, "tool_ref", true);
    const Quaternion turn(pose[3], pose[4], pose[5], pose[6]);
    if (!(std::abs(turn.norm() - 1) <= 1e-3))
      throw Error(fmt::format("the quaternion of tool_ref has length {:.4g}", turn.norm()), "its length is 1");
    law.r.X_WT.p = pose.head<3>();
    law.r.X_WT.R = rotation_from_quaternion(turn);
  }
  read_numbers(law.r.twist, tick.twist_ref, 6, "twist_ref", false);
  read_numbers(law.r.acceleration, tick.acceleration_ref, 6, "acceleration_ref", false);
  read_numbers(law.r.wrench, tick.wrench_ref, 6, "wrench_ref", needs.wrench_reference);
}

void refuse_failed(const armature_law& law) {
  if (!law.fate) return;
  if (law.fate->gave_up) throw Error("the law inside gave up", "it returned something else than 0; reset begins anew");
  if (law.fate->bad_joint >= 0)
    throw Error(fmt::format("the law inside gave joint {} a torque that is not finite", law.fate->bad_joint + 1),
                "one finite number per joint");
}

const Part* part_of(const armature_law* law, std::size_t part) {
  return law && part < law->controller.parts().size() ? &law->controller.parts()[part] : nullptr;
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

const char* armature_law_kind(size_t index) { return listed(kind_names, index); }

armature_status armature_law_new(const armature_arm* arm, double tick, const char* const* settings, size_t count,
                                 armature_law** law) {
  return armature_law_around(arm, tick, nullptr, settings, count, law);
}

armature_status armature_law_around(const armature_arm* arm, double tick, const armature_own_law* own,
                                    const char* const* settings, size_t count, armature_law** law) {
  return guarded([&] {
    armature_law*& out = needed(law, "law");
    const Arm& a = needed(arm, "arm").arm;
    if (!(tick > 0 && std::isfinite(tick))) throw Error(fmt::format("the tick is {} s", tick), "a time above zero");
    JointKinds slides;
    for (const Body& body : a.bodies()) slides.push_back(!body.revolute);
    LoadedScenario loaded{.scenario = {}, .arm = a, .believed = a};
    loaded.scenario.run.tick = tick;
    SettingPairs pairs = setting_pairs(settings, count);
    if (own) pairs.emplace_back("kind", "gravity");  // one without gains: the caller's stands in its place
    read_settings(yaml_of(pairs), slides, loaded.places, [&](Fields& f) { loaded.scenario.controller.fields(f); });
    const auto stop = std::make_shared<std::atomic<bool>>(false);
    const auto fate = own ? std::make_shared<OwnLawFate>(OwnLawFate{stop.get()}) : nullptr;
    if (own) {
      if (!own->update) throw Error("the law has no function `update`", "it is needed");
      loaded.law = [&](const Arm& believed) { return AnyController(OwnLaw(*own, believed.dof(), fate)); };
    }
    auto made = std::make_unique<armature_law>(armature_law{controller_of(loaded), a.dof(), stop, fate});
    armature_tick still{};
    const VecX<double> zero = VecX<double>::Zero(a.dof());
    still.dof = static_cast<size_t>(a.dof());
    still.q = zero.data();
    still.qd = zero.data();
    read_measurement(*made, still, false);
    if (!own) made->controller.reset(made->y);  // the caller's is reset when the caller says so
    out = made.release();
  });
}

void armature_law_free(armature_law* law) { delete law; }

armature_status armature_law_reset(armature_law* law, const armature_tick* tick) {
  return guarded([&] {
    needed(law, "law");
    read_measurement(*law, needed(tick, "tick"), false);
    if (law->fate) *law->fate = {law->stop.get()};
    law->controller.reset(law->y);
    refuse_failed(*law);
  });
}

armature_status armature_law_update(armature_law* law, const armature_tick* tick, double* tau) {
  return guarded([&] {
    needed(law, "law");
    needed(tick, "tick");
    needed(tau, "tau");
    if (!(tick->dt >= 0 && std::isfinite(tick->dt)))
      throw Error(fmt::format("dt is {} s", tick->dt), "a time of at least zero");
    read_measurement(*law, *tick, true);
    read_reference(*law, *tick);
    law->tau = VecX<double>::Zero(law->dof);
    law->controller.update(law->y, law->r, tick->dt, law->tau);
    refuse_failed(*law);
    for (int i = 0; i < law->dof; ++i)
      if (!std::isfinite(law->tau[i]))
        throw Error(fmt::format("the torque of joint {} is not finite", i + 1),
                    "are state and reference of a sensible size?");
    for (int i = 0; i < law->dof; ++i) tau[i] = law->tau[i];
  });
}

const char* armature_law_part(const armature_law* law, size_t part) {
  const Part* found = part_of(law, part);
  return found ? found->name.c_str() : nullptr;
}

const char* armature_law_part_unit(const armature_law* law, size_t part) {
  const Part* found = part_of(law, part);
  return found ? found->unit.c_str() : nullptr;
}

const double* armature_law_part_value(const armature_law* law, size_t part) {
  const Part* found = part_of(law, part);
  return found ? found->value.data() : nullptr;
}

size_t armature_law_part_size(const armature_law* law, size_t part) {
  const Part* found = part_of(law, part);
  return found ? static_cast<size_t>(found->value.size()) : 0;
}

const char* armature_law_condition(const armature_law* law, size_t index) {
  if (!law) return nullptr;
  for (std::size_t k = 0; k < condition_names.size(); ++k)
    if ((law->controller.status().bits() >> k & 1u) && index-- == 0) return condition_names[k].data();
  return nullptr;
}
