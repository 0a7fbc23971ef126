// The coefficients of a heat step, private to the files of this room.
#ifndef TLW_STEP_HEAT_SYSTEM_H
#define TLW_STEP_HEAT_SYSTEM_H

#include "step/heat/heat.h"

#include <math.h>

// Heat content as three straight pieces, h(T) = cs T + (cm - cs) (T - ts)+ + (cl - cm) (T - te)+. A change of slope is
// stored as a rise or as a fall, since the nested Newton method treats the two differently.
typedef struct tlwHeatCurve {
    double ts, te;           // K, where melting starts and ends
    double cs;               // J/kg K, below ts
    double rise[2], fall[2]; // J/kg K, added to and taken off the slope at ts and te
    double hs, he;           // J/kg at ts and te
    double cm, cl;           // slopes between and above
    double conductivity[2];  // solid, liquid
} tlwHeatCurve;

// Materials with a sharp melting point melt over this many kelvin in the solve.
#define TLW_HEAT_MIN_SPAN 0.02

tlwHeatCurve tlwMakeHeatCurve(const tlwMaterial *material);

// The integral of conductivity over temperature (Kirchhoff), W/m.
static inline double tlwGetConductivityIntegral(const tlwHeatCurve *c, double t)
{
    if (t <= c->ts || !isfinite(c->ts))
        return c->conductivity[0] * (isfinite(c->ts) ? t - c->ts : t);
    double span = c->te - c->ts, x = t < c->te ? t - c->ts : span;
    double mush = c->conductivity[0] * x + 0.5 * (c->conductivity[1] - c->conductivity[0]) * x * x / span;
    return t < c->te ? mush : mush + c->conductivity[1] * (t - c->te);
}

// Conductivity of a path of one material from one temperature to another: the mean over temperature. A melting front
// is thus no part of the path, whatever lies behind it.
static inline double tlwGetPathConductivity(const tlwHeatCurve *c, double from, double to)
{
    return (tlwGetConductivityIntegral(c, to) - tlwGetConductivityIntegral(c, from)) / (to - from);
}

// The piece that a temperature lies on: 0 solid, 1 melting, 2 liquid.
static inline int tlwGetHeatPiece(const tlwHeatCurve *c, double t)
{
    return (t > c->ts) + (t > c->te);
}

static inline double tlwGetCurveTemperature(const tlwHeatCurve *c, double h)
{
    if (h <= c->hs)
        return h / c->cs;
    return h < c->he ? c->ts + (h - c->hs) / c->cm : c->te + (h - c->he) / c->cl;
}

// Heat content with the rising slopes of one piece and the falling slopes of another; `slope` is its derivative.
// With both pieces equal to t's own this is h(t).
static inline double tlwGetCurveEnthalpy(const tlwHeatCurve *c, double t, int rise_piece, int fall_piece, double *slope)
{
    double h = c->cs * t, s = c->cs;
    if (rise_piece > 0 || fall_piece > 0) {
        double a = (rise_piece > 0 ? c->rise[0] : 0) - (fall_piece > 0 ? c->fall[0] : 0);
        double b = (rise_piece > 1 ? c->rise[1] : 0) - (fall_piece > 1 ? c->fall[1] : 0);
        h += a * (t - c->ts) + b * (t - c->te);
        s += a + b;
    }
    *slope = s;
    return h;
}

// The temperature after a Newton step of `change` along the slope of a piece. A step that leaves its piece keeps its
// change of heat content and not that of temperature. So it lands next to the corner and not far beyond it (Swaminathan
// and Voller 1993).
static inline double tlwFollowHeatCurve(const tlwHeatCurve *c, double t, int piece, double change)
{
    double slope, h = tlwGetCurveEnthalpy(c, t, piece, piece, &slope);
    return tlwGetHeatPiece(c, t + change) == piece ? t + change : tlwGetCurveTemperature(c, h + slope * change);
}

// Everything is multiplied by dt * thermal_speed already: conductances are J/K, sources J.
typedef struct tlwHeatSystem {
    tlwThreads *threads;
    tlwFlow *flow;
    const tlwHeatDef *def;
    double step; // s, dt * thermal_speed
    tlwHeatCurve *curves;
    int slots[15], slot_count; // borrowed

    const double *mass;
    const uint8_t *material;
    const float *enthalpy;
    double *temperature;
    double *heat;
    float *weight[3]; // conductance across lower faces
    float *air;       // conductance to the air
    float *contact;   // conductance to the object in `object`
    float *source;    // J
    uint8_t *axis;    // axis along which most of the outside exchange happens
    int16_t *object;  // where there is contact
    float *fill;      // volume of the cell's mass over the cell's
} tlwHeatSystem;

// Borrow the fields and fill in the coefficients.
tlwResult tlwAssembleHeat(tlwThreads *threads, tlwFlow *flow, const tlwHeatDef *def, int mass, int heat,
                          tlwHeatSystem *system, tlwHeatStats *stats, tlwMessage *message);
void tlwFreeHeatSystem(tlwHeatSystem *system);

// Area in m2 of the free surface that belongs to a cell with mass, and its outward normal (zero when it has no
// direction).
double tlwGetCellSurface(const tlwHeatSystem *system, int64_t cell, tlwVec3 *normal);

#endif
