#include "out_of_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/unfinished.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

constexpr std::size_t small_piece = std::size_t{1} << 16;  // more than a message and an exception need

std::array<char, 128> last_words{};
std::size_t last_words_size = 0;

void add_last_words(std::string_view text) {
    const std::size_t size = std::min(text.size(), last_words.size() - last_words_size);
    std::copy_n(text.begin(), size, last_words.begin() + static_cast<std::ptrdiff_t>(last_words_size));
    last_words_size += size;
}

// What operator new calls when it has found nothing.
void on_no_memory() {
    if (void* const piece = std::malloc(small_piece)) {  // NOLINT(cppcoreguidelines-no-malloc): new would call this
        std::free(piece);                                // NOLINT(cppcoreguidelines-no-malloc): the same
        throw std::bad_alloc();
    }
    [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, last_words.data(), last_words_size);
    remove_unfinished();
    _exit(failed);
}

}  // namespace

void end_when_out_of_memory(std::string_view who) {
    last_words_size = 0;
    for (const std::string_view part : {who, std::string_view(": "), out_of_memory_text, std::string_view("\n")})
        add_last_words(part);
    std::set_new_handler(on_no_memory);
}

}  // namespace sbdl::app
