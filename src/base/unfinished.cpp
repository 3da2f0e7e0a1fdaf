#include "base/unfinished.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace sbdl {
namespace {

constexpr std::size_t most_unfinished = 256;  // more are not removed
// A name belongs to whoever takes it out.
std::array<std::atomic<char*>, most_unfinished> unfinished_names{};
static_assert(std::atomic<char*>::is_always_lock_free, "a signal handler may only use lock-free atomics");

}  // namespace

Unfinished::Unfinished(const std::filesystem::path& name) : place_(most_unfinished) {
    char* const copy = ::strdup(name.c_str());
    for (std::size_t place = 0; copy != nullptr && place < most_unfinished; ++place) {
        char* nobody = nullptr;
        if (!unfinished_names[place].compare_exchange_strong(nobody, copy)) continue;
        place_ = place;
        return;
    }
    std::free(copy);  // NOLINT(cppcoreguidelines-no-malloc): of strdup()
}

Unfinished::~Unfinished() {
    if (place_ < most_unfinished)
        std::free(unfinished_names[place_].exchange(nullptr));  // NOLINT(cppcoreguidelines-no-malloc): the same
}

void remove_unfinished() noexcept {
    std::array<const char*, most_unfinished> folders{};
    std::size_t count = 0;
    for (std::atomic<char*>& place : unfinished_names) {
        const char* const name = place.exchange(nullptr);  // not freed: a signal handler must not
        if (name != nullptr && ::unlink(name) != 0) folders[count++] = name;
    }
    for (std::size_t i = 0; i < count; ++i) ::rmdir(folders[i]);
}

}  // namespace sbdl
