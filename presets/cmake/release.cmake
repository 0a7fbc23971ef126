# cmake -C presets/cmake/release.cmake -S . -B build
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(TALLOW_SANITIZE OFF CACHE BOOL "")
