// An arm: checked once, then constant for life.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "armature/model/description.hpp"
#include "armature/model/kernels.hpp"
#include "armature/spatial/pose.hpp"

namespace armature::model {

class SpringLaw;  // spring_law.hpp

/// A rigid body and the joint that moves it, as the algorithms see it: the joint turns about, or slides along, the z
/// axis of the body's own frame B. Links welded together are one body.
struct Body {
  bool revolute = true;     // else prismatic
  Pose<double> X_PB0;       // pose of B in the parent body's frame (the world for the first) at q = 0
  Inertia<double> inertia;  // in B, payload included
  Pose<double> X_BL;        // the link frame as described (standard DH: the distal frame)
};

/// A named link frame, moving or welded.
struct Frame {
  std::string name;
  int body = -1;      // -1: welded to the world
  Pose<double> X_BF;  // in its body's frame, or in the world
};

/// The described joints and links, welded into moving bodies.
struct Chain {
  std::vector<Body> bodies;
  std::vector<std::size_t> moving;  // which of the described joints moves body i
  std::vector<Frame> frames;        // one a described link
  Pose<double> X_BT;                // tool in the last body's frame
};
Chain chain_of(const ArmDescription& description);

/// Something about a description that a person should know.
struct Finding {
  enum class Severity { error, warning };
  Severity severity;
  std::string place;  // "link 'forearm'"
  std::string finding;
  std::string hint;
};

/// An arm is a serial chain of joints and bodies on a fixed base. It is checked when it is built and never changes afterwards.
class Arm {
 public:
  /// Throws ModelError with the first error found. Inertia that no body has is an error unless the description
  /// says why it is unphysical. The algorithms compute with those of `kernels` that were written for it, if any.
  explicit Arm(ArmDescription description, const KernelSet& kernels = {});
  ~Arm();  // compiled once, in arm.cpp, as is copying
  Arm(const Arm&);
  Arm(Arm&&) noexcept;
  Arm& operator=(const Arm&);
  Arm& operator=(Arm&&) noexcept;

  [[nodiscard]] const std::string& name() const { return description_->name; }
  /// Number of moving joints, 1 to max_joints.
  [[nodiscard]] int dof() const { return static_cast<int>(chain_.bodies.size()); }
  [[nodiscard]] const Body& body(int i) const { return chain_.bodies[i]; }
  [[nodiscard]] const std::vector<Body>& bodies() const { return chain_.bodies; }
  /// The description of moving joint i.
  [[nodiscard]] const JointDescription& joint(int i) const { return description_->joints[chain_.moving[i]]; }
  [[nodiscard]] const Vec3<double>& gravity() const { return description_->gravity; }
  /// The tool frame in the last body's frame.
  [[nodiscard]] const Pose<double>& X_BT() const { return chain_.X_BT; }
  [[nodiscard]] const std::vector<Frame>& frames() const { return chain_.frames; }
  /// The springs of the moving joints, one per joint, null for a joint without one; empty where no joint has one.
  [[nodiscard]] const std::vector<std::shared_ptr<const SpringLaw>>& springs() const { return springs_; }
  /// Motor angles over gear ratios = couplings * q. Identity unless described.
  [[nodiscard]] const MatX<double>& couplings() const { return couplings_; }
  /// Non-empty: why this arm carries inertia no body has.
  [[nodiscard]] const std::string& unphysical() const { return description_->unphysical; }
  [[nodiscard]] const ArmDescription& description() const { return *description_; }

  /// Functions written for this arm, which the algorithms then use. Null: there are none.
  [[nodiscard]] const Kernels* kernels() const { return kernels_.get(); }
  /// The same arm with other functions, or with none (null). Throws ModelError where they were written for another arm.
  [[nodiscard]] Arm with_kernels(std::shared_ptr<const Kernels> kernels) const;

  /// An arm of this description, checked; it keeps the functions where they fit it too (where only friction or drives differ).
  [[nodiscard]] Arm with_description(ArmDescription description) const;

  /// The same joints with other frames and inertia, unchecked: for equivalent arms that are easier to compute with.
  /// Frames, tool and description stay as they were and do not fit the new bodies.
  [[nodiscard]] Arm with_bodies(std::vector<Body> bodies) const;
  /// False for an arm that was given other bodies.
  [[nodiscard]] bool as_described() const { return as_described_; }

 private:
  std::shared_ptr<const ArmDescription> description_;  // shared by copies of the arm
  Chain chain_;
  bool as_described_ = true;
  MatX<double> couplings_;
  std::vector<std::shared_ptr<const SpringLaw>> springs_;
  std::shared_ptr<const Kernels> kernels_;
};

/// Everything wrong or odd about a description, in the order of the chain; empty for a sound one. (That the mass matrix
/// is positive definite needs dynamics: algorithms/mass_matrix.hpp.)
std::vector<Finding> findings(const ArmDescription& description);

/// Pose of a frame given by position and roll-pitch-yaw.
Pose<double> pose_of(const Placement& placement);

}  // namespace armature::model

namespace armature {
using model::Arm;
}  // namespace armature
