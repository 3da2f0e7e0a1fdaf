// Codes of any number of signals by Batch-OMP, whatever the units of the signals.
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "coders/encode_blocks.hpp"
#include "coders/omp_block.hpp"
#include "coders/scale.hpp"
#include "coders/sparse_codes.hpp"
#include "sbdl/error.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {
namespace {

class OmpCoder {
public:
    static constexpr std::size_t block_signals = 128, blocks_per_thread = 32;

    struct Workspace {
        std::optional<OmpBlock> block;
        std::vector<double> signals;
        std::vector<int> exponent;
        std::vector<double> max_error2;
    };

    static void check(MatrixView dictionary, const OmpOptions& options) {
        if (options.max_nonzeros == 0 && options.max_error == 0.0)
            throw InputError(
                "omp: set max_nonzeros or max_error; without either the pursuit does not know when to stop");
        check_dictionary(dictionary, "omp");
    }

    OmpCoder(MatrixView dictionary, const OmpOptions& options) : omp_(dictionary, options) {}

    SparseCodes code(const SignalSource& source, const IndexRange& block, Workspace& work) const {
        if (!work.block) work.block.emplace(omp_, block_signals);
        work.signals.resize(block_signals * omp_.dim());
        read_checked(source, block, work.signals.data());
        work.exponent.resize(block.size);
        work.max_error2.resize(block.size);
        for (std::size_t i = 0; i < block.size; ++i) {
            work.exponent[i] = take_out_scale(std::span(work.signals).subspan(i * omp_.dim(), omp_.dim()));
            const double max_error = std::ldexp(omp_.max_error(), -work.exponent[i]);
            work.max_error2[i] = max_error * max_error;
        }
        work.block->load(work.signals.data(), work.max_error2);

        SparseCodes codes;
        codes.atoms = omp_.atoms();
        for (std::size_t i = 0; i < block.size; ++i) {
            const BatchOmp::Code code = work.block->code(i);
            codes.atom.insert(codes.atom.end(), code.atoms.begin(), code.atoms.end());
            codes.value.insert(codes.value.end(), code.values.begin(), code.values.end());
            codes.start.push_back(codes.atom.size());
            codes.residual_norm.push_back(std::sqrt(code.residual2));
            rescale_last(codes, {.code = work.exponent[i], .signal = work.exponent[i]}, source, block.first + i);
        }
        return codes;
    }

private:
    BatchOmp omp_;
};

}  // namespace

void encode_omp(MatrixView dictionary, const SignalSource& signals, const OmpOptions& options, const Context& context,
                const SparseCodeSink& sink) {
    encode_blocks<OmpCoder>(dictionary, signals, options, context, sink);
}

SparseCodes encode_omp(MatrixView dictionary, MatrixView signals, const OmpOptions& options, const Context& context) {
    CodeCollector all(dictionary.rows, signals.rows);
    encode_omp(dictionary, MemorySource{signals}, options, context, std::ref(all));
    return std::move(all.codes);
}

}  // namespace sbdl
