// Work between accesses. tests/trace/check_work.py counts its instructions; CASE chooses it.
#define FEW for (int i = 0; i < 4; i++)  // a compiler unrolls it completely
#define SOME for (int k = 0; k < n; k++) // 64 iterations, a number that a compiler cannot know
#define PRODUCTS s *= f, s *= f, s *= f, s *= f, s *= f, s *= f, s *= f, s *= f
#define TWO_EXITS(bits)                                                      \
    for (int k = 0;; k++) {                                                  \
        PRODUCTS;                                                               \
        if ((bits) >> (k & 3) & 1) { t ^= k * x; if (k > n + 1) break; }     \
        else { t += k * k; if (k > n) break; }                               \
    }
#if CASE == 0
#define BODY
#elif CASE == 1
#define BODY s *= f
#elif CASE == 2
#define BODY s *= f, s *= f, s *= f, s *= f
#elif CASE == 3
#define BODY FEW s *= f
#elif CASE == 4
#define BODY FEW if (i == 2) t ^= tile[x & 7]
#elif CASE == 5
#define BODY t ^= tile[x & 7]
#elif CASE == 6
#define BODY FEW t ^= tile[(x & 7) + i * 8]
#elif CASE == 7
#define BODY FEW t ^= tile[(x & 7) + i * (n & 15)]
#elif CASE == 8
#define BODY SOME s *= f
#elif CASE == 9
#define BODY SOME { FEW t ^= (x + i) * (x + i); s *= f; }
#elif CASE == 10
#define BODY s *= f, s *= s
#elif CASE == 11
#define BODY s = product(s, f), s = product(s, s)
#elif CASE == 12
#define BODY SOME s *= f; SOME s *= f
#elif CASE == 13
#define BODY s = native_sin(s)
#elif CASE == 14
#define BODY FEW s = native_sin(s)
#elif CASE == 15 // the counter may wrap around before it reaches the end
#define BODY for (uint k = 0; k < get_local_size(0); k++) s *= f
#elif CASE == 16
#define BODY for (uint k = 0; k < get_local_size(0); k++) t ^= tile[k]
#elif CASE == 17
#define BODY SOME t ^= tile[k]
#elif CASE == 18 // too long to be unrolled completely
#define MANY for (int i = 0; i < 60; i++)
#define BODY MANY t ^= (tile[i] + 2 * tile[i + 1] + 3 * tile[i + 2]) * (t + i)
#elif CASE == 19 // an end that is computed before the loop
#define BODY const ulong end = (ulong)n * n / 64; for (uint k = 0; k < end; k++) s *= f
#elif CASE == 20
#define SQUARE ((local int (*)[8])tile)
#define BODY t ^= SQUARE[x & 7][n & 7]
#elif CASE == 21
#define SQUARE ((local int (*)[8])tile)
#define BODY t ^= SQUARE[x & 7][n & 7], t ^= SQUARE[n & 7][x & 7]
#elif CASE == 22
#define BODY for (int i = 100; i < 104; i++) s *= f
#elif CASE == 23 // 64 iterations, but some lanes run fewer
#define BODY for (int k = 0; k < n - (id & 3); k++) s *= f
#elif CASE == 24 // the two halves of the lanes diverge
#define BODY if (id & 1) s = s * f * s * f * s; else SOME s *= f
#elif CASE == 25 // not unrolled, because its step is not constant
#define BODY for (int k = 0; k < n; k += get_local_size(0) / 32) s *= f
#elif CASE == 26 // the end is computed in each iteration
#define BODY for (int k = 0; k < (int)get_local_size(0); k++) s *= f
#elif CASE == 27
#define BODY FEW s = (int)s * f
#elif CASE == 28
#define BODY double d = s; FEW d *= f; s = d
#elif CASE == 29
#define BODY double d = s; FEW d = fma(d, (double)f, d); s = d
#elif CASE == 30
#define BODY SOME t /= k + 3
#elif CASE == 31
#define BODY atomic_inc(out)
#elif CASE == 32
#define BODY atomic_inc(&out[x & 7])
#elif CASE == 33
#define BODY atomic_inc(x & 1 ? out + 1 : out + n)
#elif CASE == 34
#define BODY increment(out + (x & 7)), increment(out + id)
#elif CASE == 35
#define BODY FEW atomic_inc(&out[i])
#elif CASE == 36
#define BODY FEW atomic_inc(&out[table[i]])
#elif CASE == 37
#define BODY FEW atomic_inc(&out[tile[i] & 7])
#elif CASE == 38
#define BODY FEW atomic_inc(&out[min(i, 2)])
#elif CASE == 39
#define BODY SOME t = (uint)t / (uint)(k + 3)
#elif CASE == 40 // iterations as in case 23, counted down
#define BODY for (int k = n - (id & 3); k > 0; k--) s *= f
#elif CASE == 41 // the same, up to the end itself
#define BODY for (int k = 1; k <= n - (id & 3); k++) s *= f
#elif CASE == 42 // three apart
#define BODY for (int k = 0; k < 3 * (n - (id & 3)); k += 3) s *= f
#elif CASE == 43 // down to the end itself
#define BODY for (long k = n - (id & 3); k >= 1 + (id & 4) - (id & 4); k--) s *= f
#elif CASE == 44 // three apart, up to the end itself
#define BODY for (int k = 0; k <= 3 * (n - (id & 3)) - 3; k += 3) s *= f, t ^= k
#elif CASE == 45
#define BODY int a[4]; for (int i = 0; i < 4; i++) a[i] = x * i; reverse(a), reverse(a); t ^= a[1]
#elif CASE == 46
#define BODY int a[4]; for (int i = 0; i < 4; i++) a[i] = x * i; t ^= a[x & 3]
#elif CASE == 47
#define BODY FEW t ^= tile[(x & 7) * 4 + i]
#elif CASE == 48
#define BODY FEW t ^= tile[(x & 7) * 5 + i]
#elif CASE == 49
#define BODY FEW t ^= tile[(x & 7) * 2 + i]
#elif CASE == 50
#define BODY FEW t ^= tile[(x & 12) + i + 1]
#elif CASE == 51 // too few instructions for a branch
#define BODY SOME if (x > k) t ^= tile[k & 63]
#elif CASE == 52
#define BODY SOME if (x > k) { s *= f, s += k, s *= s, s -= f, s *= k; t ^= tile[k & 63]; }
#elif CASE == 53 // the same outside a loop
#define BODY if (x > n) { s *= f, s += n, s *= s, s -= f, s *= n; t ^= tile[n & 63]; }
#elif CASE == 54 // two iterations are run at once
#define BODY SOME { t ^= tile[k]; for (int j = 0; j < 30; j++) s = s * f + f; }
#elif CASE == 55
#define BODY t ^= STRUCTURES[x & 7].a, t += STRUCTURES[x & 7].b
#elif CASE == 56
#define BODY FEW t ^= ((local int *)((local char *)tile + (x & 7) * 16))[i]
#elif CASE == 57 // 64 iterations of few instructions
#define BODY for (int i = 0; i < 64; i++) t ^= tile[i]
#elif CASE == 60
#define BODY for (int k = 0; k < 64 * n; k += 4) t ^= tile[k & 63]
#elif CASE == 61
#define BODY FEW t ^= tile[((x & 7) << 2 | i) & 63]
#elif CASE == 62 // rows that the work-items choose
#define BODY for (int k = id & 3; k < n / 4; k += 4) FEW t ^= tile[k * 4 + i]
#elif CASE == 63 // the same rows for all
#define BODY for (int k = 0; k < 16; k++) FEW t ^= tile[k * 4 + i]
#elif CASE == 64 // half of the work-items run four iterations fewer
#define BODY for (int k = (id & 1) * 4; k < n; k++) t ^= tile[k]
#elif CASE == 66 // one iteration is left over
#define BODY for (int k = 0; k < n - 3; k++) t ^= tile[k]
#elif CASE == 65 // each iteration reads the end again
#define BODY for (int k = 0; k < tile[k]; k++) t ^= k
#elif CASE == 67 // the callers pass constants
#define BODY int a[4]; FEW a[i] = x * i; turn(a, 0, 8), turn(a, 1, 6); t ^= a[1]
#elif CASE == 68 // one of them does not
#define BODY int a[4]; FEW a[i] = x * i; turn(a, 0, 8), turn(a, 1, n & 7); t ^= a[1]
#elif CASE == 69 // too many iterations to unroll
#define BODY int a[512]; for (int i = 0; i < 512; i++) a[i] = x; turn(a, 1, 1022), turn(a, 0, 8); \
    t ^= a[1]
#elif CASE == 119 // many iterations, but few instructions
#define BODY int a[64]; for (int i = 0; i < 64; i++) a[i] = x; turn(a, 1, 126), turn(a, 0, 8); \
    t ^= a[1]
#elif CASE == 122 // each loop is short, but not both together
#define BODY int a[48]; for (int i = 0; i < 48; i++) for (int j = 0; j < 48; j++) \
    a[i] = a[i] * 3 + a[j] + x; t ^= a[1]
#elif CASE == 123 // a long function of the program
#define BODY for (int k = 0; k < n; k++) s += power(as_float(tile[k]), f)
#elif CASE == 128 // a branch after the loop depends on the maximum
#define BODY for (int k = 0; k < n; k++) t = max(t, tile[k]); \
    if (t > 3) { TWO; TWO; TWO; TWO; TWO; }
#elif CASE == 129 // a branch in the loop depends on the maximum
#define BODY for (int k = 0; k < n; k++) { t = max(t, tile[k]); \
    if (t > 3) { TWO; TWO; TWO; TWO; TWO; } }
#elif CASE == 130 // the maximum of a short loop leads to the next address
#define BODY int q = x & 15; \
    for (int k = 0; k < n; k++) { \
        int best = 0; \
        for (int j = 0; j < (x & 1) + 2; j++) \
            best = max(best, tile[(q * 2 + j) & 63]); \
        q = best & 15; \
    } \
    t ^= q
#elif CASE == 131 // a structure's address is passed with a member
#define BODY struct structure a = STRUCTURES[(x & 7)]; increase_member(&a, a.b); t ^= x
#elif CASE == 132 // each iteration reads the same element
#define BODY SOME t = t * 3 ^ tile[x & 7]
#elif CASE == 133
#define BODY SOME { t = t * 3 ^ tile[x & 7]; tile[k & 63] = t; }
#elif CASE == 134
#define BODY SOME { t = t * 3 ^ tile[x & 7]; out[id] = t; }
#elif CASE == 135
#define BODY SOME if (t & 1) { \
        t = t * 3 ^ tile[x & 7]; \
        FEW t = t * 5 + (t >> i + 3); \
        s *= f, s += f, s *= f, s += f; \
    }
#elif CASE == 136
#define BODY SOME { t = t * 3 ^ tile[x & 7]; barrier(CLK_LOCAL_MEM_FENCE); }
#elif CASE == 137
#define BODY for (uint k = 0; t & 64 && k < n; k++) t = t * 3 ^ tile[x & 7]
#elif CASE == 138
#define BODY SOME { t = t * 3 ^ tile[x & 7]; atomic_inc(&tile[k & 63]); }
#elif CASE == 139
#define BODY s = sin(f)
#elif CASE == 140
#define BODY s = sin(f) + sin(f + 1)
#elif CASE == 141
#define BODY s = log(f)
#elif CASE == 142
#define BODY s = log(f) + log(f + 1)
#elif CASE == 143
#define BODY t ^= vload2(x & 7, in).x
#elif CASE == 144
#define BODY t ^= ((global const int2 *)in)[x & 7].x
#elif CASE == 145
#define BODY s = vload_half2(x & 7, (global const half *)in).x
#elif CASE == 146
#define BODY int old; do old = out[x & 7]; while (atomic_cmpxchg(&out[x & 7], old, old + 1) != old)
#elif CASE == 147
#define BODY SOME if (atomic_cmpxchg(&out[x & 7], t, t + 1) == t) t++
#elif CASE == 148
#define BODY SOME atomic_add(&out[x & 7], t)
#elif CASE == 149
#define BODY t ^= *(volatile global const int *)(in + (x & 7))
#elif CASE == 150
#define BODY *(volatile global int *)(out + (x & 7)) = t
#elif CASE == 151
#define BODY atomic_max(&out[x & 7], t)
#elif CASE == 152
#define BODY t ^= atomic_max(&out[x & 7], t)
#elif CASE == 153
#define BODY t ^= atomic_add(&out[x & 7], t)
#elif CASE == 154
#define BODY atomic_xchg(&out[x & 7], t)
#elif CASE == 155 // each group does more than the one before
#define BODY for (int k = 0; k < n * (int)get_group_id(0); k++) s *= f
#elif CASE == 156 // one lane of each
#define BODY if ((id & 31) == 5) for (int k = 0; k < n * (int)get_group_id(0); k++) s *= f
#elif CASE == 157 // both paths may leave the loop; all lanes take the same path in each iteration
#define BODY TWO_EXITS(n)
#elif CASE == 158 // lanes take different paths
#define BODY TWO_EXITS(id)
#elif CASE == 159
#define BODY t ^= ((global const struct packed *)in)[x & 7].b
#elif CASE == 160
#define BODY ((global struct packed_pairs *)out)[x & 7].b = t
#elif CASE == 161
#define BODY SOME { t ^= in[k]; if (t == 5) out[k] = t; }
#elif CASE == 162
#define BODY SOME { t ^= in[k]; if (t == 5) tile[k & 63] = t; } t += tile[x & 63]
#elif CASE == 163
#define BODY SOME { t ^= in[k]; out[k & 63] = t; }
#elif CASE == 164
#define BODY SOME { t ^= out[id ^ 1]; if (t == 5) out[id ^ 1] = t; }
#elif CASE == 165
#define BODY SOME { t ^= in[k]; if (t == 5) increment(out); }
#elif CASE == 166
#define BODY local int other[64]; SOME { t ^= tile[k]; if (t == 5) other[k] = t; } \
    t += other[x & 63]
#elif CASE == 167
#define BODY SOME { t ^= tile[k]; if (t == 5) tile[k * 5 & 63] = t; }
#elif CASE == 168
#define BODY t ^= sum_apart(in, out, n)
#elif CASE == 172
#define BODY t ^= sum_changed(out, n)
#elif CASE == 169
#define BODY SOME t ^= in[k]; if (t == 5) out[id ^ 1] = t
#elif CASE == 173 // stores, and loads that may pass them
#define BODY SOME out[k] = out[k] * 3
#elif CASE == 174
#define BODY copy_apart(in, out, n)
#elif CASE == 175
#define BODY sum_back(out, n)
#elif CASE == 176
#define BODY for (int k = 1; k < n / 2; k++) tile[k] += tile[k - 1]
#elif CASE == 177
#define BODY SOME tile[k & 31] += tile[id]
#elif CASE == 178
#define BODY for (int k = 0; k < n / 2; k++) tile[k] = tile[2 * k] + 1
#elif CASE == 179
#define BODY for (int k = 0; k < n / 32; k++) tile[k * n / 4] += 3
#elif CASE == 180
#define BODY local int other[64]; SOME other[k] = tile[k]; t ^= other[x & 63]
#elif CASE == 181
#define BODY SOME { tile[k] = tile[k] * 3; barrier(CLK_LOCAL_MEM_FENCE); }
#elif CASE == 182
#define BODY SOME tile[in[k] & 63] += 1
#elif CASE == 183
#define BODY for (local int *p = tile; p != tile + 64; p++) *p = *p * x
#elif CASE == 125 // a structure is copied, and a member is used
#define BODY struct structure a = STRUCTURES[(x & 7)]; swap_members(&a); t ^= a.a
#elif CASE == 126 // a copy of the structure is passed
#define BODY struct structure a = STRUCTURES[(x & 7)], b = a; swap_members(&b); t ^= b.b
#elif CASE == 127 // a structure is copied, and no member is used
#define BODY struct structure a = STRUCTURES[(x & 7)]; set_members(&a, x); t ^= x
#elif CASE == 124
#define BODY for (int k = 0; k < n; k++) \
    s += normalize((float3)(as_float(tile[k]), f, s)).x
#elif CASE == 120
#define BODY for (int k = 0; k < n; k++) s += pow(as_float(tile[k]), f)
#elif CASE == 121
#define BODY for (int k = 0; k < n; k++) s += product(as_float(tile[k]), f)
#elif CASE == 70
#define BODY s = f / s
#elif CASE == 71
#define BODY s = sqrt(s)
#elif CASE == 72
#define BODY s = native_cos(s)
#elif CASE == 73
#define BODY s = s > 1.5f ? s * f : s
#elif CASE == 74
#define BODY SOME { s += f; if (s > 1.5f) { TWO; TWO; TWO; TWO; TWO; } }
#elif CASE == 75
#define BODY SOME { s += f; if (s < 1.5f) { TWO; TWO; TWO; TWO; TWO; } }
#elif CASE == 76
#define BODY SOME { s += f; TWO; TWO; TWO; TWO; }
#elif CASE == 77
#define BODY SOME { s += f; if (s < 1.5f) { TWO; TWO; TWO; TWO; } }
#elif CASE == 191
#define BODY SOME tile[k | 32] = tile[k] * 3
#elif CASE == 192
#define BODY for (int k = 0; k < n / 2; k++) tile[2 * k + 1] = tile[2 * k] * 3
#elif CASE == 193 // four loads, whose values wait in registers
#define BODY int a[4]; for (int i = 0; i < 4; i++) a[i] = tile[i * 9]; \
    for (int i = 0; i < 4; i++) t = t * 3 + a[i]
#elif CASE == 194 // a[] is in memory
#define BODY int a[4]; for (int i = 0; i < 4; i++) a[i] = tile[i * 9]; t ^= a[x & 3]
#elif CASE == 189 // the branch is executed
#define BODY SOME { if (tile[k] > x) { TWO; TWO; TWO; TWO; TWO; } }
#elif CASE == 190 // it is not
#define BODY SOME { if (tile[k] > x) { TWO; TWO; TWO; TWO; } }
#elif CASE == 78
#define BODY SOME { s *= f; if (s > 1.5f) break; }
#elif CASE == 79
#define BODY double d = s; d *= 1.0 / 3; s = d
#elif CASE == 81
#define BODY s = pow(s, f)
#elif CASE == 82
#define BODY s = pow(3.0f, s)
#elif CASE == 195 // most of the instructions that the branch skips compute an address
#define BODY SOME { if (tile[k] == 0x7fffffff) t ^= in[(((k * n + x) * n + k) * n + x) * n + k]; }
#elif CASE == 184
#define BODY s = pow(2.0f, s)
#elif CASE == 185
#define BODY SOME s += pow(f, as_float(tile[k]))
#elif CASE == 186
#define BODY SOME s += pow(as_float(tile[k]), f)
#elif CASE == 187 // LLVM makes three loops of one; all lanes take the same path
#define BODY t ^= merged(in, out, n, 0)
#elif CASE == 188 // each lane takes its own
#define BODY t ^= merged(in, out, n, id)
#elif CASE == 83 // each element leads to the next
#define BODY SOME t = tile[t & 63]
#elif CASE == 84 // a multiple of the counter is compared with the end
#define BODY int k = 0; do s *= f; while (3 * ++k * n < 3 * 64 * n)
#elif CASE == 85 // each iteration depends on the one before
#define BODY int k = n / 64; do s *= f, k = k * 3 % 257; while (k != 241) // 64 iterations
#elif CASE == 86
#define BODY s = (float)convert_short(s)
#elif CASE == 87
#define BODY s = floor(s)
#elif CASE == 88
#define BODY t = popcount(t)
#elif CASE == 89
#define BODY SOME t /= n
#elif CASE == 90
#define BODY SOME t = (uint)t / (uint)n
#elif CASE == 91
#define BODY SOME s /= f
#elif CASE == 92
#define BODY SOME s /= 3.0f
#elif CASE == 93
#define BODY s = fabs(s) * f
#elif CASE == 94
#define BODY if (x > n) t ^= x * 3
#elif CASE == 95
#define BODY FEW s = fmin(s, f)
#elif CASE == 96
#define BODY t ^= n, t ^= id, t |= 7
#elif CASE == 97
#define BODY s = pown(s, 2)
#elif CASE == 98
#define BODY s = length((float4)(s, f, s, f))
#elif CASE == 99 // steps of 1
#define BODY const int step = n / 64; for (int k = 0; k < n; k += step) t ^= tile[k]
#elif CASE == 100
#define BODY for (int k = 0; k < n; k += get_local_size(0) / 32) t ^= tile[k]
#elif CASE == 101
#define BODY const uint step = n / 64; for (uint k = 0; k < n; k += step) t ^= tile[k]
#elif CASE == 102
#define BODY int last = 9; FEW last -= 2, atomic_inc(&out[last])
#elif CASE == 103
#define BODY int last = 4; FEW { last--; for (int j = 0; j < last; j++) atomic_inc(&out[j]); }
#elif CASE == 104
#define BODY for (int j = 0; j < n - 60; j++) atomic_inc(&out[j])
#elif CASE == 105
#define BODY if (x > 3) atomic_inc(&out[n & 7])
#elif CASE == 106
#define BODY atomic_inc(&out[in[get_group_id(0)] & 7])
#elif CASE == 107
#define BODY int j = 1; if (x > 3) { j = n; out[id] = j; } atomic_inc(&out[j & 7])
#elif CASE == 108
#define BODY int j = 0; while (j < (x & 7)) j++; atomic_inc(&out[j])
#elif CASE == 109
#define BODY int j = 0; for (float v = s; j < 8 && v < 100; j++) v = v * 2 + 1; atomic_inc(&out[j])
#elif CASE == 110
#define BODY int a[9], k = 0; for (int i = 0; i < 9; i++) a[i] = x + i; \
    FEW { if (in[(id + i) & 63] > 0) { a[k] = i; k++; } if (k < 3) out[id] = 0; } t ^= a[1]
#elif CASE == 111 // k is compared with a known number that is not constant
#define BODY int a[9], k = 0, last = 4; for (int i = 0; i < 9; i++) a[i] = x + i; \
    FEW { last--; if (in[(id + i) & 63] > 0) { a[k] = i; k++; } if (k < last) out[id] = 0; } \
    t ^= a[1]
#elif CASE == 112 // the end of the loop of k depends on data
#define BODY int a[9]; for (int i = 0; i < 9; i++) a[i] = x + i; \
    FEW { int k = 0; do { a[k & 7] = x; k++; if (k < i) out[id] = k; } \
          while (in[(id + k) & 63] > 0); } t ^= a[1]
#elif CASE == 113
#define BODY if (x > n) t ^= 27
#elif CASE == 114 // the counter is 0 in the first iteration, and 4 at the end
#define BODY int a[4]; a[0] = x; a[1] = n; a[2] = id; a[3] = 7; if (n > 3) { _Pragma("unroll 4") \
    for (uint j = 0; j < 4; j++) a[j] = a[j] > x ? a[j] + 1 : a[j]; } t ^= a[1] ^ a[2]
#elif CASE == 115 // four instructions and a branch are skipped
#define BODY SOME { s += f; if (s < 1.5f || s * s * f * f > 9) { TWO; } }
#elif CASE == 116 // six instructions and a branch are skipped
#define BODY SOME { s += f; if (s < 1.5f || s * s * f * f * s * s > 9) { TWO; } }
#elif CASE == 117 // the loop's end depends on data
#define BODY int a[2], k = 0; a[0] = x; a[1] = n; \
    for (int v = x & 31; v > 0; v -= 3 + in[(id + v) & 63] % 2) { a[k] += v; k = 1; } t ^= a[0]
#elif CASE == 118 // a loop is skipped
#define BODY SOME { s += f; if (s < 1.5f) for (int j = 0; j < (n & 3); j++) s += f; }
#elif CASE == 80 // the two halves of the lanes have different ends
#define BODY const float end = id & 1 ? 1.5f : -1.5f; \
    SOME { s += f; if (s < end) { TWO; TWO; TWO; TWO; TWO; } }
#elif CASE == 196 // two iterations
#define BODY for (int k = 0; k < n >> 5; k++) s *= f
#elif CASE == 197 // four iterations
#define BODY for (int k = 0; k < n >> 4; k++) s *= f
#elif CASE == 198 // three times two iterations
#define BODY for (int i = 0; i < (n >> 4) - 1; i++) for (int k = 0; k < n >> 5; k++) s *= f
#elif CASE == 199
#define BODY PRODUCTS
#elif CASE == 200 // a branch around twelve instructions
#define BODY PRODUCTS; if (x == 12345) { float r = f; PRODUCTS; t += s > r; PRODUCTS; } s *= f
#elif CASE == 201 // three iterations
#define BODY for (int k = 0; k < 3; k++) t ^= tile[(x & 7) + k * 9]
#elif CASE == 202
#define BODY for (int k = 0; k < n - (int)get_local_id(0) % 2 * 4; k++) t ^= tile[k]
#elif CASE == 203 // three times four iterations
#define BODY                                \
    for (int i = 0; i < 3; i++)             \
        for (int k = 0; k < 4; k++)         \
            t ^= tile[(x & 7) + i * 11 + k * 9]
#elif CASE == 204
#define BODY SOME for (int i = 0; i < 3; i++) t ^= tile[(x & 7) + (k & 15) + i * 9]
#elif CASE == 205
#define BODY SOME for (int i = 0; i < n / 16; i++) t ^= tile[(x & 7) + (k & 15) + i * 9]
#elif CASE == 206
#define BODY SOME { t ^= tile[k]; while (t & 0x10001) t >>= 1; }
#elif CASE == 207 // 2^48 ways lead from the end to the work-item's id
#define MIX e ^= e << 3, e ^= e >> 5, e ^= e << 7, e ^= e >> 9
#define MANY_MIXES MIX, MIX, MIX, MIX, MIX, MIX, MIX, MIX, MIX, MIX, MIX, MIX
#define BODY                                                                               \
    uint e;                                                                                \
    for (int k = 0; e = get_local_id(1), MANY_MIXES, k < n - (int)(e & 4); k++) t ^= tile[k]
#elif CASE == 208
#define BODY atomic_inc(&tile[x & 7])
#elif CASE == 209
#define BODY atomic_add(&tile[x & 7], 1)
#elif CASE == 210
#define BODY atomic_add(&tile[x & 7], 2)
#elif CASE == 211
#define BODY t ^= atomic_inc(&tile[x & 7])
#elif CASE == 212
#define BODY SOME t ^= tile[(k * 3 + x) & 7]
#elif CASE == 213
#define BODY SOME t ^= tile[tile[k] & 7]
#elif CASE == 214 // the counter of the inner loop is a constant
#define BODY for (int k = 0; k < n - 4; k++) FEW t ^= tile[(i ^ 3) + k]
#elif CASE == 215
#define BODY for (int k = get_local_id(0); k < n; k += get_local_size(0)) t ^= tile[k]
#elif CASE == 216
#define BODY for (int k = n - 1; k > 0; k >>= 1) t ^= tile[k]
#elif CASE == 217
#define BODY SOME t ^= tile[k / 2 * 2 + (x & 1)]
#elif CASE == 218
#define LONG ((ulong)x << 33 | 5)
#define BODY t ^= (int)((LONG * (LONG ^ n)) >> 33)
#elif CASE == 219
#define LONG ((ulong)x << 33 | 5)
#define BODY t ^= (int)((LONG / (LONG ^ n)) >> 33)
#elif CASE == 220
#define LONG ((long)x << 33 | 5)
#define BODY t ^= (int)((LONG / (LONG ^ n)) >> 33)
#elif CASE == 221
#define BODY t ^= (int)(get_global_id(0) - ((size_t)n + get_local_size(0)))
#elif CASE == 222
#define BODY t ^= (int)(get_global_id(0) / ((size_t)n + get_local_size(0)))
#elif CASE == 223
#define LONG ((ulong)x << 33 | 5)
#define BODY t ^= (int)((LONG * 1000003) >> 33)
#elif CASE == 224
#define LONG ((ulong)x << 33 | 5)
#define BODY t ^= (int)((LONG / 1000003) >> 33)
#elif CASE == 225
#define LONG ((ulong)x << 33 | 5)
#define BODY t ^= (int)(mul_hi(LONG, LONG ^ n) >> 33)
#elif CASE == 226
#define BODY s = length((float2)(s, f))
#elif CASE == 227
#define BODY s = dot((double4)(s), (double4)(f))
#elif CASE == 228
#define BODY SOME s += length((float2)(as_float(tile[k]), f))
#elif CASE == 229
#define BODY SOME s += fast_length((float2)(as_float(tile[k]), f))
#elif CASE == 230
#define BODY SOME s += f / as_float(tile[k])
#elif CASE == 231 // an element of each list leads to the next
#define BODY SOME { int e = k; FEW { t ^= tile[e & 63]; e = tile[e & 63]; } }
#elif CASE == 232
#define BODY for (int k = n - 1; k >= 0; k -= get_local_size(0)) t ^= tile[k]
#elif CASE == 233
#define BODY SOME t ^= x / tile[k]
#elif CASE == 234
#define BODY for (uint k = 0; k < (uint)n / 2; k++) t ^= tile[k + (uint)get_local_id(0)]
#elif CASE == 235
#define BODY for (uint k = 0; k < (uint)n; k++) t ^= tile[k]
#elif CASE == 236
#define BODY for (long k = 0; k < n; k++) t ^= tile[k]
#endif
#define TWO s = s * f * f

struct structure {
    int a, b;
#if CASE >= 125
    int more[6]; // so many that it is copied as a whole
#endif
};
struct __attribute__((packed)) packed {
    char a;
    int b;
};

struct __attribute__((packed, aligned(2))) packed_pairs {
    short a;
    int b;
};

#define STRUCTURES ((local struct structure *)tile)

__attribute__((noinline)) void reverse(int *a)
{
    for (int i = 0; i < 4; i++)
        a[i] = a[3 - i] + 1;
}

__attribute__((noinline)) void turn(int *a, int from, int to)
{
    for (int i = from; i < to / 2; i++)
        a[i] = a[i] * 3 + i;
}

__attribute__((noinline)) void swap_members(struct structure *s)
{
    const int a = s->a;
    s->a = s->b;
    s->b = a;
}

__attribute__((noinline)) void increase_member(struct structure *s, int by) { s->a = by; }

__attribute__((noinline)) void set_members(struct structure *s, int a)
{
    s->a = a;
    s->b = a + 1;
}

constant int table[4] = {3, 1, 2, 0};

__attribute__((noinline)) int sum_apart(global const int *restrict from, global int *to, int n)
{
    int t = 0;
    SOME { t ^= from[k]; if (t == 5) to[k] = t; }
    return t;
}

__attribute__((noinline)) int sum_changed(global int *restrict of, int n)
{
    int t = 0;
    SOME { t ^= of[k]; if (t == 5) of[k * 5 & 63] = t; }
    return t;
}

__attribute__((noinline)) void copy_apart(global const int *restrict from, global int *to, int n)
{
    SOME to[k] = from[k] * 3;
}

__attribute__((noinline)) void sum_back(global int *restrict of, int n)
{
    SOME of[k] = of[63 - k] * 3;
}

int merged(global const int *first, global int *out, int n, int lane)
{
    int a = 0, b = 0, count = 0;
    while (a < n && b < n) {
        const int which = first[a] * 5 + first[b] + lane;
        if (which % 3 == 0) {
            out[count++] = first[a];
            a++;
            b++;
        } else if (which % 3 == 1) {
            a++;
        } else {
            b++;
        }
    }
    return count;
}

__attribute__((noinline)) void increment(global int *p) { atomic_inc(p); }

__attribute__((noinline)) float product(float x, float y) { return x * y; }

__attribute__((noinline)) float power(float x, float y) { return pow(x, y); }

kernel void work(global const int *in, global int *out, int n)
{
    local int tile[64];
    const int id = get_global_id(0);
    const int x = in[id];
    const float f = as_float(x);
    float s = f;
    int t = x;
    tile[get_local_id(0)] = x;
    tile[get_local_id(0) + 32] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    BODY;
    out[id] = as_int(s) + t;
}
