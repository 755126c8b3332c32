/* Stores the array's address, low half first. The model needs the address because tag banks are
 * chosen by a hash of addresses. */
__kernel void address(__global const uint *restrict data, __global uint *restrict halves,
                      uint rounds, int zero)
{
    const ulong at = (ulong)(size_t)data;
    halves[0] = (uint)at;
    halves[1] = (uint)(at >> 32);
}
