// The world over time: gravity, the air, the speed of heat, and how the time of the shot becomes simulated time.
//
// Keys are given in seconds of the shot. The simulation runs in simulated seconds, of which `time_scale` pass in each
// second of the shot. Without keys and with a time scale of 1 both are the same, to the last bit.
#ifndef TLW_SCENE_WORLD_H
#define TLW_SCENE_WORLD_H

#include "base/result.h"

typedef struct tlwScene tlwScene;

// Checks the world of a definition and its keys.
tlwResult tlwCheckWorld(const tlwSceneDef *def, tlwMessage *message);

// Copies the keys of the scene's definition and finds when they are in simulated time.
tlwResult tlwCopyWorldKeys(tlwScene *scene);
void tlwFreeWorldKeys(tlwScene *scene);

// The world at a simulated time. Constant before the first and after the last key.
tlwWorldKey tlwSampleWorld(const tlwScene *scene, double time);

// Whether the scene has keys of the world that differ.
bool tlwIsWorldKeyed(const tlwScene *scene);

// One thermal_speed for all time.
void tlwSetThermalSpeed(tlwScene *scene, double speed);

// Seconds of the shot to simulated seconds, and back.
double tlwGetSimulatedTime(const tlwScene *scene, double shot);
double tlwGetShotTime(const tlwScene *scene, double simulated);

// Simulated seconds from a frame to the next.
double tlwGetFrameLength(const tlwScene *scene, int frame);

#endif
