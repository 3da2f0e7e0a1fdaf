// SBDL_UNROLL before a loop over the rows or columns of a register tile: a tile stays in registers only where these
// loops are gone, and compilers do not see that by themselves once loops nest.
#pragma once

#ifdef __clang__
#define SBDL_UNROLL _Pragma("unroll")
#else
#define SBDL_UNROLL _Pragma("GCC unroll 8")
#endif
