// One frame of a cache: its files and its entry in bake.json.
#ifndef TLW_CACHE_FRAME_H
#define TLW_CACHE_FRAME_H

#include "cache/text.h"
#include "scene/scene.h"

// Writes what the scene asks for (surface, mesh, particles, rigid bodies) for the simulation's present state and leaves
// the frame's JSON object in `entry`. `seconds` is the wall clock of the step; the time of writing is added to it.
tlwResult tlwWriteFrame(tlwSim *sim, const tlwScene *scene, const char *folder, int frame, double seconds,
                        tlwText *entry);

#endif
