// What a control law is: it is told what was measured and what is wanted, and returns joint torques.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "armature/spatial/pose.hpp"

namespace armature {

/// What the sensors say, once a tick.
struct Measurement {
  VecX<double> q;                              // [rad | m]
  VecX<double> qd;                             // [rad/s | m/s]
  VecX<double> torque;                         // of joint torque sensors [N m | N]; empty where there are none
  Vec6<double> wrench = Vec6<double>::Zero();  // (f; mu) on the tool, world axes [N, N m]
};

/// What is wanted now: in joint space, and for laws of the operational space at the tool.
struct Reference {
  VecX<double> q, qd, qdd;                           // [rad | m] ...
  Pose<double> X_WT;                                 // tool
  Vec6<double> twist = Vec6<double>::Zero();         // (v; w) [m/s, rad/s]
  Vec6<double> acceleration = Vec6<double>::Zero();  // [m/s², rad/s²]
  Vec6<double> wrench = Vec6<double>::Zero();        // force that the tool should exert [N, N m]
};

/// A law has no clock, file or bus. It holds the arm it believes in; `tau` [N m | N] has one number a joint. update()
/// allocates nothing and never throws.
template <class C>
concept Controller = requires(C c, const Measurement& y, const Reference& r, double dt, VecX<double>& tau) {
  { c.reset(y) } -> std::same_as<void>;
  { c.update(y, r, dt, tau) }
  noexcept->std::same_as<void>;
};

/// Any controller, owned behind one type: what loops and scenarios hold.
class AnyController {
 public:
  template <Controller C>
  explicit AnyController(C controller) : self_(std::make_unique<Holder<C>>(std::move(controller))) {}
  void reset(const Measurement& y) { self_->reset(y); }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    self_->update(y, r, dt, tau);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void reset(const Measurement& y) = 0;
    virtual void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept = 0;
  };
  template <Controller C>
  struct Holder final : Base {
    explicit Holder(C c) : controller(std::move(c)) {}
    void reset(const Measurement& y) override { controller.reset(y); }
    void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept override {
      controller.update(y, r, dt, tau);
    }
    C controller;
  };
  std::unique_ptr<Base> self_;
};

}  // namespace armature
