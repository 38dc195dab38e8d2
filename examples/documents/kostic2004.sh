#!/usr/bin/env bash
# Modelling and identification of the RRR arm [Kostic2004]: excited, identified, validated, controlled with the model that was found, and its
# feedback tuned on a frequency response.
set -eu
out=$(realpath -m "${1:-out/kostic2004}")
mkdir -p "$out"

# Tables I and II: the arm
armature show rrr

# (4) to (8), (A1) to (A5): the model, beside the one in print (two entries of which are wrong: exit code 1)
armature derive rrr --against studies/printed/kostic2004_dynamics.model || [ $? = 1 ]

# (10), (11), Figs 5 and 6: one joint under a torque of its own, its friction by an extended Kalman filter
armature simulate scenarios/rrr_driven_joint.yaml -o "$out/driven"
armature identify rrr "$out/driven/log.csv" --estimator ekf --joint 3 --json >"$out/friction.json"

# (16) to (21), Fig. 7: the Bode plots of the Kalman observer
armature linearize scenarios/rrr_observer_and_guard.yaml --observer 1 --bode "$out/observer.csv" --page "$out/observer"

# (22): the motion that shows the parameters, and (23): the arm following it under PD, with encoders and noise
armature excite rrr --harmonics 5 --starts 3 --rate 100Hz --periods 2 -o "$out/excitation.csv"
armature simulate scenarios/rrr_shaken.yaml --set "reference={kind: table, table: $out/excitation.csv}" --set run.duration=22s -o "$out/excited"

# (12) to (15): base parameters and friction with their intervals, from torques and, without accelerations, from energies
armature identify rrr "$out/excited/log.csv" --friction three_sigmoid -o "$out/identified.yaml" --page "$out/identified"
armature identify rrr "$out/excited/log.csv" --friction three_sigmoid --estimator energy --json >"$out/energy.json"

# Fig. 14: a motion that it has not seen
armature simulate scenarios/rrr_shaken.yaml -o "$out/other"
armature validate "$out/identified.yaml" "$out/other/log.csv" --json >"$out/validated.json"

# (24), Table IV: the writing task with parts of the identified model
armature simulate scenarios/rrr_feed_forward_cases.yaml --set "belief.robot=$out/identified.yaml" -o "$out/writing" --json >"$out/writing.json"

# Section IV.D, (25) to (29), Fig. 17: noise into the linearized first joint, the others behind their brakes; its response; feedback tuned on it; the
# same loop with it
armature simulate scenarios/rrr_driven_joint.yaml --set "belief.robot=$out/identified.yaml" --set "start.q=[0 deg, 0 deg, 90 deg]" \
  --set "plant={locks: [{joint: 2}, {joint: 3}]}" --set "controller={kind: computed_torque, kp: 355 1/s^2, kd: 26 1/s, friction: true}" \
  --set "reference={kind: fastest, to: [8 rad, 0 deg, 90 deg], velocity: 1 rad/s, acceleration: 5 rad/s^2}" \
  --set "inputs=[{joint: 1, quantity: acceleration, kind: multisine, amplitude: 30 rad/s^2, period: 2 s, from: 1 Hz, to: 150 Hz, tilt: 1}]" \
  --set run.duration=8s -o "$out/loop" --json >"$out/loop.json"
armature frf "$out/loop/log.csv" --input part_acceleration1 --output q1_meas --about q1_ref --excitation input_1 --segment 2s --periodic --begin 2s \
  --from 2Hz --to 60Hz -o "$out/frf.csv" --page "$out/frf"
armature tune "$out/frf.csv" --scenario "$out/loop/scenario.yaml" --to 30Hz -o "$out/law.yaml"
armature simulate "$out/loop/scenario.yaml" --with "$out/law.yaml" --set "inputs=[]" -o "$out/tuned" --json >"$out/tuned.json"
armature simulate "$out/loop/scenario.yaml" --set "inputs=[]" -o "$out/untuned" --json >"$out/untuned.json"
