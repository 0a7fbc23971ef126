# Sourced by run-demo and run-tests: makes sure that what they need is installed. Quick when all is there.
# shellcheck shell=bash

TALLOW_PACKAGES="cmake ninja-build g++ libopenvdb-dev libtbb-dev libboost-iostreams-dev zlib1g-dev libcjson-dev
libcmocka-dev libode-dev blender python3-numpy python3-pytest xvfb xauth xdotool libgl1-mesa-dri imagemagick valgrind
pkg-config clang-format clang-tidy"

# Installs what is missing of the packages above, or of those that are named.
tallow_install_packages() {
    command -v dpkg-query >/dev/null 2>&1 || {
        echo "This is not a Debian system. Please install what these packages hold: $TALLOW_PACKAGES" >&2
        return 0
    }
    local missing="" name names="${*:-$TALLOW_PACKAGES}"
    for name in $names; do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q "ok installed" || missing="$missing $name"
    done
    [ -z "$missing" ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "These packages are missing. Please run: sudo apt-get install$missing" >&2
        return 1
    fi
    echo "Installing:$missing"
    # shellcheck disable=SC2086
    apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

tallow_configure() {
    cmake -G Ninja -C "$1/presets/cmake/release.cmake" -S "$1" -B "$1/build" -DTALLOW_TESTS=ON
}

# Builds into build/: everything, or only the targets that are named.
tallow_build() {
    local root=$1 target targets=()
    shift
    for target in "$@"; do targets+=(--target "$target"); done
    tallow_configure "$root" >/dev/null &&
        cmake --build "$root/build" "${targets[@]}" -- ${TALLOW_JOBS:+-j "$TALLOW_JOBS"}
}

# A Python with numpy and pytest: the first `python3` of the PATH may be another one.
tallow_python() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c "import numpy, pytest" 2>/dev/null; then
            echo "$candidate"
            return 0
        fi
    done
    echo python3
}

# Debian's Blender takes the first Python of the PATH for its own; one without numpy would not do.
export PATH="/usr/bin:$PATH"
