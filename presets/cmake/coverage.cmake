# cmake -C presets/cmake/coverage.cmake -S . -B build-coverage : counts which lines run (./run-tests coverage)
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
# Worker threads share the counters: without atomic ones gcov finds numbers below zero.
set(CMAKE_C_FLAGS_DEBUG "-O1 -g --coverage -fprofile-update=atomic -DTLW_COVERAGE=1" CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 --coverage -fprofile-update=atomic" CACHE STRING "")
set(TALLOW_SANITIZE OFF CACHE BOOL "")
