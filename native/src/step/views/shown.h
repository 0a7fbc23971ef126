// The level set as it is shown. The pressure solve needs it continued into solids; here it is cut off at them, and
// films too thin for a cell's centre are made visible.
#ifndef TLW_STEP_VIEWS_SHOWN_H
#define TLW_STEP_VIEWS_SHOWN_H

#include <stdint.h>

// A tlwTileFn (shape/tiles.h) for `user` = a const tlwFlow. Reads phi, solid.
void tlwFillVisibleTile(void *user, int64_t tile, float *values);

#endif
