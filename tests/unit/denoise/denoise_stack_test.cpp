// Stacks: each page is what denoise() makes of it with the shared dictionary or its own.
#include "sbdl/denoise_stack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

class MemoryPages final : public PageSource {
public:
    explicit MemoryPages(std::vector<Image> pages) : pages_(std::move(pages)) {}
    [[nodiscard]] std::size_t count() const override { return pages_.size(); }
    [[nodiscard]] bool stacked() const override { return true; }
    Image read(std::size_t page) override { return pages_.at(page); }
    std::vector<Image> pages_;
};

class DenoiseStack : public testing::Test {
protected:
    static MemoryPages noisy_pages(std::size_t count) {
        std::vector<Image> pages;
        for (std::size_t page = 0; page < count; ++page)
            pages.push_back(make_noisy(make_image(32, 24, false, 5), 20.0, 100 + page));
        return MemoryPages(std::move(pages));
    }
    static DenoiseOptions quick_options() {
        DenoiseOptions options;
        options.method = "online";
        options.quality = Quality::fast;
        options.atoms = 32;
        options.sweeps = 2;
        options.sigma = 20.0;
        options.max_patches = 500;
        return options;
    }
    struct Run {
        std::vector<Image> pages;
        std::vector<Model> shared;
        std::vector<double> shares;
        StackResult result;
    };
    static Run run(PageSource& pages, const StackOptions& stack = {}, DenoiseOptions options = quick_options(),
                   int threads = 1, std::size_t first = 0) {
        Run run;
        StackHooks hooks;
        hooks.learned = [&](const Model& model) { run.shared.push_back(model); };
        hooks.page = [&](std::size_t page, DenoiseResult result) {
            EXPECT_EQ(page, first + run.pages.size());
            run.pages.push_back(std::move(result.image));
        };
        hooks.progress = [&](const DenoiseProgress& progress) { run.shares.push_back(progress.share); };
        Context context;
        context.execution.threads = threads;
        run.result = denoise_stack(pages, options, stack, context, hooks, first);
        return run;
    }
    static bool same(const Image& a, const Image& b) {
        return a.height() == b.height() && a.width() == b.width() &&
               std::equal(a.planes[0].data(), a.planes[0].data() + a.planes[0].size(), b.planes[0].data());
    }
};

TEST_F(DenoiseStack, EachPageIsWhatDenoiseMakesOfItWithTheSharedDictionary) {
    MemoryPages pages = noisy_pages(3);
    const Run stack = run(pages);
    ASSERT_EQ(stack.pages.size(), 3U);
    ASSERT_EQ(stack.shared.size(), 1U);
    EXPECT_TRUE(stack.result.shared);
    DenoiseOptions options = quick_options();
    options.model = &stack.shared[0];
    for (std::size_t page = 0; page < 3; ++page)
        EXPECT_TRUE(same(stack.pages[page], denoise(pages.read(page), options).image)) << page;
}

TEST_F(DenoiseStack, ParallelRunsAndResumedOnesGiveTheSamePages) {
    MemoryPages pages = noisy_pages(3);
    const Run one = run(pages), two = run(pages, {}, quick_options(), 2);
    for (std::size_t page = 0; page < 3; ++page) EXPECT_TRUE(same(one.pages[page], two.pages[page]));
    DenoiseOptions with_model = quick_options();
    with_model.model = &one.shared[0];
    const Run rest = run(pages, {}, with_model, 1, 2);
    ASSERT_EQ(rest.pages.size(), 1U);
    EXPECT_TRUE(same(rest.pages[0], one.pages[2]));
    EXPECT_EQ(rest.result.done, 3U);
}

TEST_F(DenoiseStack, OfItsOwnDictionaryAPageIsWhatDenoiseMakesOfIt) {
    MemoryPages pages = noisy_pages(2);
    const Run stack = run(pages, {.dictionary = StackDictionary::own});
    EXPECT_TRUE(stack.shared.empty());
    EXPECT_FALSE(stack.result.shared);
    for (std::size_t page = 0; page < 2; ++page)
        EXPECT_TRUE(same(stack.pages[page], denoise(pages.read(page), quick_options()).image)) << page;
}

TEST_F(DenoiseStack, TheShareOfTheStackRisesToOneOnce) {
    for (const StackDictionary dictionary : {StackDictionary::shared, StackDictionary::own}) {
        MemoryPages pages = noisy_pages(3);
        const Run stack = run(pages, {.dictionary = dictionary});
        EXPECT_TRUE(std::is_sorted(stack.shares.begin(), stack.shares.end()));
        EXPECT_EQ(stack.shares.back(), 1.0);
        EXPECT_EQ(std::count(stack.shares.begin(), stack.shares.end(), 1.0), 1);
    }
}

TEST_F(DenoiseStack, UnusualPagesGoThrough) {
    MemoryPages pages = noisy_pages(2);
    Image flat = pages.pages_[0];
    std::fill_n(flat.planes[0].data(), flat.planes[0].size(), 100.0);
    pages.pages_.push_back(flat);                                              // constant
    pages.pages_.push_back(make_noisy(flat, 20.0, 7));                         // nothing but noise
    pages.pages_.push_back(make_noisy(make_image(16, 20, true, 3), 20.0, 8));  // of another size, in colour
    DenoiseOptions options = quick_options();
    options.sigma.reset();
    const Run stack = run(pages, {}, options);
    ASSERT_EQ(stack.pages.size(), 5U);
    EXPECT_TRUE(same(stack.pages[2], flat));
    EXPECT_EQ(stack.pages[4].planes.size(), 3U);
}

TEST_F(DenoiseStack, WithoutNoiseEachPageIsOnItsOwn) {
    Image flat;
    flat.planes.assign(1, Matrix(16, 16, 50.0));
    MemoryPages pages({flat, flat});
    DenoiseOptions options = quick_options();
    options.sigma.reset();
    const Run stack = run(pages, {}, options);
    EXPECT_FALSE(stack.result.shared);
    ASSERT_EQ(stack.result.warnings.size(), 1U);
    EXPECT_NE(stack.result.warnings[0].find("each page with such noise learns its own"), std::string::npos);
    EXPECT_TRUE(same(stack.pages[1], flat));
}

// Stacked on top of each other they would be an image that repeats itself, as images without noise do.
TEST_F(DenoiseStack, EqualPagesShareTheDictionaryOfOne) {
    const Image page = make_noisy(make_image(32, 32, false, 5), 20.0, 100);
    MemoryPages pages(std::vector<Image>(4, page));
    DenoiseOptions options = quick_options();
    options.sigma.reset();
    const Run stack = run(pages, {}, options);
    EXPECT_TRUE(stack.result.shared);
    EXPECT_TRUE(stack.result.warnings.empty());
    const Image alone = denoise(page, options).image;
    for (const Image& clean : stack.pages) EXPECT_TRUE(same(clean, alone));
}

TEST_F(DenoiseStack, StopsBetweenAndWithinPages) {
    MemoryPages pages = noisy_pages(3);
    for (const bool within : {false, true}) {
        std::atomic<bool> stop{false};
        std::size_t done = 0;
        StackHooks hooks;
        hooks.stop = &stop;
        hooks.page = [&](std::size_t, DenoiseResult) {
            ++done;
            if (!within) stop = true;
        };
        hooks.progress = [&](const DenoiseProgress& progress) {
            if (within && progress.page == 1 && progress.stage == "posterior") stop = true;
        };
        const StackResult result = denoise_stack(pages, quick_options(), {}, {}, hooks);
        EXPECT_EQ(done, 1U);
        EXPECT_EQ(result.done, 1U);
    }
}

TEST_F(DenoiseStack, ErrorsNameThePage) {
    MemoryPages pages = noisy_pages(2);
    pages.pages_.push_back({});
    pages.pages_[2].planes.assign(1, Matrix(4, 4));
    test::expect_error<InputError>([&] { run(pages, {.dictionary = StackDictionary::own}); }, {"page 3 of 3", "4 x 4"});
    MemoryPages none({});
    test::expect_error<InputError>([&] { run(none); }, {"no pages"});
    Context context;
    context.checkpoint.path = "x";
    test::expect_error<InputError>([&] { denoise_stack(pages, {}, {}, context); }, {"checkpoints"});
}

}  // namespace
}  // namespace sbdl
