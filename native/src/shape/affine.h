// A particle's velocity gradient in 20 bytes: nine numbers of 16 bits and the exponent that they share. The gradient
// acts over half a cell only, so 15 bits of its largest number are plenty. All bits zero is a gradient of zero.
#ifndef TLW_SHAPE_AFFINE_H
#define TLW_SHAPE_AFFINE_H

#include "shape/particles.h"

#include <math.h>
#include <string.h>

#define TLW_AFFINE_BITS 14   // of the largest number, below its leading one
#define TLW_AFFINE_LEAST 32u // smallest exponent, biased as in floats: gradients below 2^-95 / s lose digits

#define TLW_AFFINE_LANES 8 // particles that fast loops pack and unpack at a time

static inline __attribute__((always_inline)) void tlwMakePowers(const uint32_t *exponents, int lanes, float *powers)
{
    uint32_t bits[TLW_AFFINE_LANES];
    for (int l = 0; l < lanes; l++)
        bits[l] = exponents[l] << 23;
    memcpy(powers, bits, (size_t)lanes * sizeof *powers);
}

// Unpack the gradients of `lanes` particles from n on; affine[a * lanes + l] is number a of particle n + l.
static inline __attribute__((always_inline)) void tlwUnpackAffine(const tlwParticles *particles, int64_t n, int lanes,
                                                                  float *affine)
{
    const uint32_t *last = particles->affine[TLW_AFFINE_WORDS - 1] + n;
    uint32_t exponents[TLW_AFFINE_LANES];
    float unit[TLW_AFFINE_LANES];
    for (int l = 0; l < lanes; l++)
        exponents[l] = (last[l] >> 16 & 0xff) + TLW_AFFINE_LEAST - TLW_AFFINE_BITS;
    tlwMakePowers(exponents, lanes, unit);
    for (int a = 0; a < 9; a++) {
        const uint32_t *words = particles->affine[a / 2] + n;
        for (int l = 0; l < lanes; l++) {
            int32_t number = (int32_t)(a % 2 ? words[l] : words[l] << 16) >> 16;
            affine[a * lanes + l] = unit[l] * (float)number;
        }
    }
}

static inline __attribute__((always_inline)) void tlwPackAffine(const tlwParticles *particles, int64_t n, int lanes,
                                                                const float *affine)
{
    const float limit = (2 << TLW_AFFINE_BITS) - 1;
    float most[TLW_AFFINE_LANES] = {0}, per_unit[TLW_AFFINE_LANES];
    uint32_t exponents[TLW_AFFINE_LANES], inverse[TLW_AFFINE_LANES];
    for (int a = 0; a < 9; a++)
        for (int l = 0; l < lanes; l++) {
            float size = fabsf(affine[a * lanes + l]);
            most[l] = size > most[l] ? size : most[l];
        }
    memcpy(exponents, most, sizeof most);
    for (int l = 0; l < lanes; l++) {
        uint32_t exponent = exponents[l] >> 23;
        exponents[l] = exponent > TLW_AFFINE_LEAST ? exponent - TLW_AFFINE_LEAST : 0;
        inverse[l] = 2 * 127 + TLW_AFFINE_BITS - TLW_AFFINE_LEAST - exponents[l];
    }
    tlwMakePowers(inverse, lanes, per_unit);
    for (int a = 0; a < 10; a++) {
        uint32_t *words = particles->affine[a / 2] + n;
        for (int l = 0; l < lanes; l++) {
            float x = a < 9 ? affine[a * lanes + l] * per_unit[l] : (float)exponents[l];
            x = x > limit ? limit : x; // a number just below a power of two would round up to 16 bits
            x = x < -limit ? -limit : x;
            uint32_t number = (uint32_t)(int32_t)(x + (x < 0 ? -0.5f : 0.5f));
            words[l] = a % 2 ? words[l] | number << 16 : number & 0xffff;
        }
    }
}

// 1/s: d velocity[row] / d position[column], row major.
static inline void tlwGetAffine(const tlwParticles *particles, int64_t n, float affine[9])
{
    tlwUnpackAffine(particles, n, 1, affine);
}

static inline void tlwSetAffine(const tlwParticles *particles, int64_t n, const float affine[9])
{
    tlwPackAffine(particles, n, 1, affine);
}

// A mark beside the exponent, until the gradient is packed again: the particle goes where its own velocity and gradient
// say (step/liquid/own_motion.h).
#define TLW_OWN_MOTION 0x80000000u

static inline bool tlwHasOwnMotion(const tlwParticles *particles, int64_t n)
{
    return particles->affine[TLW_AFFINE_WORDS - 1][n] & TLW_OWN_MOTION;
}

static inline void tlwMarkOwnMotion(const tlwParticles *particles, int64_t n)
{
    particles->affine[TLW_AFFINE_WORDS - 1][n] |= TLW_OWN_MOTION;
}

static inline void tlwUnmarkOwnMotion(const tlwParticles *particles, int64_t n)
{
    if (tlwHasOwnMotion(particles, n))
        particles->affine[TLW_AFFINE_WORDS - 1][n] &= ~TLW_OWN_MOTION;
}

// d v / d x of a rotation: [spin]x.
static inline void tlwSetSpin(const tlwParticles *particles, int64_t n, tlwVec3 spin)
{
    const float x = (float)spin.x, y = (float)spin.y, z = (float)spin.z;
    tlwSetAffine(particles, n, (const float[9]){0, -z, y, z, 0, -x, -y, x, 0});
}

#endif
