// Requests to stop: loops end with Stopped on any number of threads, and only while the scope exists.
#include "base/stop.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
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

/// Ends the process with 1 unless `holds`.
void must(bool holds, const char* what) {
    if (holds) return;
    std::fputs(what, stderr);
    ::_exit(1);
}

/// In a process of its own, as in a program that ends at once: the names of removed files are not freed.
[[noreturn]] void remove_and_end(const std::filesystem::path& made) {
    const auto exists = [](const std::filesystem::path& path) { return std::filesystem::exists(path); };
    const Unfinished folder(made);
    write_text_file(made / "finished", "whole");
    auto kept = std::make_unique<Unfinished>(made / "finished");
    const AtomicFile file(made / "half");
    must(exists(file.temporary()), "a temporary is made");
    kept.reset();
    remove_unfinished();
    must(!exists(file.temporary()), "it is removed");
    must(exists(made / "finished"), "what is finished is kept, and so the folder is");
    const Unfinished both(made / "finished"), again(made);
    remove_unfinished();
    must(!exists(made), "files first, whatever their order");
    remove_unfinished();
    ::_exit(0);
}

TEST(Unfinished, AreRemovedWhenTheProgramEndsAtOnce) {
    const test::TempFolder folder;
    const std::filesystem::path made = folder / "made";
    std::filesystem::create_directory(made);
    EXPECT_EXIT(remove_and_end(made), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sbdl
