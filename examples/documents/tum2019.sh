#!/usr/bin/env bash
# The planar 3R exercise [Tum2019], task by task: the model, joint control, inverse kinematics, impedance, collisions.
set -eu
out=$(realpath -m "${1:-out/tum2019}")
mkdir -p "$out"

# Task 1: the model, beside the one in print (five misprints: exit code 1)
armature show planar3r
armature derive planar3r --against studies/printed/tum2019.model || [ $? = 1 ]

# Tasks 2 to 9: free fall; gravity compensation switched off while it runs; damping by design
armature simulate scenarios/rrr_free_fall.yaml --set robot=planar3r --set "start={q: [0, 0, 0]}" \
  --set plant.viscous=[0.5,0.5,0.5] -o "$out/fall"
armature simulate scenarios/planar3r_switched_terms.yaml -o "$out/switched"
armature simulate scenarios/planar3r_designed_damping.yaml -o "$out/damping"

# Tasks 10 to 12: inverse kinematics, by itself and in the loop
armature compute inverse-kinematics planar3r --pose 0.6,0.2,0
armature simulate scenarios/planar3r_ik_in_loop.yaml -o "$out/ik" --json >"$out/ik.json"

# Tasks 13 to 21: impedance, a target out of reach, the null space, orientation
armature simulate scenarios/planar3r_unreachable.yaml -o "$out/unreachable"
armature simulate scenarios/planar3r_null_space.yaml -o "$out/null_space"
armature simulate scenarios/planar3r_cartesian_impedance.yaml -o "$out/impedance"

# Tasks 22 to 25: an impact is noticed
armature simulate scenarios/planar3r_collision.yaml -o "$out/collision"
