#!/usr/bin/env bash
# Makes the pictures of README.md again:   tools/readme_pictures.sh [BUILD_FOLDER]
#
# docs/measured.svg is a UR10 that was measured by [Petrone2025]: the last seconds of the log, which the identified model has not seen. The log
# (ur10_exciting.csv.xz, made from the bag of github.com/unisa-acg/inverse-dynamics-solver) is looked for in $ARMATURE_DATA/ur10_unisa,
# and in ../shared/data/ur10_unisa. The others are taken from pages, with the browser that tests them.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
armature=$(readlink -f "${1:-build}/armature") out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
log=${ARMATURE_DATA:-../shared/data}/ur10_unisa/ur10_exciting.csv.xz

if [ -f "$log" ]; then
  printf 'position: q{}\nvelocity: dq{}\ntorque: tau{}\n' >"$out/map.yaml"
  "$armature" identify ur10 "$log" --map "$out/map.yaml" --to 18s -o "$out/ur10.yaml" >/dev/null
  left=$("$armature" validate "$out/ur10.yaml" "$log" --map "$out/map.yaml" --from 18s --page "$out/ur10" --json |
    python3 -c 'import json, sys; print("%.1f" % (100 * json.load(sys.stdin)["relative_error"]))')
  python3 tools/moving_picture.py "$out/ur10" docs/measured.svg --from 18.5 --to 26.5 --joints 1,2,3 \
    --azimuth 30 --title "UR10: torques the model has not seen" --note "identified from the first 18 s of the log; error on the rest: $left % of the torques"
else
  echo "$log is not here: docs/measured.svg stays as it is"
fi

cd web
"$armature" simulate ../scenarios/rrr_shaken.yaml -o "$out/shaken" >/dev/null
"$armature" identify rrr "$out/shaken/log.csv" --page "$out/identified" >/dev/null
"$armature" derive rrr --symbolic --page "$out/derived" >/dev/null
"$armature" simulate ../scenarios/rrr_wall.yaml -o "$out/wall" >/dev/null
node test/picture.mjs "$out/wall/index.html" ../docs/page.png light 0.45 1
node test/picture.mjs "$out/identified/index.html" ../docs/friction.png light 0.5 1.5 'figure:has(.title:text("Friction of elbow"))'
node test/picture.mjs "$out/derived/index.html" ../docs/equations.png light 0.5 1.5 '.equations >> nth=1' 640
