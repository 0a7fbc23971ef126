// Smoothing of the shown surface.
#ifndef TLW_STEP_VIEWS_SMOOTH_H
#define TLW_STEP_VIEWS_SMOOTH_H

#include "step/views/volume.h"

// Take ripples of a few triangles out of a closed mesh, in `rounds` of a shrinking and a growing step that together
// keep what is larger (Taubin 1995). Vertices on the domain's sides stay on them, those on solids stay where they are.
tlwResult tlwSmoothMesh(tlwThreads *threads, const tlwShownMesh *shown, int rounds);

#endif
