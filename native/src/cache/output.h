// Writes frames while the simulation continues: one frame at a time, from a copy of its state, on a separate thread.
#ifndef TLW_CACHE_OUTPUT_H
#define TLW_CACHE_OUTPUT_H

#include "cache/text.h"
#include "tallow/tallow.h"

typedef struct tlwOutput tlwOutput;

// Null when memory is out.
tlwOutput *tlwCreateOutput(const tlwScene *scene, const char *folder);
void tlwDestroyOutput(tlwOutput *output); // waits; may be null

// Copy the simulation's state and begin to write the frame. Call tlwFinishOutput for the previous frame first.
// `seconds` and `waited` are those of tlwFrameTimes.
tlwResult tlwStartOutput(tlwOutput *output, const tlwSim *sim, int frame, double seconds, double waited);

// Wait until the frame's files are on the disk. `entry` becomes the frame's JSON object, which lives until the next
// tlwStartOutput.
tlwResult tlwFinishOutput(tlwOutput *output, const tlwText **entry);

#endif
