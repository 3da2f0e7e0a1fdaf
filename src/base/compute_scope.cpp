#include "base/compute_scope.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "base/blas.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

/// Simplest first. Anything but the two named below is what every machine of its kind has: plain x86-64, NEON.
const std::vector<std::int64_t>& targets() {
    // Only once: later the targets disabled by use_instruction_set() would be missing.
    static const std::vector<std::int64_t> all = [] {
        const auto best_first = hwy::SupportedAndGeneratedTargets();
        return std::vector<std::int64_t>(best_first.rbegin(), best_first.rend());
    }();
    return all;
}

std::string name_of(std::int64_t target) {
    if (target == HWY_AVX3) return "avx512";
    if (target == HWY_AVX2) return "avx2";
    return "baseline";
}

/// The vector code of this process uses this one from now on.
void use_instruction_set(const std::string& name) {
    const std::vector<std::int64_t>& all = targets();
    const auto found = std::ranges::find(all, name, name_of);
    // Better targets are lower bits. For the best one nothing is disabled.
    hwy::DisableTargets(found == all.end() || *found == all.back() ? 0 : *found - 1);
}

struct BlasThreads {
    int (*get)() = nullptr;
    void (*set)(int) = nullptr;
};

#ifdef SBDL_WITHOUT_BLAS

/// Eigen's products run on the thread that calls them.
const BlasThreads& blas_threads() {
    static const BlasThreads none;
    return none;
}

#else

/// The BLAS library that our products use. The symbols of a plug-in (a Python module, for example) are not visible to
/// the whole process, where another BLAS may be loaded.
void* blas_library() {
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(&dgemm_), &found) == 0) return RTLD_DEFAULT;
    void* library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library != nullptr ? library : RTLD_DEFAULT;
}

/// Of the BLAS in use; empty for one that has no such functions.
const BlasThreads& blas_threads() {
    static const BlasThreads found = [] {
        void* const library = blas_library();
        for (const auto& [get, set] : {std::array{"openblas_get_num_threads", "openblas_set_num_threads"},
                                       std::array{"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"},
                                       std::array{"bli_thread_get_num_threads", "bli_thread_set_num_threads"}}) {
            const BlasThreads threads{reinterpret_cast<int (*)()>(dlsym(library, get)),
                                      reinterpret_cast<void (*)(int)>(dlsym(library, set))};
            if (threads.get != nullptr && threads.set != nullptr) return threads;
        }
        return BlasThreads();
    }();
    return found;
}

#endif

std::mutex scope_mutex;
int scopes = 0;
int threads_before = 0;
std::int64_t targets_before = 0;

}  // namespace

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const std::int64_t target : targets()) names.push_back(name_of(target));
    return names;
}

std::string wanted_instruction_set() {
    const char* const wanted = std::getenv("SBDL_CPU");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (wanted == nullptr || *wanted == '\0') return name_of(targets().back());
    const std::vector<std::string> available = instruction_sets();
    if (std::ranges::find(available, wanted) == available.end())
        throw InputError(
            fmt::format("SBDL_CPU is '{}'; available on this machine: {}", wanted, fmt::join(available, ", ")));
    return wanted;
}

ComputeScope::ComputeScope() {
    const std::lock_guard lock(scope_mutex);
    if (scopes > 0) {
        ++scopes;
        return;
    }
    const std::string wanted = wanted_instruction_set();  // throws for a wrong SBDL_CPU, before anything is changed
    targets_before = hwy::SupportedTargets();             // without those that the caller has disabled
    use_instruction_set(wanted);
    scopes = 1;
    if (blas_threads().set == nullptr) return;
    threads_before = blas_threads().get();
    blas_threads().set(1);
}

ComputeScope::~ComputeScope() {
    const std::lock_guard lock(scope_mutex);
    if (--scopes > 0) return;
    hwy::DisableTargets(~targets_before);
    if (blas_threads().set != nullptr) blas_threads().set(threads_before);
}

}  // namespace sbdl
