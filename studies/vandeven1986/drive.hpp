// The drive of the paper: a d.c. servo, its tachometer, a harmonic drive and a load, four inertias in a row.
#pragma once

#include <array>

#include "armature/plant/plant.hpp"
#include "armature/simulation/linearize.hpp"
#include "study.hpp"

namespace armature::studies::vandeven1986 {

/// Section 4.1, referred to the motor shaft.
struct DriveParameters {
  double R = 0, L = 0;        // [ohm] [H]
  double KT = 0, KE = 0;      // [N m/A] [V s/rad]
  double KEt = 0;             // tachometer [V s/rad]
  double Tf = 0;              // Coulomb friction of the motor [N m]
  double S = 0;               // half the play [rad]
  double hardening = 0;       // of c3, by the cube of its twist [N m/rad³]
  std::array<double, 4> J{};  // tachometer, motor, drive, load [kg m²]
  std::array<double, 3> c{};  // shafts [N m/rad]
  std::array<double, 7> d{};  // three shafts, four bearings [N m s/rad]
};
/// As printed, from the file of the arm `asea2`, which has them behind its gear ratio. S is not printed; without it, and without the dry
/// friction, the model is linear.
DriveParameters printed_drive(bool dry_friction = false);

/// One drive alone: (10)-(13), with the missing d2 term of the printed overall model put back.
PlantDescription drive_plant(const DriveParameters& p);

/// Two axes, each behind the drive of its file with this half play and hardening of c3, at the motor shaft, and with dry friction.
PlantDescription two_axes(ArmDescription arm, double play, double hardening = 0);

/// The linear model and its channel from motor voltage to tachometer voltage.
struct Channel {
  LinearPlant plant;
  Eigen::VectorXd B, C;
  [[nodiscard]] double decibel(double frequency) const;
  [[nodiscard]] std::vector<Peak> resonances() const { return peaks(plant, B, C, 5, 3000); }
};
/// About a twist of c3: what loads it.
Channel tachometer_channel(const DriveParameters& p, double twist = 0);

}  // namespace armature::studies::vandeven1986
