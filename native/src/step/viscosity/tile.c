#include "step/viscosity/tile.h"

#include <math.h>

enum { SIDE = TLW_VISCOUS_SIDE, OCTANTS = TLW_OCTANTS };

static inline float clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Find out whether the tile and a margin hold only liquid, and no solid.
static void look(tlwViscosityTile *work)
{
    float wettest = -INFINITY, nearest = INFINITY;
    for (int k = -2; k < TLW_TILE + 2; k++)
        for (int j = -2; j < TLW_TILE + 2; j++) {
            int64_t row = tlwGetFlowIndex(work, -2, j, k);
            for (int i = 0; i < TLW_TILE + 4; i++) {
                wettest = work->phi[row + i] > wettest ? work->phi[row + i] : wettest;
                nearest = work->solid[row + i] < nearest ? work->solid[row + i] : nearest;
            }
        }
    work->full = wettest < -1.5f * work->dx;
    work->open = nearest > work->dx;
}

static void fillOctants(tlwViscosityTile *work, int i, int j, int k)
{
    float *wet = work->wet[k + 1][j + 1][i + 1], *vacant = work->vacant[k + 1][j + 1][i + 1];
    int64_t at = tlwGetFlowIndex(work, i, j, k);
    float per_half = 2 / work->dx, phi = work->phi[at], solid = work->solid[at];
    float dry[OCTANTS], distance[OCTANTS];
    for (int o = 0; o < OCTANTS; o++)
        dry[o] = phi, distance[o] = solid;
    if (fabsf(phi) < 1.5f * work->dx)
        tlwOctantsFromCells(work->stride, work->phi, at, dry);
    if (fabsf(solid) < 2.5f * work->dx)
        tlwOctantsFromNodes(work->stride, work->solid, at, distance);
    bool all_wet = true, all_dry = true;
    for (int o = 0; o < OCTANTS; o++) {
        vacant[o] = clamp01(0.5f + distance[o] * per_half);
        wet[o] = clamp01(0.5f - dry[o] * per_half) * vacant[o];
        all_wet = all_wet && wet[o] == 1;
        all_dry = all_dry && wet[o] == 0;
    }
    work->content[k + 1][j + 1][i + 1] = all_wet ? TLW_ALL_WET : all_dry ? TLW_ALL_DRY : 0;
}

static float rawViscosity(const tlwViscosityTile *work, int64_t at)
{
    float mu = work->viscosity[at];
    return mu < work->build->stiffest ? mu : work->build->stiffest;
}

// Stiff features thinner than two cells have no shear samples of their own and could move without resistance. So each
// node takes the smallest viscosity of its liquid cells, and each cell at most the largest of its nodes.
static void fillViscosity(tlwViscosityTile *work)
{
    enum { RAW = SIDE + 2, NODES = SIDE + 1 };
    float raw[RAW][RAW][RAW], node[NODES][NODES][NODES];
    bool same = true;
    for (int k = 0; k < RAW; k++)
        for (int j = 0; j < RAW; j++)
            for (int i = 0; i < RAW; i++) {
                int64_t at = tlwGetFlowIndex(work, i - 2, j - 2, k - 2);
                float mu = rawViscosity(work, at);
                raw[k][j][i] = work->phi[at] < 0.5f * work->dx && mu > 0 ? mu : INFINITY;
                if (i > 0 && j > 0 && k > 0 && i <= SIDE && j <= SIDE && k <= SIDE)
                    work->mu[k - 1][j - 1][i - 1] = mu;
                same = same && raw[k][j][i] == raw[0][0][0];
            }
    if (same || work->build->def->keep_thin_stiff)
        return;
    for (int k = 0; k < NODES; k++)
        for (int j = 0; j < NODES; j++)
            for (int i = 0; i < NODES; i++) {
                float least = INFINITY;
                for (int m = 0; m < 8; m++) {
                    float mu = raw[k + (m >> 2)][j + (m >> 1 & 1)][i + (m & 1)];
                    least = mu < least ? mu : least;
                }
                node[k][j][i] = least;
            }
    for (int k = 0; k < SIDE; k++)
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                float most = 0;
                for (int m = 0; m < 8; m++) {
                    float mu = node[k + (m >> 2)][j + (m >> 1 & 1)][i + (m & 1)];
                    most = mu > most && mu < INFINITY ? mu : most;
                }
                float *mu = &work->mu[k][j][i];
                *mu = *mu > most && most > 0 && raw[k + 1][j + 1][i + 1] < INFINITY ? most : *mu;
            }
}

// What the edges average.
static inline float toAverage(tlwEdgeMean mean, float mu)
{
    return mean == TLW_EDGE_HARMONIC ? 1 / mu : mean == TLW_EDGE_GEOMETRIC ? logf(mu) : mu;
}

static void fillTables(tlwViscosityTile *work)
{
    const float *density = work->density;
    for (int k = 0; k < SIDE; k++)
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                float rho = density[tlwGetFlowIndex(work, i - 1, j - 1, k - 1)];
                work->averaged[k][j][i] = toAverage(work->build->def->edge_mean, work->mu[k][j][i]);
                work->rho[k][j][i] = rho > 0 ? rho : work->build->density;
            }
    work->layered = false;
    const tlwViscosityDef *def = work->build->def;
    if (def->fluidity_slope[0] < 0 || def->edge_mean != TLW_EDGE_HARMONIC)
        return;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                for (int i = 0; i < SIDE; i++) {
                    int64_t at = tlwGetFlowIndex(work, i - 1, j - 1, k - 1);
                    float slope = tlwGetFloats(work->flow, def->fluidity_slope[a])[at];
                    bool own = work->mu[k][j][i] == rawViscosity(work, at); // not softened as a thin feature
                    work->slope[a][k][j][i] = own ? slope : 0;
                    work->layered = work->layered || (own && slope != 0);
                }
}

void tlwFillViscosityTile(tlwViscosityTile *work)
{
    look(work);
    fillViscosity(work);
    fillTables(work);
    for (int k = -1; k < TLW_TILE && !(work->full && work->open); k++)
        for (int j = -1; j < TLW_TILE; j++)
            for (int i = -1; i < TLW_TILE; i++)
                fillOctants(work, i, j, k);
}
