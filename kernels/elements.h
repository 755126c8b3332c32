/* Operations on elements of type T: a vector of the type SCALAR, or SCALAR itself.
 *
 * SUM adds the 32-bit words of an element, so that the whole element is needed, with as little
 * computation as possible. An element of fewer than 32 bits counts as one word; a vector of 3 is
 * added by components. VALUE builds an element in which every component holds the bits of a uint,
 * cut or extended with zeros to the component's size. */
#ifndef BANKLINE_ELEMENTS_H
#define BANKLINE_ELEMENTS_H

#define BITS(type, expression) \
    static uint __attribute__((overloadable)) bits(type v) { return expression; }
/* The sum of a vector of more than 32 bits is the sum of its halves. A vector of 3 is summed by
 * components, because its fourth component is undefined. */
#define HALVES(type) BITS(type, bits(v.lo) + bits(v.hi))
#define THREE(type) BITS(type, bits(v.s0) + bits(v.s1) + bits(v.s2))
#define VECTORS(type) THREE(type##3) HALVES(type##8) HALVES(type##16)
BITS(uchar, v)
BITS(char, as_uchar(v))
BITS(uchar2, as_ushort(v))
BITS(char2, as_ushort(v))
BITS(uchar4, as_uint(v))
BITS(char4, as_uint(v))
VECTORS(uchar)
VECTORS(char)
BITS(ushort, v)
BITS(short, as_ushort(v))
BITS(ushort2, as_uint(v))
BITS(short2, as_uint(v))
HALVES(ushort4) VECTORS(ushort)
HALVES(short4) VECTORS(short)
BITS(uint, v)
BITS(int, as_uint(v))
BITS(float, as_uint(v))
HALVES(uint2) HALVES(uint4) VECTORS(uint)
HALVES(int2) HALVES(int4) VECTORS(int)
HALVES(float2) HALVES(float4) VECTORS(float)
BITS(ulong, (uint)v + (uint)(v >> 32))
BITS(long, bits(as_ulong(v)))
HALVES(ulong2) HALVES(ulong4) VECTORS(ulong)
HALVES(long2) HALVES(long4) VECTORS(long)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
BITS(double, bits(as_ulong(v)))
HALVES(double2) HALVES(double4) VECTORS(double)
#endif
#define SUM(v) bits(v)

#define VALUE_uchar(u) ((uchar)(u))
#define VALUE_char(u) as_char((uchar)(u))
#define VALUE_ushort(u) ((ushort)(u))
#define VALUE_short(u) as_short((ushort)(u))
#define VALUE_uint(u) (u)
#define VALUE_int(u) as_int(u)
#define VALUE_float(u) as_float(u)
#define VALUE_ulong(u) ((ulong)(u))
#define VALUE_long(u) ((long)(u))
#define VALUE_double(u) as_double((ulong)(u))

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define VALUE(u) ((T)(JOIN(VALUE_, SCALAR)(u)))

#endif
