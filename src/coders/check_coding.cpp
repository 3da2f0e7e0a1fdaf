#include "coders/check_coding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "coders/atom_passes.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

void check_dictionary(MatrixView dictionary, std::string_view coder) {
    if (dictionary.rows == 0 || dictionary.cols == 0)
        throw InputError(fmt::format("{}: the dictionary is empty ({} x {})", coder, dictionary.rows, dictionary.cols));
    constexpr std::size_t most = std::numeric_limits<int>::max() - atom_padding;
    if (dictionary.rows > most || dictionary.cols > most)
        throw InputError(fmt::format("{}: a dictionary of {} atoms of length {} is too large; the most is {}", coder,
                                     dictionary.rows, dictionary.cols, most));
    for (std::size_t n = 0; n < dictionary.rows; ++n)
        for (std::size_t m = 0; m < dictionary.cols; ++m)
            if (!std::isfinite(dictionary(n, m)))
                throw InputError(fmt::format("{}: atom {}, entry {} (counted from 0) is {}; atoms must be finite",
                                             coder, n, m, dictionary(n, m)));
}

void check_lasso(MatrixView dictionary, double lambda, int max_steps, std::string_view coder) {
    check_dictionary(dictionary, coder);
    if (!(std::isfinite(lambda) && lambda > 0.0))
        throw InputError(fmt::format("{}: lambda is {}, must be a number above 0", coder, lambda));
    if (max_steps < 1) throw InputError(fmt::format("{}: max_steps is {}, must be at least 1", coder, max_steps));
}

void check_lengths(MatrixView dictionary, const SignalSource& signals) {
    if (signals.dim() != dictionary.cols)
        throw InputError(
            fmt::format("{}: signals have {} entries, the atoms {}", signals.name(), signals.dim(), dictionary.cols));
}

void check_code(double value, const SignalSource& signals, std::size_t row) {
    if (!std::isfinite(value))
        throw NumericError(fmt::format(
            "{}: the codes of row {} (counted from 0) are out of the range of double precision", signals.name(), row));
}

}  // namespace sbdl
