// What a control law is: it is told what was measured and what is wanted, and returns joint torques.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/control/status.hpp"
#include "armature/spatial/pose.hpp"

namespace armature::control {

/// A measurement is what the sensors say, once a tick.
struct Measurement {
  VecX<double> q;                              // [rad | m]
  VecX<double> qd;                             // [rad/s | m/s]
  VecX<double> torque;                         // of joint torque sensors [N m | N]; empty where there are none
  Vec6<double> wrench = Vec6<double>::Zero();  // (f; mu) on the tool, world axes [N, N m]
  long sequence = -1;                          // counts the readings, so that a lost one shows; -1: nobody counts
};

/// A reference is what is wanted now: in joint space, and for laws of the operational space at the tool.
struct Reference {
  VecX<double> q, qd, qdd;                           // [rad | m] ...
  Pose<double> X_WT;                                 // tool
  Vec6<double> twist = Vec6<double>::Zero();         // (v; w) [m/s, rad/s]
  Vec6<double> acceleration = Vec6<double>::Zero();  // [m/s², rad/s²]
  Vec6<double> wrench = Vec6<double>::Zero();        // force that the tool should exert [N, N m]
};

/// A part of what a law computed in its last tick, for the log. Parts without a unit are joint torques, and those of a law
/// add up to its command; the others (an estimate, a task error) say their unit.
struct Part {
  std::string name;
  std::string unit;
  VecX<double> value;
  [[nodiscard]] bool is_torque() const { return unit.empty(); }
};

/// Which of its inputs a law reads beside q and qd: what a source of references must fill in and a watchdog must check.
struct Needs {
  bool joint_reference = false;  // Reference::q, qd, qdd
  bool tool_reference = false;   // Reference::X_WT, twist, acceleration
  bool wrench_reference = false;
  bool wrench = false;  // Measurement::wrench
  bool torque = false;  // Measurement::torque
  friend Needs operator|(const Needs& a, const Needs& b) {
    return {a.joint_reference || b.joint_reference, a.tool_reference || b.tool_reference,
            a.wrench_reference || b.wrench_reference, a.wrench || b.wrench, a.torque || b.torque};
  }
  friend bool operator==(const Needs&, const Needs&) = default;
};

/// Called with each vector that a law integrates over time and with its rate of change, as the last update() found it.
using IntegralVisitor = std::function<void(std::span<double> state, std::span<const double> rate)>;

/// A law has no clock, file or bus. It holds the arm it believes in; `tau` [N m | N] has one number per joint. update()
/// allocates nothing and never throws. dt [s] is the time since the last tick; with dt = 0 a law computes its torque and
/// leaves its state as it is. It may also say (all are optional): parts(), status(), needs(), switch_term(name, on), and
/// integrals(visit), by which a simulation of the continuous law carries its state forward.
template <class C>
concept Controller = requires(C c, const Measurement& y, const Reference& r, double dt, VecX<double>& tau) {
  { c.reset(y) } -> std::same_as<void>;
  { c.update(y, r, dt, tau) }
  noexcept->std::same_as<void>;
};

/// What the laws here have in common: parts, a status, and what they need.
class Law {
 public:
  void reset(const Measurement&) {}  // for a law without memory
  [[nodiscard]] std::span<const Part> parts() const noexcept { return parts_; }
  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] Needs needs() const noexcept { return needs_; }

 protected:
  static void show(const IntegralVisitor& visit, auto& state, const auto& rate) {
    visit({state.data(), static_cast<std::size_t>(state.size())}, {rate.data(), static_cast<std::size_t>(rate.size())});
  }
  explicit Law(const Needs& needs, std::vector<Part> parts = {}) : parts_(std::move(parts)), needs_(needs) {}
  /// The value of part k, to be written.
  VecX<double>& part(std::size_t k) noexcept { return parts_[k].value; }
  std::vector<Part> parts_;
  Status status_;
  Needs needs_;
};

/// Torque parts with these names, one number per joint.
std::vector<Part> torque_parts(int dof, std::initializer_list<const char*> names);

/// Any controller is owned behind this one type, which loops and scenarios hold.
class AnyController {
 public:
  template <Controller C>
  requires(!std::same_as<C, AnyController>) explicit AnyController(C controller)
      : self_(std::make_unique<Holder<C>>(std::move(controller))) {}
  void reset(const Measurement& y) { self_->reset(y); }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    self_->update(y, r, dt, tau);
  }
  /// Of the last tick; their names, units and order never change. Empty for a law that reports none.
  [[nodiscard]] std::span<const Part> parts() const noexcept { return self_->parts(); }
  [[nodiscard]] Status status() const noexcept { return self_->status(); }
  /// A law that does not say needs joint references.
  [[nodiscard]] Needs needs() const noexcept { return self_->needs(); }
  /// Switches the term of that name on or off; false where the law has none of that name.
  bool switch_term(std::string_view name, bool on) noexcept { return self_->switch_term(name, on); }
  /// Nothing is called for a law without a state.
  void integrals(const IntegralVisitor& visit) { self_->integrals(visit); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void reset(const Measurement& y) = 0;
    virtual void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept = 0;
    [[nodiscard]] virtual std::span<const Part> parts() const noexcept = 0;
    [[nodiscard]] virtual Status status() const noexcept = 0;
    [[nodiscard]] virtual Needs needs() const noexcept = 0;
    virtual bool switch_term(std::string_view name, bool on) noexcept = 0;
    virtual void integrals(const IntegralVisitor& visit) = 0;
  };
  template <Controller C>
  struct Holder final : Base {
    explicit Holder(C c) : controller(std::move(c)) {}
    void reset(const Measurement& y) override { controller.reset(y); }
    void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept override {
      controller.update(y, r, dt, tau);
    }
    [[nodiscard]] std::span<const Part> parts() const noexcept override {
      if constexpr (requires { controller.parts(); })
        return controller.parts();
      else
        return {};
    }
    [[nodiscard]] Status status() const noexcept override {
      if constexpr (requires { controller.status(); })
        return controller.status();
      else
        return {};
    }
    [[nodiscard]] Needs needs() const noexcept override {
      if constexpr (requires { controller.needs(); })
        return controller.needs();
      else
        return {.joint_reference = true};
    }
    bool switch_term([[maybe_unused]] std::string_view name, [[maybe_unused]] bool on) noexcept override {
      if constexpr (requires { controller.switch_term(name, on); })
        return controller.switch_term(name, on);
      else
        return false;
    }
    void integrals([[maybe_unused]] const IntegralVisitor& visit) override {
      if constexpr (requires { controller.integrals(visit); }) controller.integrals(visit);
    }
    C controller;
  };
  std::unique_ptr<Base> self_;
};

/// What stands around a law and shows what that one shows.
struct AroundLaw {
  AnyController law;

  bool switch_term(std::string_view name, bool on) noexcept { return law.switch_term(name, on); }
  [[nodiscard]] std::span<const Part> parts() const noexcept { return law.parts(); }
  [[nodiscard]] Status status() const noexcept { return law.status(); }
  [[nodiscard]] Needs needs() const noexcept { return law.needs(); }
};

/// A law around another shows the parts of that one in front of its own.
class LawAround : public Law {
 public:
  bool switch_term(std::string_view name, bool on) noexcept { return law_.switch_term(name, on); }

 protected:
  /// It needs what the law needs, and `besides`. Given a `dof`, the torque of a law that reports no parts is the part "law".
  explicit LawAround(AnyController law, const Needs& besides = {}, int dof = 0);
  /// Writes the parts of the law, whose update() has returned `tau`.
  void show_law(const VecX<double>& tau) noexcept;

  AnyController law_;
  std::size_t own_ = 0;  // the first part that is not the law's
};

/// The law's integrals one behind the other, and the way back.
Eigen::VectorXd integrals_of(AnyController& law);
void set_integrals(AnyController& law, const double* values);

}  // namespace armature::control

namespace armature {
using control::AnyController;
using control::Measurement;
using control::Reference;
}  // namespace armature
