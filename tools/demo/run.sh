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
"$build/demo_oracle" rrr "$out/path.csv" "$out/torques.csv" "$out/tool.csv"

"$build/demo_picture" rrr "$out/path.csv" "$out/torques.csv" >"$out/rrr.svg"
say "Tables and a picture: $out"
ls "$out"
