#!/usr/bin/env bash
# Makes the pictures of the documentation from a fresh bake: melting_suzanne.png (three frames side by side) and sidebar.png.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/run-demo" --frames 49 --resolution 56 --size 360 --samples 24 --step 16
frames=("$root"/out/demo/melting_suzanne_*.png)
convert "${frames[@]:0:4}" +append -quality 90 -colors 128 "$root/docs/images/melting_suzanne.png"
"$root/tests/blender/screenshot.sh" "$root/docs/images/sidebar.png"
