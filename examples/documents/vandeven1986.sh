#!/usr/bin/env bash
# Two axes with elastic drives [Vandeven1986]: modes, their sensitivity, drives by fewer states, a controlled move.
set -eu
out=$(realpath -m "${1:-out/vandeven1986}")
mkdir -p "$out"

# The arm with its drives, and (20) to (22): centrifugal, Coriolis and gravity torques
armature show asea2
armature compute inverse-dynamics asea2 --q 0.3,0.9 --v 1,2 --a 0,0
armature derive asea2 --symbolic --lang markdown -o "$out/dynamics.md"

# (10) to (17), Figs 10 and 12: modes of the drives, what each parameter does to them, the frequency response
armature linearize scenarios/asea2_elastic_drives.yaml --sensitivity --bode "$out/bode.csv" --page "$out/modes"

# Section 4, Fig. 11: the drives by fewer states, with the bound of their error, and a step of voltage with all states and with few
linear="--set plant.friction=false --set plant.torque_limits=false"
armature linearize scenarios/asea2_voltage_step.yaml $linear --output v1 --reduce-drives 3 --model "$out/drives.yaml"
armature simulate scenarios/asea2_voltage_step.yaml $linear -o "$out/whole" --json >"$out/whole.json"
armature simulate scenarios/asea2_voltage_step.yaml --with "$out/drives.yaml" -o "$out/reduced" --json >"$out/reduced.json"

# (18), (19): a move with Coulomb friction that sticks, behind stiff and behind elastic gears
armature simulate scenarios/asea2_elastic_drives.yaml -o "$out/move" --json >"$out/move.json"
