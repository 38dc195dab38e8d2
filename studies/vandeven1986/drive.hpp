// The drive of the paper: a d.c. servo, its tachometer, a harmonic drive and a load, four inertias in a row.
#pragma once

#include <array>

#include "armature/plant/plant.hpp"
#include "armature/simulation/linearize.hpp"
#include "study.hpp"

namespace armature::studies::vandeven1986 {

/// Section 4.1, referred to the motor shaft. S is not printed; zero is the linear model.
struct DriveParameters {
  double R = 1.6;                                         // [ohm]
  double L = 87e-6;                                       // [H]
  double KT = 0.088;                                      // [N m/A]
  double KE = 0.088;                                      // [V s/rad]
  double KEt = 0.029;                                     // tachometer [V s/rad]
  double Tf = 0;                                          // Coulomb friction of the motor [N m]; 0.025 is printed
  double S = 0;                                           // half the play [rad]
  double hardening = 0;                                   // of c3, by the cube of its twist [N m/rad³]
  std::array<double, 4> J{34e-6, 41e-6, 196e-6, 372e-6};  // tachometer, motor, drive, load [kg m²]
  std::array<double, 3> c{789, 1225, 1.44};               // [N m/rad]
  std::array<double, 7> d{1200e-6, 68000e-6, 1600e-6, 76e-6,
                          12e-6,   700e-6,   0};  // three shafts, four bearings [N m s/rad]
};

/// One drive alone: (10)-(13), with the missing d2 term of the printed overall model put back.
PlantDescription drive_plant(const DriveParameters& p);

/// Two drives that carry the arm: each has three rotors in front of a joint, 18 states in all. Motor-side values of
/// the load act through the gear ratio N.
PlantDescription two_axes(const Arm& arm, const DriveParameters& p, double N);

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
