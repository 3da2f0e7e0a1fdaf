// gibbs with missing entries: what it infers, what changes nothing, what it rejects.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "learners/gibbs/gibbs_chain.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/score.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/gaps.hpp"
#include "support/pass_over.hpp"
#include "support/same_result.hpp"

namespace sbdl::test {
namespace {

constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();

/// The mean square of rows - truth over the entries that are missing in `gappy`, relative to that of the truth.
double error_of_missing(const Mat& rows, const SynthSet& truth, const Matrix& gappy) {
    const Mat clean = as_columns(truth.dictionary) * as_columns(truth.codes);
    const Mat lost = Mat::Ones(clean.rows(), clean.cols()) - seen(as_columns(gappy));
    return (rows - clean).cwiseProduct(lost).squaredNorm() / clean.cwiseProduct(lost).squaredNorm();
}

bool is_zero(double value) {
    return value == 0.0;
}

/// Keeps the last reconstruction of these signals.
class LastReconstruction final : public Observer {
public:
    explicit LastReconstruction(std::vector<std::size_t> signals) : signals_(std::move(signals)) {}
    Flow on_sweep(const SweepReport& report) override {
        if (Matrix rows = report.reconstruct(signals_); !rows.empty()) last = std::move(rows);
        return Flow::go_on;
    }

    Matrix last;

private:
    std::vector<std::size_t> signals_;
};

TEST(GibbsGaps, FindsDictionaryAndNoiseAndFillsTheGaps) {
    const SynthSet truth = easy_set(500);
    const Matrix gappy = with_random_gaps(truth.signals, 0.3);
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 12);
    options.burn_in = 450;
    options.most_burn_in = 0;
    options.draws = 100;
    options.most_draws = 0;
    const TrainResult result =
        train(MemorySource{gappy}, options, {.execution = {.threads = 1}, .seed = 2, .reconstruct = true});
    EXPECT_EQ(score_dictionary(truth.dictionary, result.model.dictionary, 0.01).nearest_rate(), 1.0);
    EXPECT_NEAR(result.model.noise_sd / truth.noise_sd, 1.0, 0.06);
    EXPECT_LT(error_of_missing(as_columns(result.reconstruction), truth, gappy), 0.1);

    // New signals with the model that was learned.
    const Codes codes = encode(result.model, gappy, PosteriorCoderOptions{});
    EXPECT_LT(error_of_missing(as_columns(result.model.dictionary) * as_columns(codes.dense), truth, gappy), 0.1);
}

// With the paper's prior: the noise that is reported is re-estimated from the observed entries.
TEST(GibbsGaps, StudentT) {
    const SynthSet truth = easy_set(500);
    const Matrix gappy = with_random_gaps(truth.signals, 0.3);
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 12);
    options.prior = CodePrior::student_t;
    options.burn_in = 900;
    options.most_burn_in = 0;
    options.draws = 50;
    options.most_draws = 0;
    const Model model = train(MemorySource{gappy}, options, {.execution = {.threads = 1}, .seed = 2}).model;
    EXPECT_EQ(score_dictionary(truth.dictionary, model.dictionary, 0.01).nearest_rate(), 1.0);
    EXPECT_NEAR(model.noise_sd / truth.noise_sd, 1.0, 0.1);
    const Codes codes = encode(model, gappy, PosteriorCoderOptions{});
    EXPECT_LT(error_of_missing(as_columns(model.dictionary) * as_columns(codes.dense), truth, gappy), 0.35);
}

TEST(GibbsGaps, AMaskWithoutGapsChangesNothing) {
    const SynthSet truth = easy_set(200);
    const Matrix ones(200, 10, 1.0);
    const MemorySource signals(truth.signals), mask(ones);
    for (const CodePrior of_codes : {CodePrior::on_off, CodePrior::student_t}) {
        GibbsOptions options = short_gibbs(12);
        options.prior = of_codes;
        expect_same_model(train(MaskedSource(signals, mask), options).model, train(signals, options).model);
    }
}

// K4: the pull on an atom and its effect, against plain sums over all signals.
TEST(GibbsGaps, ThePullOnAnAtomIsThatOfTheObservedEntries) {
    Numbers numbers(4);
    const Mat Y = numbers.normals(5, 300) + random_gaps(5, 300, 0.4, numbers);
    const Matrix rows = to_rows(Y);
    const MemorySource source{rows};
    ThreadPass pass = pass_over(source, 1.0, 4, 2);
    ASSERT_TRUE(pass.gaps());
    EXPECT_EQ(pass.values(), seen(Y).sum());
    OnOffState state{.D = numbers.normals(5, 4).colwise().normalized(),
                     .probability = Vec::Constant(4, 0.5),
                     .code_precision = 1.0,
                     .noise_precision = 2.0};
    for (std::uint32_t sweep = 0; sweep < 3; ++sweep) {
        const SufficientStats& stats = pass.sweep(OnOffSweep{.state = &state, .draw = {.seed = 1, .sweep = sweep}});
        Mat X = Mat::Zero(4, 300);
        for (std::size_t l = 0; l < 300; ++l) {
            const SparseCodes& codes = pass.on_off_codes(l / block_size);
            const std::size_t row = l % block_size;
            for (std::size_t k = codes.start[row]; k < codes.start[row + 1]; ++k)
                X(codes.atom[k], static_cast<Eigen::Index>(l)) = codes.value[k];
        }
        const auto residuals = [&](const Mat& D) -> Mat { return (observed(Y) - D * X).cwiseProduct(seen(Y)); };
        EXPECT_NEAR(stats.residual_sq, residuals(state.D).squaredNorm(), 1e-9);
        for (const Eigen::Index n : {2, 0, 2}) {
            const AtomPull pull = pass.pull_on(static_cast<std::size_t>(n));
            EXPECT_LE((pull.residual - residuals(state.D) * X.row(n).transpose()).norm(), 1e-9);
            EXPECT_LE((pull.weight - seen(Y) * X.row(n).cwiseAbs2().transpose()).norm(), 1e-9);
            const Vec change = numbers.normals(5, 1);
            pass.move_atom(static_cast<std::size_t>(n), change);
            state.D.col(n) += change;
        }
        state.D = state.D.colwise().normalized().eval();
    }
}

TEST(GibbsGaps, UnitsDoNotMatter) {
    const Matrix gappy = with_random_gaps(easy_set(150).signals, 0.3);
    Matrix scaled = gappy;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 0x1p40;
    const Model own = train(MemorySource{gappy}, short_gibbs(12)).model;
    const Model large = train(MemorySource{scaled}, short_gibbs(12)).model;
    EXPECT_EQ(values_of(own.dictionary), values_of(large.dictionary));
    EXPECT_EQ(0x1p40 * own.noise_sd, large.noise_sd);
}

TEST(GibbsGaps, ASignalWithoutAnyEntryIsRefusedByItsNumber) {
    Matrix rows = easy_set(80).signals;
    for (const std::size_t l : {7U, 50U})
        for (double& value : rows.row(l)) value = not_seen;
    expect_error<InputError>([&] { train(MemorySource{rows}, short_gibbs(12)); },
                             {"row 7", "missing", "2 of 80", "leave such rows out"});
    const Matrix nothing(4, 3, not_seen);
    expect_error<InputError>([&] { train(MemorySource{nothing}, short_gibbs(2)); }, {"every entry", "missing"});
    rows(50, 1) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { train(MemorySource{rows}, short_gibbs(2)); }, {"row 50, column 1", "inf"});
}

/// The run with rows that have no entry, which are ignored, and the same without these rows.
template <class Options>
void expect_as_without_empty(Options options) {
    options.empty_signals = EmptySignals::ignore;
    options.keep_codes = true;
    const Matrix some = with_random_gaps(easy_set(80).signals, 0.2);
    Matrix rows(82, some.cols(), not_seen);
    const auto row_of = [](std::size_t l) { return l < 7 ? l : l < 49 ? l + 1 : l + 2; };
    for (std::size_t l = 0; l < 80; ++l) std::ranges::copy(some.row(l), rows.row(row_of(l)).begin());
    const Context context{.seed = 3, .reconstruct = true};
    const TrainResult want = train(MemorySource{some}, options, context);
    LastReconstruction watch({7, 8, 81, 50});
    std::array<Observer*, 1> observers{&watch};
    const TrainResult got = train(MemorySource{rows}, options, context, observers);
    EXPECT_EQ(values_of(got.model.dictionary), values_of(want.model.dictionary));
    EXPECT_EQ(got.model.noise_sd, want.model.noise_sd);
    EXPECT_EQ(got.model.signal_count, 82U);
    ASSERT_EQ(got.warnings.size(), want.warnings.size() + 1);
    EXPECT_NE(got.warnings[0].find("2 of 82 signals have no observed entry"), std::string::npos) << got.warnings[0];
    const auto expect_spread = [&](const Matrix& all, const Matrix& observed) {
        ASSERT_EQ(all.rows(), 82U);
        for (const std::size_t l : {7U, 50U})
            for (const double value : all.row(l)) EXPECT_EQ(value, 0.0);
        for (std::size_t l = 0; l < 80; ++l) EXPECT_TRUE(std::ranges::equal(all.row(row_of(l)), observed.row(l))) << l;
    };
    expect_spread(got.model.codes, want.model.codes);
    expect_spread(got.model.codes_std, want.model.codes_std);
    expect_spread(got.model.codes_probability, want.model.codes_probability);
    expect_spread(got.reconstruction, want.reconstruction);
    ASSERT_EQ(watch.last.rows(), 4U);
    for (const std::size_t i : {0U, 3U})
        for (const double value : watch.last.row(i)) EXPECT_EQ(value, 0.0);
    for (const std::size_t i : {1U, 2U}) EXPECT_FALSE(std::ranges::all_of(watch.last.row(i), is_zero));
}

TEST(GibbsGaps, ASignalWithoutAnyEntryCanBeIgnored) {
    expect_as_without_empty(short_gibbs(12));
    VbOptions vb = short_vb(12);
    vb.start_sweeps = 5;
    expect_as_without_empty(vb);
    const Matrix nothing(4, 3, not_seen);
    GibbsOptions options = short_gibbs(2);
    options.empty_signals = EmptySignals::ignore;
    expect_error<InputError>([&] { train(MemorySource{nothing}, options); }, {"every entry", "missing"});
}

TEST(GibbsGaps, AnEntryThatIsAlwaysMissingIsNamedInAWarning) {
    Matrix rows = easy_set(80).signals;
    for (std::size_t l = 0; l < rows.rows(); ++l) rows(l, 3) = not_seen;
    const TrainResult result = train(MemorySource{rows}, short_gibbs(12));
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_NE(result.warnings[0].find("1 of 10 entries"), std::string::npos) << result.warnings[0];
    for (std::size_t i = 0; i < result.model.dictionary.size(); ++i)
        EXPECT_TRUE(std::isfinite(result.model.dictionary.data()[i]));
}

TEST(GibbsGaps, ARunStoppedInItsSearchHasNoReconstruction) {
    const Matrix rows = easy_set(60).signals;
    const TrainResult result = train(MemorySource{rows}, short_gibbs(12), {.time_limit_s = 1e-9, .reconstruct = true});
    EXPECT_TRUE(result.reconstruction.empty());
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_NE(result.warnings[0].find("no reconstruction"), std::string::npos) << result.warnings[0];
}

TEST(GibbsGaps, ReconstructNeedsCodesThatAreKept) {
    GibbsOptions options = short_gibbs(4);
    options.prior = CodePrior::student_t;
    const Matrix rows = easy_set(20).signals;
    expect_error<InputError>([&] { train(MemorySource{rows}, options, {.reconstruct = true}); },
                             {"reconstruct", "student-t"});
}

}  // namespace
}  // namespace sbdl::test
