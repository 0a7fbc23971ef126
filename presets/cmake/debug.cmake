# cmake -C presets/cmake/debug.cmake -S . -B build-debug : address and undefined-behaviour sanitizers
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(TALLOW_SANITIZE ON CACHE BOOL "")
