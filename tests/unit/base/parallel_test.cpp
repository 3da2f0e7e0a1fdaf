#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

TEST(ResolveThreads, ZeroMeansAtLeastOneAndANumberMeansItself) {
    EXPECT_GE(resolve_threads(0), 1);
    EXPECT_EQ(resolve_threads(1), 1);
    EXPECT_EQ(resolve_threads(7), 7);
}

TEST(ResolveThreads, RejectsInvalidNumbers) {
    test::expect_error<InputError>([] { resolve_threads(-1); }, {"threads", "-1"});
    test::expect_error<InputError>([] { resolve_threads(100000); }, {"threads", "100000", "1024"});
}

TEST(ParallelFor, RunsEveryItemOnceOnAThreadOfTheTeam) {
    for (const int threads : {-1, 0, 1, 2, 3, 8}) {
        for (const std::size_t count : {0, 1, 2, 7, 1000}) {
            std::vector<std::atomic<int>> runs(count);
            std::atomic<int> strange_threads{0};
            parallel_for(count, threads, [&](std::size_t item, int thread) {
                ++runs[item];
                if (thread < 0 || thread >= std::max(threads, 1)) ++strange_threads;
            });
            for (const auto& run : runs) ASSERT_EQ(run, 1);
            EXPECT_EQ(strange_threads, 0);
        }
    }
}

TEST(ParallelFor, ResultsDoNotDependOnTheNumberOfThreads) {
    const auto run = [](int threads) {
        std::vector<double> results(500);
        parallel_for(results.size(), threads, [&](std::size_t item, int) {
            double sum = 0.0;
            for (int i = 1; i < 100; ++i) sum += std::sin(static_cast<double>(item)) / i;
            results[item] = sum;
        });
        return results;
    };
    const std::vector<double> alone = run(1);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(run(threads), alone);
}

TEST(ParallelFor, RethrowsTheExceptionOfTheLowestItemThatThrew) {
    for (const int threads : {1, 2, 4}) {
        std::mutex mutex;
        std::set<std::size_t> thrown;
        std::string caught;
        try {
            parallel_for(200, threads, [&](std::size_t item, int) {
                if (item % 10 != 3) return;
                {
                    const std::lock_guard lock(mutex);
                    thrown.insert(item);
                }
                throw NumericError("item " + std::to_string(item));
            });
        } catch (const NumericError& error) {
            caught = error.what();
        }
        ASSERT_FALSE(thrown.empty());
        EXPECT_EQ(caught, "item " + std::to_string(*thrown.begin()));
    }
}

TEST(ParallelFor, StartsNoMoreItemsAfterAnException) {
    for (const int threads : {1, 2, 4}) {
        std::atomic<std::size_t> started{0};
        const auto run = [&] {
            parallel_for(100000, threads, [&](std::size_t, int) {
                ++started;
                throw std::runtime_error("stop");
            });
        };
        EXPECT_THROW(run(), std::runtime_error);
        EXPECT_LE(started, static_cast<std::size_t>(threads));
    }
}

TEST(ParallelFor, EveryPieceIsPreparedBeforeAnyItemBegins) {
    for (const int threads : {1, 2, 5})
        for (const std::size_t pieces : {0, 1, 3, 40})
            for (const std::size_t count : {0, 1, 40}) {
                std::vector<int> prepared(pieces,
                                          0);  // not atomic: the thread sanitizer sees whether items may read it
                std::vector<std::atomic<int>> runs(count);
                std::atomic<int> too_early{0};
                const Preparation preparation{pieces, [&](std::size_t piece) { ++prepared[piece]; }};
                parallel_for(
                    count, threads,
                    [&](std::size_t item, int) {
                        ++runs[item];
                        too_early += static_cast<int>(std::count(prepared.begin(), prepared.end(), 0));
                    },
                    preparation);
                EXPECT_EQ(too_early, 0);
                EXPECT_EQ(prepared, std::vector<int>(pieces, 1));
                for (const auto& run : runs) ASSERT_EQ(run, 1);
            }
}

// Rounds that follow each other at once, with gaps in which threads still wait awake, and with gaps in which they
// sleep.
TEST(ParallelFor, ManyShortLoopsLoseNothing) {
    for (const int gap : {0, 50, 500}) {
        long sum = 0;
        for (int round = 0; round < 200; ++round) {
            std::vector<int> items(static_cast<std::size_t>(1 + round % 7), 0);
            parallel_for(items.size(), 4, [&](std::size_t item, int) { items[item] += 1; });
            for (const int item : items) sum += item;
            if (gap > 0) std::this_thread::sleep_for(std::chrono::microseconds(gap));
        }
        EXPECT_EQ(sum, 28 * (200 / 7) + 1 + 2 + 3 + 4) << gap;
    }
}

TEST(ParallelFor, CanBeNested) {
    std::atomic<int> runs{0};
    parallel_for(4, 2, [&](std::size_t, int) { parallel_for(5, 2, [&](std::size_t, int) { ++runs; }); });
    EXPECT_EQ(runs, 20);
}

TEST(ParallelFor, CanBeUsedAgainAfterAnException) {
    EXPECT_THROW(parallel_for(4, 2, [](std::size_t, int) { throw 1; }), int);
    std::atomic<int> runs{0};
    parallel_for(4, 2, [&](std::size_t, int) { ++runs; });
    EXPECT_EQ(runs, 4);
}

TEST(ParallelFor, CallersOnDifferentThreadsDoNotInterfere) {
    std::vector<int> sums(4, 0);
    std::vector<std::thread> callers;
    for (int& sum : sums)
        callers.emplace_back([&sum] {
            for (int round = 0; round < 50; ++round) {
                std::atomic<int> runs{0};
                parallel_for(20, 3, [&](std::size_t, int) { ++runs; });
                sum += runs;
            }
        });
    for (std::thread& caller : callers) caller.join();
    for (const int sum : sums) EXPECT_EQ(sum, 1000);
}

TEST(ParallelFor, TeamsGrowAndShrink) {
    for (const int threads : {2, 5, 3, 1, 4, 2}) {
        std::atomic<int> runs{0};
        parallel_for(100, threads, [&](std::size_t, int) { ++runs; });
        EXPECT_EQ(runs, 100);
    }
}

// The name must not match the filter of the thread sanitizer's run, because that sanitizer does not follow forks.
TEST(WorkerTeams, AForkedProcessHasItsOwn) {
    const auto hundred = [] {
        std::atomic<int> runs{0};
        parallel_for(100, 2, [&](std::size_t, int) { ++runs; });
        return runs.load();
    };
    EXPECT_EQ(hundred(), 100);  // this process has threads now
    const pid_t child = fork();
    if (child == 0) _exit(hundred() == 100 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(hundred(), 100);
}

}  // namespace
}  // namespace sbdl
