// Runs that several ranks share, on threads of this process.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "pass/rank_share.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/train.hpp"
#include "support/easy_set.hpp"
#include "support/gaps.hpp"
#include "support/thread_ranks.hpp"

namespace sbdl::test {

inline constexpr std::size_t signals_of_rank_runs = 700;  // six blocks, in six chunks

/// The signals that a rank may read: its own, and once those that all ranks compare, here blocks all over the set.
class RankSource final : public SignalSource {
public:
    RankSource(const SignalSource& all, const IndexRange& own) : all_(all), own_(own) {}
    [[nodiscard]] std::size_t count() const override { return all_.count(); }
    [[nodiscard]] std::size_t dim() const override { return all_.dim(); }
    [[nodiscard]] std::string name() const override { return all_.name(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        if ((first < own_.first || first + how_many > own_.end()) && (compared_ += how_many) > most_compared())
            throw std::logic_error("these signals belong to another rank");
        all_.read(first, how_many, out);
    }

private:
    [[nodiscard]] std::size_t most_compared() const { return std::min<std::size_t>(18, (count() + 127) / 128) * 128; }

    const SignalSource& all_;
    IndexRange own_;
    mutable std::atomic<std::size_t> compared_ = 0;
};

/// The results of all ranks.
inline std::vector<TrainResult> train_on(int ranks, const SignalSource& source, const AnyOptions& options,
                                         Context context, Observer* observer = nullptr, int first_with_signals = 0) {
    std::vector<TrainResult> results(static_cast<std::size_t>(ranks));
    const auto errors = on_ranks(
        ranks,
        [&](Ranks& rank) {
            Context mine = context;
            mine.execution.ranks = &rank;
            mine.execution.threads = 1 + rank.mine() % 2;
            const std::array<Observer*, 1> observers{observer};
            const std::size_t observed = observer != nullptr && rank.mine() == 0 ? 1 : 0;
            const auto place = static_cast<std::size_t>(std::max(0, rank.mine() - first_with_signals));
            const RankSource own(
                source, rank.mine() < first_with_signals
                            ? IndexRange{}
                            : signals_of_rank(method_named(options.method()).can.kind, place,
                                              static_cast<std::size_t>(ranks - first_with_signals), source.count(),
                                              source.dim(), static_cast<std::size_t>(options.atoms())));
            results[static_cast<std::size_t>(rank.mine())] =
                train(own, options, mine, std::span(observers).first(observed));
        },
        first_with_signals);
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
    return results;
}

template <class Options>
Options short_rounds(int atoms) {
    Options options = Options::preset(Preset::standard, atoms);
    options.sparsity = 2;
    options.sweeps = 9;
    return options;
}

class RanksShareARun : public ::testing::Test {
protected:
    const SynthSet set_ = easy_set(signals_of_rank_runs);
    const Matrix gappy_ = with_random_gaps(set_.signals, 0.3);
    const MemorySource source_{set_.signals}, gaps_{gappy_};
    const SynthSet larger_ = easy_set(2100);  // four parts, which do not end where blocks do
    const MemorySource in_parts_{larger_.signals};
};

}  // namespace sbdl::test
