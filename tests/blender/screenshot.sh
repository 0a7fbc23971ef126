#!/bin/sh
# Takes a picture of the sidebar under Xvfb: screenshot.sh [OUT.png] [state]. Prints PASS or FAIL.
# Without OUT it updates docs/images/sidebar.png.
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/docs/images/sidebar.png}
state=${2:-ready}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="/usr/bin:$PATH" TMPDIR="$work" LIBGL_ALWAYS_SOFTWARE=1
xvfb-run -a -s "-screen 0 1000x${HEIGHT:-1500}x24" blender --factory-startup --python-exit-code 1 --no-window-focus \
    --window-geometry 0 0 1000 "${HEIGHT:-1500}" --python "$root/tests/blender/screenshot_sidebar.py" \
    -- "$work/window.png" "$state" >"$work/log" 2>&1
set -- $(grep '^SIDEBAR' "$work/log")
if [ $# -ne 5 ] || [ ! -s "$work/window.png" ]; then
    cat "$work/log"
    echo "FAIL sidebar screenshot"
    exit 1
fi
# The sidebar and some of the view beside it, as few colours as it needs.
left=$(($2 - 420))
[ "$left" -lt 0 ] && left=0
/usr/bin/convert "$work/window.png" -crop "$((1000 - left))x${HEIGHT:-1500}+$left+0" +repage -trim +repage \
    -dither None -colors 200 "PNG8:$out"
echo "PASS sidebar screenshot: $out, $(wc -c <"$out") bytes"
