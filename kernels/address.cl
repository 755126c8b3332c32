/* Stores at which address the array lies, low half first: the hash that chooses a tag bank sees
 * addresses, not indices. */
__kernel void address(__global const uint *restrict data, __global uint *restrict halves,
                      uint rounds, int zero)
{
    const ulong at = (ulong)(size_t)data;
    halves[0] = (uint)at;
    halves[1] = (uint)(at >> 32);
}
