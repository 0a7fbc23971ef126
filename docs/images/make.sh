#!/usr/bin/env bash
# Makes pictures of the documentation from fresh bakes: one contact sheet of six frames per ready scene, and sidebar.png.
#   docs/images/make.sh [NAME...]     all scenes and the sidebar unless some are named; RENDER_ONLY=1 takes bakes that are there
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
images="$root/docs/images" out="$root/out/sheets"
export PATH="/usr/bin:$PATH"

sheet() {
    rm -f "$out/$1"_[0-9]*.png
    blender -b --factory-startup --python-exit-code 1 --python "$root/addon/tallow/demo/run.py" -- \
        --scene "$1" --out "$out" --size 165 --samples "${SAMPLES:-24}" ${RENDER_ONLY:+--reuse} | grep -E "MEASURED|Error" || true
    local first=("$out/$1"_[0-9]*.png) tile=3x
    [ "$(identify -format '%[fx:w<h]' "${first[0]}")" = 1 ] && tile=6x
    montage "$out/$1"_[0-9]*.png -tile $tile -geometry +2+2 -background black -depth 8 -colors 256 "PNG8:$images/$1.png"
}

mkdir -p "$out"
names=("$@")
if [ $# -eq 0 ]; then
    mapfile -t names < <(blender -b --factory-startup --python "$root/addon/tallow/demo/run.py" -- --scene list --out "$out" |
        awk '/^[a-z_]+ {2,}/ {print $1}')
    "$root/tests/blender/screenshot.sh" "$images/sidebar.png"
fi
for name in "${names[@]}"; do sheet "$name"; done
