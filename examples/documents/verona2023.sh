#!/usr/bin/env bash
# The RPR arm [Verona2023]: kinematics and dynamics beside those in print, then its controllers, free and in contact.
set -eu
out=$(realpath -m "${1:-out/verona2023}")
mkdir -p "$out"

# Sections 4 to 7: what is printed, line by line (exit code 1: some are wrong)
armature show rpr
armature derive rpr --against studies/printed/verona2023_kinematics.model || [ $? = 1 ]
armature derive rpr --against studies/printed/verona2023_inverse_kinematics.model || [ $? = 1 ]
armature derive rpr --what singularities
armature compute operational-space rpr --q 1.34,-0.2,-0.66 --v 0.1,0.2,0.3

# Sections 8 to 10: control of the joints and of the tool
armature simulate scenarios/rrr_computed_torque.yaml --set robot=rpr --set "start={q: [0.5, 0, 0.5]}" \
  --set "reference={kind: polynomial, to: [1.5, 0.1, -0.5], duration: 0.8 s}" -o "$out/joints" --json >"$out/joints.json"
armature simulate scenarios/rpr_compliance.yaml -o "$out/compliance"

# Section 11: impedance, admittance and force against a wall
armature simulate scenarios/rpr_impedance.yaml -o "$out/impedance"
armature simulate scenarios/rpr_admittance.yaml -o "$out/admittance"
armature simulate scenarios/rpr_force.yaml -o "$out/force"
