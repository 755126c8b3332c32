/* Measures the times that a model of a kernel's run time needs: times of dependent requests,
 * local-memory accesses, dependent arithmetic and launches.
 *
 * In `reads` and `writes`, each work-item follows separate chains. The LANES lanes of a sub-group
 * do this in lockstep, so their simultaneous reads are one request. A place is the set of words
 * that one such request reads; places lie in blocks of INNER places. The macros below name a
 * layout's fields: where places and the lanes' words lie, and how chains run. */
typedef uint16 layout_t;
#define FIRST(l) (l).s0        /* the word with which the first place begins */
#define PLACES(l) (l).s1       /* number of places */
#define INNER(l) (l).s2        /* number of places in a block */
#define PLACE_PITCH(l) (l).s3  /* words from one place of a block to the next */
#define BLOCK_PITCH(l) (l).s4  /* words from block to block */
#define LINES(l) (l).s5        /* lines of a place; each lane reads from one of them */
#define LINE_PITCH(l) (l).s6   /* words from line to line of a place */
#define SPACING(l) (l).s7      /* words between neighbouring lanes, modulo LINE_WORDS */
#define LINE_WORDS(l) (l).s8   /* words of a line over which lanes wrap around */
#define BEGIN(l) (l).s9        /* the place with which the first chain begins */
#define FURTHER(l) (l).sa      /* places from one element of a chain to the next, modulo PLACES */
#define APART(l) (l).sb        /* places from one chain's beginning to the next chain's */

uint word_of(layout_t l, uint place, uint lane)
{
    return FIRST(l) + place / INNER(l) * BLOCK_PITCH(l) + place % INNER(l) * PLACE_PITCH(l) +
           lane % LINES(l) * LINE_PITCH(l) + lane * SPACING(l) % LINE_WORDS(l);
}

#define HOPS 16

#ifdef LANES
__kernel void link_lanes(__global uint *restrict data, layout_t layout)
{
    for (ulong i = get_global_id(0); i < (ulong)PLACES(layout) * LANES; i += get_global_size(0)) {
        const uint place = (uint)(i / LANES), lane = (uint)(i % LANES);
        const uint next = (uint)(((ulong)place + FURTHER(layout)) % PLACES(layout));
        data[word_of(layout, place, lane)] = word_of(layout, next, lane);
    }
}

/* Each sub-group follows READS chains simultaneously, so it has READS requests in flight. */
__kernel void reads(__global const uint *restrict data, layout_t layout, uint rounds,
                    __global uint *restrict ends)
{
    const uint lane = (uint)get_local_id(0) % LANES,
               chain = (uint)(get_global_id(0) / LANES) * READS;
    uint at[READS];
#pragma unroll
    for (uint j = 0; j < READS; j++)
        at[j] = word_of(layout,
                        (uint)((BEGIN(layout) + (ulong)(chain + j) * APART(layout)) %
                               PLACES(layout)),
                        lane);
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (uint hop = 0; hop < HOPS; hop++) {
#pragma unroll
            for (uint j = 0; j < READS; j++)
                at[j] = data[at[j]];
        }
    }
    uint sum = 0;
#pragma unroll
    for (uint j = 0; j < READS; j++)
        sum += at[j];
    ends[get_global_id(0)] = sum;
}

/* Writes a word to `data` and reads it back from `same`. Both arguments are the same array, but the
 * compiler does not know that. The number of places and BLOCK_PITCH are powers of two. A word holds
 * the distance of the next word from the lane's first word. */
__kernel void writes(__global uint *data, __global const uint *same, layout_t layout, uint rounds,
                     __global uint *ends)
{
    const uint own = word_of(layout, 0, (uint)get_local_id(0));
    const uint further = FURTHER(layout) * BLOCK_PITCH(layout),
               within = PLACES(layout) * BLOCK_PITCH(layout) - 1;
    __global uint *to = data + own;
    __global const uint *from = same + own;
    uint at = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (uint hop = 0; hop < HOPS; hop++) {
            to[at] = (at + further) & within;
            at = from[at];
        }
    }
    ends[get_local_id(0)] = at;
}
#endif

/* In the kernels below all work-items do the same. The host launches one work-item, or so many
 * work-items that they hide each other's latency. */

#define TILE 1024
#define TILE_FURTHER 619

__kernel void local_chain(__local uint *tile, uint rounds, __global uint *restrict ends)
{
    for (uint i = 0; i < TILE; i++)
        tile[i] = (i + TILE_FURTHER) % TILE;
    uint at = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (uint hop = 0; hop < HOPS; hop++)
            at = tile[at];
    }
    ends[0] = at;
}

#define STEPS 64

/* Two alternating operations per step, so that no compiler knows a closed form of the loop. */
__kernel void integers(uint a, uint b, uint rounds, __global uint *restrict ends)
{
    uint x = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (uint step = 0; step < STEPS; step++)
            x = (x ^ a) + b;
    }
    ends[get_global_id(0)] = x;
}

/* Compilers must not reorder float additions, so each one waits for the one before. */
__kernel void floats(float a, uint rounds, __global uint *restrict ends)
{
    float x = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (uint step = 0; step < STEPS; step++)
            x += a;
    }
    ends[get_global_id(0)] = as_uint(x);
}

__kernel void nothing(uint rounds, __global uint *restrict ends)
{
    if (rounds == 0)
        ends[get_global_id(0)] = 0;
}
