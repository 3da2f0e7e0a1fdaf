// Codes of any number of signals with a fixed dictionary, whatever the units of signals and atoms: the threads code a
// round of blocks, which is then handed on in order, before the next round begins.
#include "sbdl/encode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked_size.hpp"
#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "base/ranked_codes.hpp"
#include "base/stop.hpp"
#include "coders/atom_passes.hpp"
#include "coders/batch_omp.hpp"
#include "coders/fista.hpp"
#include "coders/gappy_omp.hpp"
#include "coders/lasso.hpp"
#include "coders/sparse_codes.hpp"
#include "sbdl/error.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_per_block = 128;

/// Brings the largest entry near 1, exactly, so that sums of squares neither overflow nor vanish. Missing entries do
/// not count. Returns the power of two that was taken out.
template <class Entries>
int take_out_scale(Entries&& entries) {
    int exponent = 0;
    std::frexp(entries.cwiseAbs().template maxCoeff<Eigen::PropagateNumbers>(), &exponent);
    constexpr int most = 1000;  // beyond it the factor itself would overflow
    exponent = std::clamp(exponent, -most, most);
    entries *= std::ldexp(1.0, -exponent);
    return exponent;
}

/// A dictionary with its largest entry near 1.
struct ScaledDictionary {
    explicit ScaledDictionary(MatrixView dictionary)
        : D(as_columns(dictionary)), exponent(take_out_scale(D.reshaped())) {}

    /// The weight of the lasso for signals with `signal_exponent` taken out.
    [[nodiscard]] double lambda(double given, int signal_exponent) const {
        return std::ldexp(given, -signal_exponent - exponent);
    }
    /// The power of two that brings their codes back to the user's units.
    [[nodiscard]] int code_exponent(int signal_exponent) const { return signal_exponent - exponent; }

    Mat D;
    int exponent;
};

/// Brings the code of the last signal back to the user's units.
void rescale_last(SparseCodes& codes, int code_exponent, int signal_exponent) {
    for (std::size_t k = codes.start.end()[-2]; k < codes.start.back(); ++k)
        codes.value[k] = std::ldexp(codes.value[k], code_exponent);
    codes.residual_norm.back() = std::ldexp(codes.residual_norm.back(), signal_exponent);
}

void check_lasso(MatrixView dictionary, double lambda, int max_steps, std::string_view coder) {
    check_dictionary(dictionary, coder);
    if (!(std::isfinite(lambda) && lambda > 0.0))
        throw InputError(fmt::format("{}: lambda is {}, must be a number above 0", coder, lambda));
    if (max_steps < 1) throw InputError(fmt::format("{}: max_steps is {}, must be at least 1", coder, max_steps));
}

// Each coder has a check of its options, a workspace for each thread, and code(), which fills the codes of a block from
// its signals and may change these. `gaps` says whether the block has missing entries.

class OmpCoder {
public:
    static constexpr std::size_t blocks_per_thread = 32;
    static constexpr MissingValues missing = MissingValues::allowed;
    struct Workspace {
        std::optional<OmpBlock> block;
        std::vector<int> exponent;
        std::vector<double> max_error2;
    };

    static void check(MatrixView dictionary, const OmpOptions& options) {
        if (options.max_nonzeros == 0 && options.max_error == 0.0)
            throw InputError(
                "omp: set max_nonzeros or max_error; without either the pursuit does not know when to stop");
        check_dictionary(dictionary, "omp");
    }

    OmpCoder(MatrixView dictionary, const OmpOptions& options)
        : omp_(dictionary, options), dictionary_(dictionary), gappy_(dictionary_.D, options) {}

    void code(Mat& Y, bool gaps, Workspace& work, Codes& block) const {
        if (!work.block) work.block.emplace(omp_, signals_per_block);
        work.exponent.clear();
        work.max_error2.clear();
        const Mat given = gaps ? Y : Mat();
        for (auto y : Y.colwise()) {
            if (gaps && y.hasNaN()) y.setZero();  // coded below
            work.exponent.push_back(take_out_scale(y));
            const double max_error = std::ldexp(omp_.max_error(), -work.exponent.back());
            work.max_error2.push_back(max_error * max_error);
        }
        work.block->load(Y.data(), work.max_error2);

        SparseCodes& codes = block.sparse;
        codes.atoms = omp_.atoms();
        for (std::size_t i = 0; i < work.exponent.size(); ++i) {
            if (gaps && given.col(static_cast<Eigen::Index>(i)).hasNaN()) {
                code_gappy(given.col(static_cast<Eigen::Index>(i)), block);
                continue;
            }
            append(work.block->code(i), codes);
            rescale_last(codes, work.exponent[i], work.exponent[i]);
        }
    }

private:
    template <class Code>
    static void append(const Code& code, SparseCodes& codes) {
        codes.atom.insert(codes.atom.end(), code.atoms.begin(), code.atoms.end());
        codes.value.insert(codes.value.end(), code.values.begin(), code.values.end());
        codes.start.push_back(codes.atom.size());
        codes.residual_norm.push_back(std::sqrt(code.residual2));
    }

    void code_gappy(Vec y, Codes& block) const {
        SparseCodes& codes = block.sparse;
        if (y.array().isNaN().all()) {
            codes.start.push_back(codes.atom.size());
            codes.residual_norm.push_back(0.0);
            ++block.empty;
            return;
        }
        const int exponent = take_out_scale(y);
        append(gappy_.code(y, std::ldexp(omp_.max_error(), -exponent)), codes);
        rescale_last(codes, dictionary_.code_exponent(exponent), exponent);
    }

    BatchOmp omp_;
    ScaledDictionary dictionary_;
    GappyOmp gappy_;
};

class LassoCoder {
public:
    static constexpr std::size_t blocks_per_thread = 32;
    static constexpr MissingValues missing = MissingValues::rejected;
    using Workspace = LassoBlock;

    static void check(MatrixView dictionary, const LassoOptions& options) {
        check_lasso(dictionary, options.lambda, options.max_steps, "lasso");
        if (!checked_product({dictionary.rows, padded_atoms(dictionary.rows), sizeof(double)}))
            throw InputError(
                fmt::format("lasso: the Gram matrix of {} atoms does not fit into memory", dictionary.rows));
    }

    LassoCoder(MatrixView dictionary, const LassoOptions& options)
        : lambda_(options.lambda), stop_{exact, static_cast<std::size_t>(options.max_steps)}, dictionary_(dictionary) {
        // The solver cannot handle an atom whose squared norm is negligible compared with the others'. It counts as
        // zero.
        constexpr double least2 = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
        for (auto atom : dictionary_.D.colwise())
            if (atom.squaredNorm() < least2) atom.setZero();
        gram_.assign(dictionary_.D);
    }

    void code(Mat& Y, bool /*gaps*/, Workspace& work, Codes& block) const {
        std::vector<int> exponents;
        for (auto y : Y.colwise()) exponents.push_back(take_out_scale(y));
        work.load(gram_, dictionary_.D, Y);
        block.sparse.atoms = gram_.atoms();
        for (Eigen::Index i = 0; i < Y.cols(); ++i) {
            const int exponent = exponents[static_cast<std::size_t>(i)];
            if (!work.code(i, dictionary_.lambda(lambda_, exponent), stop_, block.sparse)) ++block.unsettled;
            end_signal(dictionary_.D, Y.col(i), block.sparse);
            rescale_last(block.sparse, dictionary_.code_exponent(exponent), exponent);
        }
    }

private:
    static constexpr double exact = 1e-10;  // of lambda: how far a slope may be from its value at the minimum

    double lambda_;
    Lasso::Stop stop_;
    ScaledDictionary dictionary_;
    PaddedGram gram_;
};

class FistaCoder {
public:
    static constexpr std::size_t blocks_per_thread = 4;  // dense codes take memory
    static constexpr MissingValues missing = MissingValues::rejected;
    struct Workspace {};

    static void check(MatrixView dictionary, const FistaOptions& options) {
        check_lasso(dictionary, options.lambda, options.max_steps, "fista");
        if (!(options.tolerance >= 0.0 && options.tolerance <= 1.0))
            throw InputError(fmt::format("fista: tolerance is {}, must be 0 to 1", options.tolerance));
    }

    FistaCoder(MatrixView dictionary, const FistaOptions& options)
        : options_(options), dictionary_(dictionary), fista_(dictionary_.D) {}

    void code(Mat& Y, bool /*gaps*/, Workspace&, Codes& block) const {
        const int exponent = take_out_scale(Y.reshaped()), code_exponent = dictionary_.code_exponent(exponent);
        block.dense = Matrix(static_cast<std::size_t>(Y.cols()), static_cast<std::size_t>(dictionary_.D.cols()));
        const std::span values(block.dense.data(), block.dense.size());
        if (options_.start.data != nullptr)
            std::copy_n(options_.start.row(block.first).data(), values.size(), values.begin());
        for (double& x : values) x = std::ldexp(x, -code_exponent);
        Eigen::Map<Mat> X(values.data(), dictionary_.D.cols(), Y.cols());
        block.unsettled =
            fista_.code(Y, dictionary_.lambda(options_.lambda, exponent), {options_.max_steps, options_.tolerance}, X);
        for (double& x : values) x = std::ldexp(x, code_exponent);
    }

private:
    FistaOptions options_;
    ScaledDictionary dictionary_;
    Fista fista_;
};

bool ignores_empty(const OmpOptions& options) {
    return options.empty_signals == EmptySignals::ignore;
}
/// The lasso's coders refuse all missing entries.
template <class Options>
bool ignores_empty(const Options&) {
    return false;
}

/// Removes the codes of the round before; the sparse ones keep their memory.
void begin_block(std::size_t first, Codes& block) {
    clear_codes(block.sparse);
    block = Codes{.first = first, .sparse = std::move(block.sparse)};
}

/// Throws NumericError if a code has overflowed in the user's units.
void check_finite(const Codes& block, const SignalSource& signals) {
    const auto check = [&](double value, std::size_t row) {
        if (!std::isfinite(value))
            throw NumericError(
                fmt::format("{}: the codes of row {} (counted from 0) are out of the range of double precision",
                            signals.name(), block.first + row));
    };
    const SparseCodes& sparse = block.sparse;
    for (std::size_t i = 0; i < sparse.count(); ++i)
        for (std::size_t k = sparse.start[i]; k < sparse.start[i + 1]; ++k) check(sparse.value[k], i);
    for (std::size_t k = 0; k < block.dense.size(); ++k) check(block.dense.data()[k], k / block.dense.cols());
}

template <class Coder, class Options>
void encode_here(MatrixView dictionary, const SignalSource& signals, const Options& options, const Context& context,
                 const CodeSink& sink) {
    Coder::check(dictionary, options);
    if (signals.dim() != dictionary.cols)
        throw InputError(
            fmt::format("{}: signals have {} entries, the atoms {}", signals.name(), signals.dim(), dictionary.cols));
    check_shape(signals);  // a pass over all values would add a tenth to the time of OMP: blocks are checked when read
    RankGroup ranks(context.execution.ranks);
    require_same_coding(signals, dictionary, ranks);
    const ComputeScope scope;
    const StopScope stop(context.execution.stop);
    const Coder coder(dictionary, options);
    const int threads = resolve_threads(context.execution.threads);
    std::vector<typename Coder::Workspace> workspaces(static_cast<std::size_t>(threads));
    std::vector<Mat> signals_of_thread(workspaces.size());
    const Blocks blocks(signals.count(), signals_per_block);
    // With several blocks per thread in a round, threads seldom wait for each other. Rounds are the same on all ranks.
    const std::size_t in_round = ranks.of_first(workspaces.size() * Coder::blocks_per_thread);
    std::vector<Codes> done(std::min(blocks.number(), in_round));
    const Blocks rounds(blocks.number(), done.size());
    const auto code_round = [&](std::size_t number) {
        const IndexRange round = rounds[number];
        parallel_for(round.size, threads, [&](std::size_t i, int thread) {
            const IndexRange block = blocks[round.first + i];
            Mat& Y = signals_of_thread[static_cast<std::size_t>(thread)];
            Y.resize(static_cast<Eigen::Index>(signals.dim()), static_cast<Eigen::Index>(block.size));
            const bool gaps = read_checked(signals, block, Y.data(), Coder::missing);
            if (gaps && !ignores_empty(options)) check_any_observed(signals, block, Y.data());
            begin_block(block.first, done[i]);
            coder.code(Y, gaps, workspaces[static_cast<std::size_t>(thread)], done[i]);
            check_finite(done[i], signals);
        });
        return std::span(done).first(round.size);
    };
    encode_in_turns(ranks, rounds.number(), code_round, sink);
}

template <class Coder, class Options>
void encode_with(MatrixView dictionary, const SignalSource& signals, const Options& options, const Context& context,
                 const CodeSink& sink) {
    on_all_ranks(context.execution.ranks, [&] { encode_here<Coder>(dictionary, signals, options, context, sink); });
}

}  // namespace

void encode(MatrixView dictionary, const SignalSource& signals, const OmpOptions& options, const Context& context,
            const CodeSink& sink) {
    encode_with<OmpCoder>(dictionary, signals, options, context, sink);
}

void encode(MatrixView dictionary, const SignalSource& signals, const LassoOptions& options, const Context& context,
            const CodeSink& sink) {
    encode_with<LassoCoder>(dictionary, signals, options, context, sink);
}

void encode(MatrixView dictionary, const SignalSource& signals, const FistaOptions& options, const Context& context,
            const CodeSink& sink) {
    const MatrixView start = options.start;
    if (start.data != nullptr && (start.rows != signals.count() || start.cols != dictionary.rows))
        throw InputError(fmt::format("fista: the codes to start from are {} x {}, must be {} x {}", start.rows,
                                     start.cols, signals.count(), dictionary.rows));
    encode_with<FistaCoder>(dictionary, signals, options, context, sink);
}

Matrix Codes::as_matrix() const {
    if (!dense.empty()) return dense;
    Matrix rows(sparse.count(), sparse.atoms);
    for (std::size_t i = 0; i < sparse.count(); ++i)
        for (std::size_t k = sparse.start[i]; k < sparse.start[i + 1]; ++k) rows(i, sparse.atom[k]) = sparse.value[k];
    return rows;
}

Codes detail::gather_codes(std::size_t signals, const std::function<void(const CodeSink& sink)>& encode_all) {
    Codes all;
    all.sparse.start.reserve(signals + 1);
    all.sparse.residual_norm.reserve(signals);
    const auto place = [&](const Matrix& rows, std::size_t first, Matrix& to) {
        if (rows.empty()) return;
        if (to.empty()) to = Matrix(signals, rows.cols());
        std::copy_n(rows.data(), rows.size(), to.row(first).data());
    };
    encode_all([&](const Codes& block) {
        all.sparse.atoms = block.sparse.atoms;
        append_codes(block.sparse, all.sparse);
        place(block.dense, block.first, all.dense);
        place(block.std, block.first, all.std);
        place(block.probability, block.first, all.probability);
        all.unsettled += block.unsettled;
        all.empty += block.empty;
    });
    return all;
}

}  // namespace sbdl
