// A vector of doubles aligned for every vector instruction.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace sbdl {

/// In bytes: the widest vector register in use, and a cache line.
constexpr std::size_t vector_alignment = 64;

/// The smallest multiple that is at least n: the length of an array padded to whole vectors.
constexpr std::size_t round_up(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

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
