// denoise_memory() against what is allocated: this program counts the bytes of all operator new.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "sbdl/denoise.hpp"
#include "sbdl/synth.hpp"

namespace {

std::atomic<std::size_t> live{0}, most_live{0};

void* counted(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    const std::size_t now = live += malloc_usable_size(memory);
    for (std::size_t most = most_live; now > most && !most_live.compare_exchange_weak(most, now);) {
    }
    return memory;
}

void release(void* memory) {
    if (memory != nullptr) live -= malloc_usable_size(memory);
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc, misc-new-delete-overloads)
void* operator new(std::size_t size) {
    return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t to) {
    const auto step = static_cast<std::size_t>(to);
    return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc, misc-new-delete-overloads)

namespace sbdl {
namespace {

constexpr std::size_t width = 32;

/// The most bytes that denoise() had, with the image.
double measured(std::size_t height, bool colour, const DenoiseOptions& options, const Context& context) {
    const std::size_t before = live;
    const Image noisy = make_noisy(make_image(height, width, colour, 3), 25.0, 3);
    most_live = live.load();
    denoise(noisy, options, context);
    return static_cast<double>(most_live - before);
}

double expected(std::size_t height, bool colour, const DenoiseOptions& options, const Context& context) {
    return denoise_memory(options, context, height, width, colour ? 3 : 1);
}

// What a pixel takes: the difference of two heights leaves out all that does not grow with the image.
TEST(DenoiseMemory, IsWhatIsAllocated) {
    struct Case {
        bool colour, std;
        Quality quality;
    };
    Context context;
    context.execution.threads = 1;
    DenoiseOptions learning;
    learning.method = "dct";
    learning.atoms = 64;
    learning.quality = Quality::fast;
    const Model model = denoise(make_noisy(make_image(width, width, false, 3), 25.0, 3), learning, context).model;
    for (const Case& c : {Case{false, false, Quality::best}, Case{false, true, Quality::best},
                          Case{true, false, Quality::fast}, Case{true, true, Quality::fast}}) {
        // Measuring the noise, and learning, take more than all else in images as small as these.
        DenoiseOptions options;
        options.sigma = 25.0;
        options.model = &model;
        options.std = c.std;
        options.quality = c.quality;
        const std::size_t small = 160, large = 320;
        const double pixels = static_cast<double>((large - small) * width);
        const double found =
            (measured(large, c.colour, options, context) - measured(small, c.colour, options, context)) / pixels;
        const double estimate =
            (expected(large, c.colour, options, context) - expected(small, c.colour, options, context)) / pixels;
        EXPECT_GT(estimate, 0.9 * found) << c.colour << c.std;
        EXPECT_LT(estimate, 1.35 * found) << c.colour << c.std;
        EXPECT_GT(expected(large, c.colour, options, context), measured(large, c.colour, options, context));
    }
}

// 8192 x 8192 on two threads, by hand.
TEST(DenoiseMemory, Formula) {
    DenoiseOptions options;
    options.max_patches = 1000;  // so few that learning takes less
    Context context;
    context.execution.threads = 2;
    constexpr double pixels = 8192.0 * 8192.0, program = 48 << 20;
    constexpr double strip = 4.0 * 8192.0 * (1024 + 8), rows = 2 * 8192.0 * 8;
    constexpr double written = pixels * (8 + 8 + 2 * 4);  // both images, and the samples of a file, twice
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 8192, 8192, 1), program + written);
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 8192, 8192, 3), program + 3 * written);
    options.std = true;
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 8192, 8192, 1), program + written + pixels * 8);
    options.std = false;
    // Beside the given image the noisy plane and two estimates, as floats; sums; pixels and products of patches.
    options.atoms = 4096;
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 8192, 8192, 1),
                     program + pixels * (8 + 3 * 4) + 2 * strip + rows * (64 + 4096));
    // Groups of a wide image on many threads: each has rows of its own, in double precision.
    options.atoms = 64;
    context.execution.threads = 400;
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 512, 65536, 3),
                     program + 512 * 65536.0 * 3 * (8 + 3 * 4) + 4 * 4.0 * 512 * 65536 + 400 * 4 * 57 * 65536.0 * 8);
    context.execution.threads = 2;
    options.sigma = 25.0;
    // The paper's one pass.
    options.recipe = Recipe::paper;
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 8192, 8192, 1), program + written);
    options.max_patches = 10'000'000;  // then patches and codes, twice, and the atoms
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 8192, 8192, 1),
                     program + pixels * 8 + 8 * (2 * 1e7 + 4 * 64.0) * (64 + 64));
    options.max_patches = 1000;
    context.checkpoint.path = "run.checkpoint";
    EXPECT_DOUBLE_EQ(denoise_memory(options, context, 8192, 8192, 1), program + written + pixels * 2 * 4);
}

// The target: 24 bytes a pixel and plane beyond what does not grow with the number of pixels.
TEST(DenoiseMemory, IsAtMost24BytesAPixelForLargeImages) {
    DenoiseOptions options;
    Context context;
    context.execution.threads = 2;
    for (const std::size_t planes : {1U, 3U}) {
        const double base = denoise_memory(options, context, 16, 16, planes);
        const double large = denoise_memory(options, context, 16384, 16384, planes);
        EXPECT_LT((large - base) / (16384.0 * 16384.0 * static_cast<double>(planes)), 24.0) << planes;
    }
}

}  // namespace
}  // namespace sbdl
