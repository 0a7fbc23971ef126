// Hand-made fields for the heat tests: a box of cells [0, n) with chosen material. Along y and z it fills the domain,
// along x the domain goes on.
#ifndef HEAT_FIXTURE_H
#define HEAT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "step/heat/heat.h"

#define OFFSET TLW_TILE // domain cell of the box's first cell, along x

typedef struct Box {
    tlwFlow flow;
    int n[3];
    int mass, heat;
} Box;

static inline int addField(tlwGrid *grid, double value)
{
    float background = (float)value;
    int slot = tlwAddField(grid, sizeof background, &background, false);
    assert_true(slot >= 0);
    return slot;
}

static inline Box makeBox(int nx, int ny, int nz, double dx)
{
    Box box = {.n = {nx, ny, nz}};
    tlwFlow *f = &box.flow;
    tlwInitGrid(&f->grid, (tlwVec3){-OFFSET * dx, 0, 0}, (int[3]){nx + 2 * OFFSET, ny, nz}, dx);
    f->phi = addField(&f->grid, TLW_PHI_BAND * dx);
    f->solid = addField(&f->grid, TLW_PHI_BAND * dx);
    int *zero[] = {&f->density, &f->viscosity, &f->fill, &f->temperature, &f->enthalpy, &f->melt};
    for (int i = 0; i < 6; i++)
        *zero[i] = addField(&f->grid, 0);
    for (int a = 0; a < 3; a++)
        f->open[a] = addField(&f->grid, 1);
    uint8_t byte = 0;
    int16_t none = -1;
    int32_t piece = 0;
    double mass = 0;
    f->material = tlwAddField(&f->grid, 1, &byte, false);
    f->solid_object = tlwAddField(&f->grid, sizeof none, &none, false);
    f->piece = tlwAddField(&f->grid, sizeof piece, &piece, false);
    box.mass = tlwAddField(&f->grid, sizeof mass, &mass, false);
    box.heat = tlwAddField(&f->grid, sizeof mass, &mass, false);
    int tiles[3], count = 0;
    for (int a = 0; a < 3; a++)
        tiles[a] = box.n[a] / TLW_TILE + 1;
    int(*coords)[3] = tlwAlloc((size_t)tiles[0] * tiles[1] * tiles[2], sizeof *coords);
    for (int k = 0; k < tiles[2]; k++)
        for (int j = 0; j < tiles[1]; j++)
            for (int i = 0; i < tiles[0]; i++, count++) {
                coords[count][0] = i + OFFSET / TLW_TILE;
                coords[count][1] = j;
                coords[count][2] = k;
            }
    assert_int_equal(tlwActivateTiles(NULL, &f->grid, (const int(*)[3])coords, count), TLW_OK);
    tlwFree(coords);
    return box;
}

static inline int64_t at(const Box *box, int i, int j, int k)
{
    return tlwCellIndex(&box->flow.grid, i + OFFSET, j, k);
}

// A full cell of material 0 at a temperature.
static inline void setCell(Box *box, const tlwMaterial *material, int64_t c, double enthalpy)
{
    tlwFlow *f = &box->flow;
    double dx = f->grid.dx, density = tlwGetDensity(material, tlwGetMelt(material, enthalpy));
    tlwGetDoubles(&f->grid, box->mass)[c] = density * dx * dx * dx;
    tlwGetFloats(&f->grid, f->enthalpy)[c] = (float)enthalpy;
}

// Fill the whole box and close its six sides with object 0.
static inline void fillBox(Box *box, const tlwMaterial *material, double temperature)
{
    tlwFlow *f = &box->flow;
    double dx = f->grid.dx;
    for (int k = 0; k < box->n[2]; k++)
        for (int j = 0; j < box->n[1]; j++)
            for (int i = 0; i < box->n[0]; i++) {
                int64_t c = at(box, i, j, k);
                setCell(box, material, c, tlwGetEnthalpy(material, temperature));
                tlwGetFloats(&f->grid, f->phi)[c] = (float)(-TLW_PHI_BAND * dx);
            }
    for (int a = 0; a < 3; a++)
        for (int k = 0; k <= box->n[2]; k++)
            for (int j = 0; j <= box->n[1]; j++)
                for (int i = 0; i <= box->n[0]; i++) {
                    int p[3] = {i, j, k};
                    if (p[a] == 0 || p[a] == box->n[a])
                        tlwGetFloats(&f->grid, f->open[a])[at(box, i, j, k)] = 0;
                }
}

// Make the side x = 0 an object's surface.
static inline void setWall(Box *box, int object)
{
    tlwFlow *f = &box->flow;
    for (int k = 0; k < box->n[2] + 1; k++)
        for (int j = 0; j < box->n[1] + 1; j++)
            for (int i = 0; i < 4; i++) {
                tlwGetFloats(&f->grid, f->solid)[at(box, i, j, k)] = (float)(i * f->grid.dx);
                ((int16_t *)f->grid.fields[f->solid_object].data)[at(box, i, j, k)] = (int16_t)object;
            }
}

// Apply what the step gave to the cells.
static inline void applyHeat(Box *box)
{
    tlwGrid *grid = &box->flow.grid;
    const double *mass = tlwGetDoubles(grid, box->mass), *heat = tlwGetDoubles(grid, box->heat);
    float *h = tlwGetFloats(grid, box->flow.enthalpy);
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (mass[c] > 0)
                    h[c] = (float)(h[c] + heat[c] / mass[c]);
}

static inline double sumHeat(const Box *box)
{
    const tlwGrid *grid = &box->flow.grid;
    const double *heat = tlwGetDoubles(grid, box->heat);
    double sum = 0;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                sum += heat[c];
    return sum;
}

static inline double getCellEnthalpy(const Box *box, int i, int j, int k)
{
    return tlwGetFloats(&box->flow.grid, box->flow.enthalpy)[at(box, i, j, k)];
}

// A material with round numbers: alpha = 1e-6 m2/s in both phases unless changed afterwards.
static inline tlwMaterialDef defineWax(double latent_heat, double solidus, double liquidus)
{
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = "wax";
    def.density_solid = def.density_liquid = 1000;
    def.specific_heat_solid = def.specific_heat_liquid = 2000;
    def.conductivity_solid = def.conductivity_liquid = 2;
    def.solidus = solidus;
    def.liquidus = liquidus;
    def.latent_heat = latent_heat;
    return def;
}

static inline tlwMaterial makeMaterial(const tlwMaterialDef *def)
{
    tlwMaterial material;
    tlwMessage message;
    assert_int_equal(tlwMakeMaterial(def, &material, &message), TLW_OK);
    return material;
}

static inline tlwHeatDef defineHeat(const tlwMaterial *material, double dt)
{
    return (tlwHeatDef){
        .materials = material, .material_count = 1, .ambient_temperature = 293.15, .thermal_speed = 1, .dt = dt};
}

static inline tlwHeatStats runStep(Box *box, const tlwHeatDef *def, tlwThreads *threads)
{
    tlwHeatStats stats;
    tlwMessage message = {""};
    tlwResult result = tlwSolveHeat(threads, &box->flow, def, box->mass, box->heat, &stats, &message);
    if (result != TLW_OK)
        print_message("%s\n", message.text);
    assert_int_equal(result, TLW_OK);
    applyHeat(box);
    return stats;
}

#endif
