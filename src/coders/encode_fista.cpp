// Codes of any number of signals by FISTA, whatever the units of signals and atoms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "coders/encode_blocks.hpp"
#include "coders/fista.hpp"
#include "coders/scale.hpp"
#include "sbdl/error.hpp"
#include "sbdl/fista.hpp"

namespace sbdl {
namespace {

struct FistaJob {
    FistaOptions options;
    MatrixView start;  ///< codes to start from, one row per signal; no data: 0
};

class FistaCoder {
public:
    static constexpr std::size_t block_signals = fista_block, blocks_per_thread = 4;  // dense codes take memory
    struct Workspace {};

    static void check(MatrixView dictionary, const FistaJob& job) {
        check_lasso(dictionary, job.options.lambda, job.options.max_steps, "fista");
        if (!(job.options.tolerance >= 0.0 && job.options.tolerance <= 1.0))
            throw InputError(fmt::format("fista: tolerance is {}, must be 0 to 1", job.options.tolerance));
    }

    FistaCoder(MatrixView dictionary, const FistaJob& job)
        : job_(job), dictionary_(dictionary), fista_(dictionary_.D) {}

    CodedBlock<Mat> code(const SignalSource& source, const IndexRange& block, Workspace&) const {
        Mat Y(dictionary_.D.rows(), static_cast<Eigen::Index>(block.size));
        read_checked(source, block, Y.data());
        const int exponent = take_out_scale({Y.data(), static_cast<std::size_t>(Y.size())});
        Mat X = Mat::Zero(dictionary_.D.cols(), Y.cols());
        if (job_.start.data != nullptr)
            X = as_columns({job_.start.row(block.first).data(), block.size, job_.start.cols});

        const int code_exponent = dictionary_.code_exponent(exponent);
        const auto rescale = [&X](int power) {
            for (double& x : X.reshaped()) x = std::ldexp(x, power);
        };
        rescale(-code_exponent);
        const double lambda = dictionary_.lambda(job_.options.lambda, exponent);
        const std::size_t unsettled = fista_.code(Y, lambda, {job_.options.max_steps, job_.options.tolerance}, X);
        rescale(code_exponent);
        for (Eigen::Index i = 0; i < X.cols(); ++i)
            for (const double x : X.col(i)) check_code(x, source, block.first + static_cast<std::size_t>(i));
        return {std::move(X), unsettled};
    }

private:
    FistaJob job_;
    ScaledDictionary dictionary_;
    Fista fista_;
};

void encode(MatrixView dictionary, const SignalSource& signals, const FistaJob& job, const Context& context,
            const DenseCodeSink& sink) {
    encode_blocks<FistaCoder>(dictionary, signals, job, context, [&](std::size_t first, const CodedBlock<Mat>& block) {
        sink(first, {block.codes.data(), static_cast<std::size_t>(block.codes.cols()), dictionary.rows},
             block.unsettled);
    });
}

}  // namespace

void encode_fista(MatrixView dictionary, const SignalSource& signals, const FistaOptions& options,
                  const Context& context, const DenseCodeSink& sink) {
    encode(dictionary, signals, {options, {}}, context, sink);
}

Matrix encode_fista(MatrixView dictionary, MatrixView signals, const FistaOptions& options, const Context& context,
                    MatrixView start) {
    if (start.data != nullptr && (start.rows != signals.rows || start.cols != dictionary.rows))
        throw InputError(fmt::format("fista: the codes to start from are {} x {}, must be {} x {}", start.rows,
                                     start.cols, signals.rows, dictionary.rows));
    const FistaJob job{options, start};
    FistaCoder::check(dictionary, job);  // before the codes take their memory
    Matrix all(signals.rows, dictionary.rows);
    encode(dictionary, MemorySource{signals}, job, context, [&](std::size_t first, MatrixView codes, std::size_t) {
        std::copy_n(codes.data, codes.rows * codes.cols, all.row(first).data());
    });
    return all;
}

}  // namespace sbdl
