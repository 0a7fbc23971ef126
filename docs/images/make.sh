#!/usr/bin/env bash
# Makes pictures of the documentation from fresh bakes: one contact sheet of six frames per ready scene, and sidebar.png.
# docs/guide/make-pictures makes those of the guide, and hero.webp of the README.
#   docs/images/make.sh [NAME...]     all unless some are named; RENDER_ONLY=1 takes bakes that are there
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
images="$root/docs/images" out="$root/out/sheets"
export PATH="/usr/bin:$PATH"

pictures() { # FOLDER SCENE OPTION...
    rm -f "$1/$2"_[0-9]*.png
    blender -b --factory-startup --python-exit-code 1 --python "$root/addon/tallow/demo/run.py" -- \
        --out "$1" --scene "${@:2}" ${RENDER_ONLY:+--reuse} | grep -E "MEASURED|Error" || true
}

# Rendered at twice the size and halved: four times the samples without a denoiser. JPEG keeps all colours in less than 100 KB.
sheet() {
    pictures "$out" "$1" --size 330 --samples "${SAMPLES:-24}"
    local first=("$out/$1"_[0-9]*.png) tile=3x
    [ "$(identify -format '%[fx:w<h]' "${first[0]}")" = 1 ] && tile=6x
    montage "$out/$1"_[0-9]*.png -resize 50% -tile $tile -geometry +2+2 -background black -quality 90 "$images/$1.jpg"
}

mkdir -p "$out"
names=("$@")
if [ $# -eq 0 ]; then
    mapfile -t names < <(blender -b --factory-startup --python "$root/addon/tallow/demo/run.py" -- --scene list --out "$out" |
        awk '/^[a-z_]+  +/ {print $1}')
    "$root/tests/blender/screenshot.sh" "$images/sidebar.png"
fi
for name in "${names[@]}"; do
    sheet "$name"
done
