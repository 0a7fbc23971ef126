// Writes frames while the simulation goes on: one frame at a time, from a copy of its state, on a thread of its own.
#ifndef TLW_CACHE_OUTPUT_H
#define TLW_CACHE_OUTPUT_H

#include "cache/text.h"
#include "tallow/tallow.h"

typedef struct tlwOutput tlwOutput;

// Null when memory is out.
tlwOutput *tlwCreateOutput(const tlwScene *scene, const char *folder);
void tlwDestroyOutput(tlwOutput *output); // waits; may be null

// Copy the simulation's state and begin to write the frame. The frame before must have been finished.
// `seconds` is the wall clock since the last frame began, `waited` what of it went into output.
tlwResult tlwStartOutput(tlwOutput *output, const tlwSim *sim, int frame, double seconds, double waited);

// Wait until the frame's files are on the disk. `entry` becomes its JSON object; lives until the next start.
tlwResult tlwFinishOutput(tlwOutput *output, const tlwText **entry);

#endif
