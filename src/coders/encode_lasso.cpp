// Codes of any number of signals by the active set of lasso.hpp, whatever the units of signals and atoms.
#include <fmt/format.h>

#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/checked_size.hpp"
#include "coders/atom_passes.hpp"
#include "coders/encode_blocks.hpp"
#include "coders/lasso_block.hpp"
#include "coders/scale.hpp"
#include "coders/sparse_codes.hpp"
#include "sbdl/error.hpp"
#include "sbdl/lasso.hpp"

namespace sbdl {
namespace {

constexpr double lasso_exact = 1e-10;  // of lambda: how far a slope may be from its value at the minimum

class LassoCoder {
public:
    static constexpr std::size_t block_signals = 128, blocks_per_thread = 32;
    using Workspace = LassoBlock;

    static void check(MatrixView dictionary, const LassoOptions& options) {
        check_lasso(dictionary, options.lambda, options.max_steps, "lasso");
        if (!checked_product({dictionary.rows, padded_atoms(dictionary.rows), sizeof(double)}))
            throw InputError(
                fmt::format("lasso: the Gram matrix of {} atoms does not fit into memory", dictionary.rows));
    }

    LassoCoder(MatrixView dictionary, const LassoOptions& options)
        : lambda_(options.lambda),
          stop_{lasso_exact, static_cast<std::size_t>(options.max_steps)},
          dictionary_(dictionary) {
        // The solver cannot handle an atom whose squared norm is negligible compared with the others'. It counts as
        // zero.
        constexpr double least2 = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
        for (auto atom : dictionary_.D.colwise())
            if (atom.squaredNorm() < least2) atom.setZero();
        gram_.assign(dictionary_.D);
    }

    CodedBlock<SparseCodes> code(const SignalSource& source, const IndexRange& block, LassoBlock& work) const {
        const Mat& D = dictionary_.D;
        Mat Y(D.rows(), static_cast<Eigen::Index>(block.size));
        read_checked(source, block, Y.data());
        std::vector<int> exponent;
        for (auto y : Y.colwise()) exponent.push_back(take_out_scale({y.data(), static_cast<std::size_t>(y.size())}));
        work.load(gram_, D, Y);

        CodedBlock<SparseCodes> done;
        SparseCodes& codes = done.codes;
        codes.atoms = gram_.atoms();
        for (std::size_t i = 0; i < block.size; ++i) {
            const auto column = static_cast<Eigen::Index>(i);
            if (!work.code(column, dictionary_.lambda(lambda_, exponent[i]), stop_, codes)) ++done.unsettled;
            end_signal(D, Y.col(column), codes);
            rescale_last(codes, {.code = dictionary_.code_exponent(exponent[i]), .signal = exponent[i]}, source,
                         block.first + i);
        }
        return done;
    }

private:
    double lambda_;
    Lasso::Stop stop_;
    ScaledDictionary dictionary_;
    PaddedGram gram_;
};

}  // namespace

void encode_lasso(MatrixView dictionary, const SignalSource& signals, const LassoOptions& options,
                  const Context& context, const LassoCodeSink& sink) {
    encode_blocks<LassoCoder>(
        dictionary, signals, options, context,
        [&](std::size_t first, const CodedBlock<SparseCodes>& block) { sink(first, block.codes, block.unsettled); });
}

SparseCodes encode_lasso(MatrixView dictionary, MatrixView signals, const LassoOptions& options,
                         const Context& context) {
    CodeCollector all(dictionary.rows, signals.rows);
    encode_lasso(dictionary, MemorySource{signals}, options, context, std::ref(all));
    return std::move(all.codes);
}

}  // namespace sbdl
