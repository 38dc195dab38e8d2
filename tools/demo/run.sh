#!/usr/bin/env bash
# The main job from end to end, on the direct-drive RRR arm.   run.sh BUILD_FOLDER OUT_FOLDER
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$1 out=$2
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }
armature() {
  printf '$ armature %s\n' "$*"
  "$build/armature" "$@"
}

say "The arm"
armature show rrr

say "A motion of all three joints, from rest to rest in 0.9 s: torques and tool along it"
LC_ALL=C awk -f "$here/path.awk" >"$out/path.csv"
armature compute inverse-dynamics rrr --in "$out/path.csv" --out "$out/torques.csv"
armature compute forward-kinematics rrr --in "$out/path.csv" --out "$out/tool.csv"

say "The same computed by another library, Orocos KDL"
if [ -x "$build/demo_oracle" ]; then
  "$build/demo_oracle" rrr "$out/path.csv" "$out/torques.csv" "$out/tool.csv"
else
  echo "skipped: Orocos KDL (liborocos-kdl-dev) is not here"
fi

say "The machine as it might be measured: a motion that shows its parameters, with noise on the torques"
armature simulate "$here/shake.yaml" -o "$out/measured"

say "Its parameters from that log alone, with intervals; and what the model found predicts of the second half"
armature identify rrr "$out/measured/log.csv" --from 0.5s --to 6s -o "$out/identified.yaml" --page "$out/identified" | sed -n 1,12p
armature validate "$out/identified.yaml" "$out/measured/log.csv" --from 6s --page "$out/validated"

say "A controller that believes the model, against wrong models; and one that meets a wall"
armature simulate "$here/../../scenarios/rrr_computed_torque.yaml" -o "$out/controlled"
armature simulate "$here/../../scenarios/rrr_wall.yaml" -o "$out/contact"

say "The main job: a paper's whole procedure, from friction to a tuned controller, claim by claim"
armature study kostic2004 -o "$out/kostic2004" || [ $? = 1 ] # 1: a claim falls short, and the table says which

"$build/demo_picture" rrr "$out/path.csv" "$out/torques.csv" >"$out/rrr.svg"
say "Tables, a picture and the page: $out"
ls "$out"

say "All of it to look at, in any browser"
armature report "$out" --title "The RRR arm: measured, identified, validated, controlled" \
  --order measured,identified,validated,controlled,contact
say "The page of the whole procedure: $out/kostic2004/index.html"
say "The same from Python, MATLAB or C: pip install . --no-build-isolation, then import armature (docs/python.md)"
