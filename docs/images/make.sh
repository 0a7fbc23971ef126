#!/usr/bin/env bash
# Makes the pictures of the documentation from a fresh bake: melting_suzanne.png (four frames side by side) and sidebar.png.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/run-demo" --frames 33 --resolution 48 --size 300 --samples 24 --step 8
frame="$root/out/demo/melting_suzanne_00"
convert "${frame}01.png" "${frame}09.png" "${frame}17.png" "${frame}33.png" +append -resize 1200x -colors 128 "$root/docs/images/melting_suzanne.png"
"$root/tests/blender/screenshot.sh" "$root/docs/images/sidebar.png"
