/* The element type T of an array, with COMPONENTS components; SUM adds them up as uint. */
#ifndef BANKLINE_ELEMENTS_H
#define BANKLINE_ELEMENTS_H

#if COMPONENTS == 1
#define SUM(v) ((uint)(v))
#elif COMPONENTS == 2
#define SUM(v) ((uint)(v).s0 + (uint)(v).s1)
#elif COMPONENTS == 3
#define SUM(v) ((uint)(v).s0 + (uint)(v).s1 + (uint)(v).s2)
#else
#define SUM(v) ((uint)(v).s0 + (uint)(v).s1 + (uint)(v).s2 + (uint)(v).s3)
#endif

#endif
