#include "step/heat/particles.h"

#include "base/memory.h"
#include "base/vec.h"
#include "step/heat/material_state.h"

#include <math.h>
#include <stdatomic.h>

#define NOISE_SHARE 0.01   // least PIC share, also when nothing conducts
#define SUBCELL_DECAY 10.0 // pi^2: how fast conduction evens out differences within a cell
#define SHIFT_ROUNDS 12

typedef struct Transfer {
    tlwFlow *flow;
    const tlwParticles *particles;
    const tlwParticleOrder *order;
    const tlwMaterial *materials;
    double *mass, *heat;
    double ambient, share, front_share;
    atomic_bool failed;
} Transfer;

static int64_t getIndex(const tlwGrid *grid, const tlwTile *tile, int cell)
{
    return tile->base + cell % TLW_TILE + cell / TLW_TILE % TLW_TILE * grid->stride_y +
           cell / (TLW_TILE * TLW_TILE) * grid->stride_z;
}

static uint8_t findMaterial(const tlwParticles *p, int64_t begin, int64_t end)
{
    uint8_t best = p->material[begin];
    double best_mass = -1;
    for (int64_t n = begin; n < end; n++) {
        uint8_t candidate = p->material[n];
        if (best_mass >= 0 && candidate == best)
            continue;
        double mass = 0;
        for (int64_t m = begin; m < end; m++)
            mass += p->material[m] == candidate ? p->mass[m] : 0;
        if (mass > best_mass) {
            best = candidate;
            best_mass = mass;
        }
    }
    return best;
}

static void gatherCell(Transfer *t, int64_t cell, int64_t begin, int64_t end)
{
    const tlwParticles *p = t->particles;
    const tlwFlow *flow = t->flow;
    const tlwGrid *grid = &flow->grid;
    uint8_t own = findMaterial(p, begin, end);
    const tlwMaterial *material = &t->materials[own];
    double mass = 0, energy = 0;
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *m = &t->materials[p->material[n]];
        double h = p->enthalpy[n];
        if (m != material)
            h = tlwGetEnthalpy(material, tlwGetTemperature(m, h));
        mass += p->mass[n];
        energy += p->mass[n] * h;
    }
    if (!(mass > 0))
        return;
    double h = energy / mass;
    t->mass[cell] = mass;
    tlwGetBytes(grid, flow->material)[cell] = own;
    tlwGetFloats(grid, flow->enthalpy)[cell] = (float)h;
    tlwGetFloats(grid, flow->temperature)[cell] = (float)tlwGetTemperature(material, h);
    tlwGetFloats(grid, flow->melt)[cell] = (float)tlwGetMelt(material, h);
}

static void gatherRange(void *context, int64_t begin, int64_t end)
{
    Transfer *t = context;
    const tlwFlow *flow = t->flow;
    const tlwGrid *grid = &flow->grid;
    for (int64_t tile = begin; tile < end; tile++) {
        TLW_FOR_ROWS(grid, &grid->tiles[tile], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                t->mass[c] = 0;
                tlwGetBytes(grid, flow->material)[c] = 0;
                tlwGetFloats(grid, flow->enthalpy)[c] = 0;
                tlwGetFloats(grid, flow->temperature)[c] = (float)t->ambient;
                tlwGetFloats(grid, flow->melt)[c] = 0;
            }
        const int32_t *cells = t->order->cell_start + tile * (TLW_TILE_CELLS + 1);
        for (int cell = 0; cell < TLW_TILE_CELLS; cell++)
            if (cells[cell + 1] > cells[cell])
                gatherCell(t, getIndex(grid, &grid->tiles[tile], cell), t->order->tile_start[tile] + cells[cell],
                           t->order->tile_start[tile] + cells[cell + 1]);
    }
}

void tlwGatherHeat(tlwThreads *threads, tlwFlow *flow, const tlwParticles *particles, const tlwParticleOrder *order,
                   const tlwMaterial *materials, double ambient_temperature, int mass)
{
    Transfer t = {.flow = flow,
                  .particles = particles,
                  .order = order,
                  .materials = materials,
                  .mass = tlwGetDoubles(&flow->grid, mass),
                  .ambient = ambient_temperature};
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, gatherRange, &t);
}

// A tile's cells and one more on each side.
#define SIDE (TLW_TILE + 2)
typedef struct Block {
    float change[SIDE * SIDE * SIDE];     // J/kg
    float fresh[SIDE * SIDE * SIDE];      // new enthalpy, J/kg
    int16_t material[SIDE * SIDE * SIDE]; // -1 = no mass
    bool still;                           // no cell changes, and all have the same enthalpy
} Block;

static void loadBlock(const Transfer *t, const tlwTile *tile, Block *b)
{
    const tlwGrid *grid = &t->flow->grid;
    const float *enthalpy = tlwGetFloats(grid, t->flow->enthalpy);
    const uint8_t *material = tlwGetBytes(grid, t->flow->material);
    float low = INFINITY, high = -INFINITY;
    int n = 0;
    b->still = true;
    for (int k = -1; k <= TLW_TILE; k++)
        for (int j = -1; j <= TLW_TILE; j++)
            for (int i = -1; i <= TLW_TILE; i++, n++) {
                int64_t c = tile->base + i + j * grid->stride_y + k * grid->stride_z;
                b->material[n] = -1;
                if (!(t->mass[c] > 0))
                    continue;
                b->material[n] = material[c];
                b->change[n] = (float)(t->heat[c] / t->mass[c]);
                b->fresh[n] = (float)(enthalpy[c] + t->heat[c] / t->mass[c]);
                b->still = b->still && b->change[n] == 0;
                low = b->fresh[n] < low ? b->fresh[n] : low;
                high = b->fresh[n] > high ? b->fresh[n] : high;
            }
    b->still = b->still && !(high > low);
}

// A cell and the 26 around it. A neighbour without mass or of another material counts as the cell itself.
typedef struct Hood {
    float change[27], fresh[27];
    float low, high; // of the new values
    int material;
    bool front; // frozen and molten material meet here
} Hood;

static void loadHood(const Block *b, int cell, Hood *h)
{
    int own = cell % TLW_TILE + 1 + SIDE * (cell / TLW_TILE % TLW_TILE + 1) +
              SIDE * SIDE * (cell / (TLW_TILE * TLW_TILE) + 1);
    h->material = b->material[own];
    h->low = h->high = b->fresh[own];
    for (int q = 0; q < 27; q++) {
        int c = own + q % 3 - 1 + SIDE * (q / 3 % 3 - 1) + SIDE * SIDE * (q / 9 - 1);
        c = b->material[c] == h->material ? c : own;
        h->change[q] = b->change[c];
        h->fresh[q] = b->fresh[c];
        h->low = h->fresh[q] < h->low ? h->fresh[q] : h->low;
        h->high = h->fresh[q] > h->high ? h->fresh[q] : h->high;
    }
}

static inline float mix(const float *v, float x, float y, float z)
{
    float a = v[0] + x * (v[1] - v[0]), b = v[3] + x * (v[4] - v[3]);
    float c = v[9] + x * (v[10] - v[9]), d = v[12] + x * (v[13] - v[12]);
    float e = a + y * (b - a), f = c + y * (d - c);
    return e + z * (f - e);
}

// A particle's new enthalpy, and the limits within which it may be shifted.
typedef struct Value {
    double h, low, high;
} Value;

static inline Value movePart(const Transfer *t, const Hood *hood, const int corner[3], int64_t n)
{
    const tlwParticles *p = t->particles;
    double h = p->enthalpy[n];
    if (p->material[n] != hood->material) { // a guest takes the cell's change and nears its temperature
        const tlwMaterial *guest = &t->materials[p->material[n]], *host = &t->materials[hood->material];
        double gap = tlwGetTemperature(host, hood->fresh[13]) - tlwGetTemperature(guest, h);
        return (Value){h + hood->change[13] + t->share * tlwGetSpecificHeat(guest, tlwGetMelt(guest, h)) * gap,
                       -INFINITY, INFINITY};
    }
    float w[3];
    int base = 0;
    for (int a = 0, stride = 1; a < 3; a++, stride *= 3) {
        float x =
            p->position[a][n] - (float)corner[a] - 0.5f; // the particle may have moved a little since it was sorted
        base += x < 0 ? 0 : stride;
        x = x < 0 ? x + 1 : x;
        w[a] = x < 0 ? 0 : x > 1 ? 1 : x;
    }
    Value v = {.low = hood->low < h ? hood->low : h, .high = hood->high > h ? hood->high : h};
    double flip = h + mix(hood->change + base, w[0], w[1], w[2]);
    double pic = mix(hood->fresh + base, w[0], w[1], w[2]);
    if (hood->front) { // latent heat does not conduct, so only temperatures even out
        const tlwMaterial *m = &t->materials[hood->material];
        double gap = tlwGetTemperature(m, pic) - tlwGetTemperature(m, flip);
        pic = flip + tlwGetSpecificHeat(m, tlwGetMelt(m, flip)) * gap;
    }
    v.h = tlwClamp(flip + (hood->front ? t->front_share : t->share) * (pic - flip), v.low, v.high);
    return v;
}

// Shift a cell's particles until together they have received its heat. Particles at their limit stay. The last round
// moves all; it is reached only when guests upset the balance.
static void shiftParts(const Transfer *t, Value *values, int64_t begin, int64_t count, double missing, double mass)
{
    const float *m = t->particles->mass + begin;
    for (int round = 0; round < SHIFT_ROUNDS && fabs(missing) > 1e-12 * mass; round++) {
        bool last = round + 1 == SHIFT_ROUNDS;
        double movable = 0;
        for (int64_t n = 0; n < count; n++)
            movable += last || (missing > 0 ? values[n].h < values[n].high : values[n].h > values[n].low) ? m[n] : 0;
        double shift = movable > 0 ? missing / movable : 0;
        for (int64_t n = 0; n < count; n++) {
            double h = values[n].h + shift;
            h = last ? h : tlwClamp(h, values[n].low, values[n].high);
            missing -= m[n] * (h - values[n].h);
            values[n].h = h;
        }
    }
}

// Whether frozen and molten material meet in a cell or next to it. False for cells with guests: the heat contents
// around them are those of mixtures.
static bool isFront(const Transfer *t, const Hood *hood, int64_t first, int64_t next)
{
    const tlwMaterial *m = &t->materials[hood->material];
    double limit = m->enthalpy_solidus + TLW_FROZEN_MELT * m->def.latent_heat, low = hood->low, high = hood->high;
    if (!m->melts || m->def.frozen != TLW_FROZEN_RIGID)
        return false;
    for (int64_t n = first; n < next; n++) {
        if (t->particles->material[n] != hood->material)
            return false;
        low = fmin(low, t->particles->enthalpy[n]);
        high = fmax(high, t->particles->enthalpy[n]);
    }
    return low < limit && high >= limit;
}

static void returnTile(Transfer *t, int64_t tile_number, Block *b, Value *values)
{
    const tlwGrid *grid = &t->flow->grid;
    const tlwTile *tile = &grid->tiles[tile_number];
    const tlwParticles *p = t->particles;
    double carry = 0; // J that rounding has held back so far
    Hood hood;
    const int32_t *cells = t->order->cell_start + tile_number * (TLW_TILE_CELLS + 1);
    for (int cell = 0; cell < TLW_TILE_CELLS; cell++) {
        int64_t first = t->order->tile_start[tile_number] + cells[cell], next = first + cells[cell + 1] - cells[cell];
        if (next == first)
            continue;
        loadHood(b, cell, &hood);
        if (hood.material < 0)
            continue;
        hood.front = isFront(t, &hood, first, next);
        int corner[3] = {tile->cell[0] + cell % TLW_TILE, tile->cell[1] + cell / TLW_TILE % TLW_TILE,
                         tile->cell[2] + cell / (TLW_TILE * TLW_TILE)};
        double missing = t->heat[getIndex(grid, tile, cell)], mass = 0;
        for (int64_t n = first; n < next; n++) {
            values[n - first] = movePart(t, &hood, corner, n);
            missing -= p->mass[n] * (values[n - first].h - p->enthalpy[n]);
            mass += p->mass[n];
        }
        shiftParts(t, values, first, next - first, missing, mass);
        for (int64_t n = first; n < next; n++) {
            if (!(p->mass[n] > 0))
                continue;
            double exact = values[n - first].h + carry / p->mass[n];
            p->enthalpy[n] = (float)exact;
            carry = p->mass[n] * (exact - p->enthalpy[n]);
        }
    }
}

static void returnRange(void *context, int64_t begin, int64_t end)
{
    Transfer *t = context;
    const int64_t *start = t->order->tile_start;
    int64_t most = 0;
    for (int64_t tile = begin; tile < end; tile++)
        most = start[tile + 1] - start[tile] > most ? start[tile + 1] - start[tile] : most;
    if (most == 0)
        return;
    Block *block = tlwAlloc(1, sizeof *block);
    Value *values = tlwAlloc((size_t)most, sizeof *values);
    for (int64_t tile = begin; tile < end && block && values; tile++) {
        if (start[tile + 1] == start[tile])
            continue;
        loadBlock(t, &t->flow->grid.tiles[tile], block);
        if (!block->still)
            returnTile(t, tile, block, values);
    }
    if (!block || !values)
        atomic_store(&t->failed, true);
    tlwFree(values);
    tlwFree(block);
}

// The cells' own new state.
static void updateRange(void *context, int64_t begin, int64_t end)
{
    Transfer *t = context;
    const tlwFlow *flow = t->flow;
    const tlwGrid *grid = &flow->grid;
    float *enthalpy = tlwGetFloats(grid, flow->enthalpy), *temperature = tlwGetFloats(grid, flow->temperature);
    float *melt = tlwGetFloats(grid, flow->melt);
    for (int64_t tile = begin; tile < end; tile++)
        TLW_FOR_ROWS(grid, &grid->tiles[tile], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                if (!(t->mass[c] > 0) || t->heat[c] == 0)
                    continue;
                const tlwMaterial *m = &t->materials[tlwGetBytes(grid, flow->material)[c]];
                double h = enthalpy[c] + t->heat[c] / t->mass[c];
                enthalpy[c] = (float)h;
                temperature[c] = (float)tlwGetTemperature(m, h);
                melt[c] = (float)tlwGetMelt(m, h);
            }
}

tlwResult tlwReturnHeat(tlwThreads *threads, tlwFlow *flow, tlwParticles *particles, const tlwParticleOrder *order,
                        const tlwMaterial *materials, double conduction, int mass, int heat)
{
    Transfer t = {.flow = flow,
                  .particles = particles,
                  .order = order,
                  .materials = materials,
                  .mass = tlwGetDoubles(&flow->grid, mass),
                  .heat = tlwGetDoubles(&flow->grid, heat)};
    t.front_share = 1 - exp(-SUBCELL_DECAY * conduction);
    t.share = fmax(NOISE_SHARE, t.front_share);
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, returnRange, &t);
    if (atomic_load(&t.failed))
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, updateRange, &t);
    return TLW_OK;
}
