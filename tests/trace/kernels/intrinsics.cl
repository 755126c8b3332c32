// Counts wrong results of expressions that LLVM's optimizer replaces by its own functions.
uint bit_of(uint x, uint i) { return x >> i & 1; }

__attribute__((noinline)) uint turned(uint x, uint by)
{
    uint result = 0;
    for (uint i = 0; i < 32; i++)
        result |= bit_of(x, i) << ((i + by) % 32);
    return result;
}

__attribute__((noinline)) uint mirrored(uint x)
{
    uint result = 0;
    for (uint i = 0; i < 32; i++)
        result |= bit_of(x, i) << (31 - i);
    return result;
}

__attribute__((noinline)) uint ones(uint x)
{
    uint count = 0;
    for (uint i = 0; i < 32; i++)
        count += bit_of(x, i);
    return count;
}

__attribute__((noinline)) uint flipped(uint x)
{
    uint result = 0;
    for (uint i = 0; i < 32; i++)
        result |= (1 - bit_of(x, i)) << i;
    return result;
}

// Zeros above the highest one, or below the lowest one.
__attribute__((noinline)) uint zeros(uint x, bool is_above)
{
    uint count = 0;
    while (count < 32 && bit_of(x, is_above ? 31 - count : count) == 0)
        count++;
    return count;
}

__attribute__((noinline)) long limited(long x, long least, long most)
{
    if (x < least)
        return least;
    return x > most ? most : x;
}

kernel void intrinsics(global const int *in, global int *out, int n)
{
    const uint id = get_global_id(0), other = 2654435761u * (id + n) ^ in[id];
    const uint x = id % 8 == 0 ? 0 : id % 8 == 1 ? ~0u : id % 8 == 2 ? 1u << 31 : other * other;
    const uint y = id / 8 % 4 == 0 ? ~0u : id / 8 % 4 == 1 ? 1u << 31 : other, by = id & 31;
    const int a = x;
    uint wrong = (x << 7 | x >> 25) != turned(x, 7);
    wrong += (x << by | x >> (-by & 31)) != turned(x, by);
    wrong += (x >> by | x << (-by & 31)) != turned(x, 32 - by);
    wrong += (uchar)((uchar)x << 3 | (uchar)x >> 5) !=
             ((turned(x & 255, 3) | turned(x & 255, 3) >> 8) & 255);
    wrong += (uint)(a < 0 ? -a : a) != (x >> 31 ? flipped(x) + 1 : x);
    wrong += __builtin_popcount(x) != ones(x);
    wrong += __builtin_bitreverse32(x) != mirrored(x);
    if (x != 0)
        wrong += __builtin_clz(x) != zeros(x, true) || __builtin_ctz(x) != zeros(x, false);
    wrong += (x > ~y ? ~0u : x + y) != limited((long)x + y, 0, UINT_MAX);
    wrong += (x > y ? x - y : 0) != limited((long)x - y, 0, UINT_MAX);
    out[id] = wrong;
}
