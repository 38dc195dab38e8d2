#!/usr/bin/env bash
# The RRR arm in closed form [Kostic2002]: from its DH table to letters written with the nominal torques.
set -eu
out=${1:-out/kostic2002}
mkdir -p "$out"

# Table I: the arm, and a copy of its description to change
armature show rrr
armature export rrr -o "$out/arm.yaml"
armature check "$out/arm.yaml"

# (1) to (6): where the tip is, and every way to get there
armature compute forward-kinematics "$out/arm.yaml" --q 0.3,0.9,-2.2
armature compute inverse-kinematics "$out/arm.yaml" --pose 0.3,0.3,0.7

# (7) to (13): the dynamics, derived by machine, beside those in print (one entry of which is wrong: exit code 1)
armature derive "$out/arm.yaml" --symbolic --lang markdown -o "$out/dynamics.md"
armature derive rrr_generic --against studies/printed/kostic2002_dynamics.model || [ $? = 1 ]
armature compute base-parameters rrr_generic

# (14) to (16): the writing task, PD alone and with parts of the model
armature simulate scenarios/rrr_feed_forward_cases.yaml --set "robot=$(realpath "$out/arm.yaml")" -o "$out/writing" --json >"$out/writing.json"
