#include "fuzz/inputs.hpp"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "base/compute_scope.hpp"
#include "sbdl/methods.hpp"

namespace sbdl {

// Checkpoints say it. The real one would need BLAS, and readers compute nothing.
std::string wanted_instruction_set() {
    return "baseline";
}

// Messages about missing values name the methods that accept them. There are no learners here.
std::vector<Method> methods() {
    return {};
}

}  // namespace sbdl

namespace sbdl::fuzz {

// Not memfd_create(): HDF5 wants to know the real path of a file, which those have not.
MemoryFile::MemoryFile() {
    std::string name = "/dev/shm/sbdl-fuzz-XXXXXX";
    descriptor_ = ::mkstemp(name.data());
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
}

MemoryFile::~MemoryFile() {
    ::close(descriptor_);
    ::unlink(path_.c_str());
}

void MemoryFile::write(Bytes bytes) const {
    if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) < 0)
        throw std::system_error(errno, std::generic_category(), "memory file");
}

double Script::number() {
    constexpr double numbers[] = {0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  2.0,
                                  -0.0,
                                  1e-300,
                                  1e200,
                                  -1e9,
                                  1e308,
                                  5e-324,
                                  65536,
                                  1 + 1e-9,
                                  3.0,
                                  std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
    constexpr std::size_t any = 250;
    const std::size_t first = byte();
    if (first < any) return numbers[first % std::size(numbers)];
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
    return std::bit_cast<double>(bits);
}

std::string Script::text() {
    std::string text;
    for (std::size_t length = below(12); length > 0; --length)
        if (const std::size_t c = byte(); c != 0) text += static_cast<char>(c);
    return text;
}

}  // namespace sbdl::fuzz
