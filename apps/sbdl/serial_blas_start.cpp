// OpenBLAS starts a thread for every core when it is loaded, before main(): even for `sbdl --help`, and though the
// program has threads of its own and never lets BLAS use more than one (kernels/cpu/blas.hpp). What it reads is the
// environment, so that has to be set before any library is initialised: by an entry of .preinit_array, which only
// programs can have. Somebody's own setting stays.
#include <cstdlib>

namespace {

#ifdef __ELF__
void one_blas_thread(int /*count*/, char** /*arguments*/, char** /*environment*/) {
    setenv("OPENBLAS_NUM_THREADS", "1", /*replace=*/0);  // NOLINT(concurrency-mt-unsafe): nothing else runs yet
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**, char**) = one_blas_thread;
#endif

}  // namespace
