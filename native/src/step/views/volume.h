// Volume of the shown surface. A mesh of whole cells misses drops and sheets that hold no cell's centre. It cuts
// corners where the surface is round, and reaches a little into solids. So its volume must be fitted to that of the
// particles.
#ifndef TLW_STEP_VIEWS_VOLUME_H
#define TLW_STEP_VIEWS_VOLUME_H

#include "step/views/open_volume.h"

// Move the mesh's free surface until the mesh holds the volume `target` outside solids: everywhere by the same
// distance, at most 0.15 cells out or 0.03 in. *volume becomes what the mesh then holds, m3. Parts on
// solids or on the domain's sides stay there.
tlwResult tlwFitVolume(tlwThreads *threads, const tlwShownMesh *shown, double target, double *volume);

#endif
