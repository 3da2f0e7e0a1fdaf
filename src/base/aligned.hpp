// A vector of doubles whose start suits every vector instruction.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace sbdl {

/// Bytes; the widest vector registers in use, and a cache line.
constexpr std::size_t vector_alignment = 64;

template <class T>
struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert
    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(vector_alignment)));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(vector_alignment)); }
    bool operator==(const AlignedAllocator&) const { return true; }
};

using AlignedDoubles = std::vector<double, AlignedAllocator<double>>;

}  // namespace sbdl
