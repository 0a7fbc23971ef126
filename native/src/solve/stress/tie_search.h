// Finds the faces of ties; private to stress/ties.c.
#ifndef TLW_SOLVE_STRESS_TIE_SEARCH_H
#define TLW_SOLVE_STRESS_TIE_SEARCH_H

#include "solve/stress/ties.h"

// Lists the faces of the ties, in the order of the window. Their matrices are left null.
tlwResult tlwSearchTies(tlwThreads *threads, const tlwStressLevel *level, tlwStressTies *ties);

#endif
