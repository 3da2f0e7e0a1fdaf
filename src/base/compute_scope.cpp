#include "base/compute_scope.hpp"

#include <dlfcn.h>
#include <hwy/targets.h>

#include <mutex>

#include "base/blas.hpp"
#include "base/instruction_set.hpp"

namespace sbdl {
namespace {

using GetThreads = int (*)();
using SetThreads = void (*)(int);

/// The BLAS library that our products use. The symbols of a plug-in (a Python module, for example) are not visible to
/// the whole process, where another BLAS may be loaded.
void* blas_library() {
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(&dgemm_), &found) == 0) return RTLD_DEFAULT;
    void* library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library != nullptr ? library : RTLD_DEFAULT;
}

template <class Function>
Function find(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

struct BlasThreads {
    GetThreads get = nullptr;
    SetThreads set = nullptr;

    BlasThreads() {
        void* const library = blas_library();
        struct Names {
            const char *get, *set;
        };
        for (const Names& names : {Names{"openblas_get_num_threads", "openblas_set_num_threads"},
                                   Names{"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"},
                                   Names{"bli_thread_get_num_threads", "bli_thread_set_num_threads"}}) {
            get = find<GetThreads>(library, names.get);
            set = find<SetThreads>(library, names.set);
            if (get != nullptr && set != nullptr) return;
        }
        get = nullptr;
        set = nullptr;
    }
};

std::mutex scope_mutex;
int scopes = 0;
int threads_before = 0;

const BlasThreads& blas_threads() {
    static const BlasThreads found;
    return found;
}

}  // namespace

ComputeScope::ComputeScope() {
    const std::lock_guard lock(scope_mutex);
    if (scopes > 0) {
        ++scopes;
        return;
    }
    use_instruction_set(wanted_instruction_set());  // throws for a wrong SBDL_CPU, before anything is counted
    scopes = 1;
    if (blas_threads().set == nullptr) return;
    threads_before = blas_threads().get();
    blas_threads().set(1);
}

ComputeScope::~ComputeScope() {
    const std::lock_guard lock(scope_mutex);
    if (--scopes > 0) return;
    use_instruction_set(best_instruction_set());
    if (blas_threads().set != nullptr) blas_threads().set(threads_before);
}

}  // namespace sbdl
