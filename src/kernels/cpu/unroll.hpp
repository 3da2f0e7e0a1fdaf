// SBDL_UNROLL before a loop over the rows or columns of a register tile: a tile stays in registers only if these loops
// are unrolled, and compilers do not do that by themselves when loops nest.
#pragma once

#ifdef __clang__
#define SBDL_UNROLL _Pragma("unroll")
#else
#define SBDL_UNROLL _Pragma("GCC unroll 8")
#endif
