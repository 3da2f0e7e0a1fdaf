// Requests to stop: loops end with Stopped on any number of threads, and only while the scope exists.
#include "base/stop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>

#include "base/atomic_file.hpp"
#include "base/parallel.hpp"
#include "base/unfinished.hpp"
#include "sbdl/error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

TEST(StopThread, ALoopEndsOnAnyNumberOfThreads) {
    for (const int threads : {1, 2, 4}) {
        constexpr std::size_t count = 100'000'000;  // it would take minutes
        std::atomic<std::size_t> runs{0};
        const std::function<bool()> stop = [&] { return runs > 1000; };
        {
            const StopScope scope(stop);
            EXPECT_THROW(parallel_for(count, threads, [&](std::size_t, int) { ++runs; }), Stopped);
            EXPECT_TRUE(stop_requested());
            EXPECT_THROW(look_for_stop(), Stopped);
        }
        EXPECT_LT(runs, count);
        EXPECT_FALSE(stop_requested());
        runs = 0;
        parallel_for(2000, threads, [&](std::size_t, int) { ++runs; });
        EXPECT_EQ(runs, 2000U) << "without the scope nothing stops";
    }
}

TEST(StopThread, ALoopWhoseItemsAreAllBegunHasItsResult) {
    for (const int threads : {1, 3}) {
        std::atomic<std::size_t> runs{0};
        const std::function<bool()> stop = [&] { return runs == 7; };
        const StopScope scope(stop);
        EXPECT_NO_THROW(parallel_for(7, threads, [&](std::size_t, int) { ++runs; }));
        EXPECT_EQ(runs, 7U);
    }
}

// Only the thread that made the scope asks: the function may need that thread, as Python's does.
TEST(StopThread, OthersSeeWhatTheFirstThreadWasTold) {
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<bool> asked_elsewhere{false}, wanted{false};
    std::atomic<int> in_items{0};
    const std::function<bool()> stop = [&] {
        if (std::this_thread::get_id() != here) asked_elsewhere = true;
        return wanted.load();
    };
    const StopScope scope(stop);
    EXPECT_THROW(parallel_for(1'000'000, 4,
                              [&](std::size_t item, int) {
                                  if (item == 500) wanted = true;
                                  ++in_items;
                                  while (wanted) look_for_stop();  // an item that takes long looks, too
                              }),
                 Stopped);
    EXPECT_FALSE(asked_elsewhere);
}

TEST(StopThread, AnEmptyFunctionLeavesTheScopeAround) {
    bool wanted = false;
    const std::function<bool()> stop = [&] { return wanted; }, empty, never = [] { return false; };
    const StopScope outer(stop);
    const StopScope inner(empty);
    EXPECT_FALSE(stop_requested());
    wanted = true;
    {
        const StopScope own(never);
        EXPECT_FALSE(stop_requested()) << "the inner function counts";
    }
    EXPECT_TRUE(stop_requested());
}

TEST(Unfinished, AreRemovedWhenTheProgramEndsAtOnce) {
    const test::TempFolder folder;
    const std::filesystem::path made = folder / "made";
    std::filesystem::create_directory(made);
    const auto unfinished_folder = std::make_unique<Unfinished>(made);
    auto finished = std::make_unique<AtomicFile>(made / "finished");
    finished->commit();
    finished.reset();
    auto kept = std::make_unique<Unfinished>(made / "finished");
    const AtomicFile file(made / "half");
    EXPECT_TRUE(std::filesystem::exists(file.temporary()));
    kept.reset();
    remove_unfinished();
    EXPECT_FALSE(std::filesystem::exists(file.temporary()));
    EXPECT_TRUE(std::filesystem::exists(made / "finished")) << "and so the folder is kept";
    const Unfinished both(made / "finished"), again(made);
    remove_unfinished();
    EXPECT_FALSE(std::filesystem::exists(made)) << "files first, whatever their order";
    EXPECT_NO_THROW(remove_unfinished());
}

}  // namespace
}  // namespace sbdl
