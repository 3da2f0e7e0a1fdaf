#include "model/model_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "base/checked_size.hpp"
#include "base/linalg.hpp"
#include "model/model_parts.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

class Checker {
public:
    explicit Checker(const std::string& file) : file_(file) {}

    template <class... Parts>
    [[noreturn]] void reject(fmt::format_string<Parts...> format, Parts&&... parts) const {
        throw FileError(file_ + ": " + fmt::format(format, std::forward<Parts>(parts)...));
    }

    void size(std::string_view name, std::size_t found, std::size_t wanted, std::string_view of_what) const {
        if (found != wanted) reject("{} has {} entries, must have {}, one for each {}", name, found, wanted, of_what);
    }

    void shape(std::string_view name, const Matrix& matrix, std::size_t rows, std::size_t cols) const {
        if (matrix.rows() != rows || matrix.cols() != cols)
            reject("{} is {} x {}, must be {} x {}", name, matrix.rows(), matrix.cols(), rows, cols);
    }

    void number(std::string_view name, double value, Range range) const {
        if (range == Range::positive && !(std::isfinite(value) && value > 0.0))
            reject("{} is {}, must be finite and above 0", name, value);
        if (range == Range::not_negative && !(std::isfinite(value) && value >= 0.0))
            reject("{} is {}, must be finite and at least 0", name, value);
        if (range == Range::known_not_negative && !std::isnan(value) && !(std::isfinite(value) && value >= 0.0))
            reject("{} is {}, must be at least 0, or NaN when it is not known", name, value);
        if (range == Range::diagnostic && value < 0.0)
            reject("{} is {}, must be at least 0 or infinite, or NaN when it is not known", name, value);
    }

    void at_least(int least, std::string_view name, const std::vector<int>& values) const {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] < least) reject("{}[{}] is {}, must be at least {}", name, i, values[i], least);
    }

    void not_negative(std::string_view name, std::span<const double> values) const {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!(std::isfinite(values[i]) && values[i] >= 0.0))
                reject("{}[{}] is {}, must be finite and at least 0", name, i, values[i]);
    }

    // A matrix that may be unknown.
    void finite(std::string_view name, const Matrix& matrix, std::size_t rows, std::size_t cols) const {
        if (matrix.empty()) return;
        shape(name, matrix, rows, cols);
        finite(name, matrix);
    }

    void finite(std::string_view name, const Matrix& matrix) const {
        for (std::size_t i = 0; i < matrix.size(); ++i)
            if (!std::isfinite(matrix.data()[i]))
                reject("{}[{}, {}] is {}, must be finite", name, i / matrix.cols(), i % matrix.cols(),
                       matrix.data()[i]);
    }

private:
    const std::string& file_;
};

/// Each atom has unit norm, or is zero and then used by no signal.
void check_atoms(const Model& model, const Checker& check) {
    constexpr double tolerance = 1e-6;
    for (std::size_t n = 0; n < model.atom_count(); ++n) {
        const auto atom = model.dictionary.row(n);
        const double norm = Eigen::Map<const Vec>(atom.data(), static_cast<Eigen::Index>(atom.size())).stableNorm();
        if (norm != 0.0 && !(std::abs(norm - 1.0) <= tolerance))
            check.reject("dictionary row {} has norm {}, must have 1 (or 0: an atom that is switched off)", n, norm);
        if (norm == 0.0 && model.atom_usage[n] != 0.0)
            check.reject("atom_usage[{}] is {}, must be 0: the atom is zero", n, model.atom_usage[n]);
    }
}

/// Options may be unknown. They are shown by code that walks into what is nested.
void check_options(std::string_view name, const std::string& text, const Checker& check) {
    constexpr int most_levels = 8;
    if (text.empty()) return;
    bool deep = false;
    const auto watch = [&deep](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
        deep = deep || depth > most_levels;
        return !deep;
    };
    const bool object = nlohmann::json::parse(text, watch, /*allow_exceptions=*/false).is_object();
    if (deep) check.reject("{} is nested more than {} deep", name, most_levels);
    if (!object) check.reject("{} is not a JSON object", name);
}

void check_trace(const Trace& trace, const Checker& check) {
    const std::size_t sweeps = trace.sweep.size();
    for_each_field(trace, [&](const auto& field, const auto& values) {
        check.size(fmt::format("trace/{}", field.name), values.size(), sweeps, "sweep");
    });
    check.at_least(0, "trace/chain", trace.chain);
    check.at_least(1, "trace/sweep", trace.sweep);
    for (std::size_t i = 0; i < sweeps; ++i)
        if (trace.kept[i] != 0 && trace.kept[i] != 1)
            check.reject("trace/kept[{}] is {}, must be 0 or 1", i, trace.kept[i]);
    for (std::size_t i = 1; i < sweeps; ++i) {
        if (trace.chain[i] < trace.chain[i - 1])
            check.reject("trace/chain[{}] is {} after {}, must not fall", i, trace.chain[i], trace.chain[i - 1]);
        if (trace.chain[i] == trace.chain[i - 1] && trace.sweep[i] <= trace.sweep[i - 1])
            check.reject("trace/sweep[{}] is {} after {}, must rise within a chain", i, trace.sweep[i],
                         trace.sweep[i - 1]);
    }
    check.not_negative("trace/noise_sd", trace.noise_sd);
}

void check_patch(const Model& model, const Checker& check) {
    if (!has_patch(model)) return;
    const PatchShape& patch = model.patch;
    const auto entries = checked_product({patch.height, patch.width, patch.planes});
    if (!entries || *entries != model.signal_dim())
        check.reject("patch is {} x {} pixels in {} planes, must have as many values as an atom has entries, {}",
                     patch.height, patch.width, patch.planes, model.signal_dim());
}

void check_code_sizes(const Model& model, const Checker& check) {
    const std::vector<int>& sizes = model.code_sizes;
    if (sizes.size() > model.atom_count() + 1)
        check.reject("code_sizes has {} entries, must have at most {}, for codes of 0 to {} atoms", sizes.size(),
                     model.atom_count() + 1, model.atom_count());
    check.at_least(0, "code_sizes", sizes);
}

void check_probability(const Model& model, const Checker& check) {
    if (!model.on_off) return;
    const std::vector<double>& probability = model.on_off->atom_probability;
    check.size(probability_name, probability.size(), model.atom_count(), "atom");
    for (std::size_t n = 0; n < probability.size(); ++n)
        if (!(probability[n] >= 0.0 && probability[n] <= 1.0))
            check.reject("{}[{}] is {}, must be 0 to 1", probability_name, n, probability[n]);
}

void check_code_probability(const Model& model, const Checker& check) {
    const Matrix& probability = model.codes_probability;
    if (probability.empty()) return;
    check.finite("codes_probability", probability, model.signal_count, model.atom_count());
    for (std::size_t i = 0; i < probability.size(); ++i)
        if (!(probability.data()[i] >= 0.0 && probability.data()[i] <= 1.0))
            check.reject("codes_probability[{}, {}] is {}, must be 0 to 1", i / probability.cols(),
                         i % probability.cols(), probability.data()[i]);
}

void check_stream(const Model& model, const Checker& check) {
    const StreamState& stream = model.stream;
    if (stream.signals_seen == 0 &&
        !(stream.code_products.empty() && stream.signal_products.empty() && stream.users.empty()))
        check.reject("stream/signals_seen is 0, must be at least 1 where the stream has left anything");
    check.finite("stream/code_products", stream.code_products, model.atom_count(), model.atom_count());
    check.finite("stream/signal_products", stream.signal_products, model.atom_count(), model.signal_dim());
    if (!stream.users.empty()) check.size("stream/users", stream.users.size(), model.atom_count(), "atom");
    check.at_least(0, "stream/users", stream.users);
    if (!model.svb) return;
    if (stream.code_products.empty() || stream.signal_products.empty())
        check.reject("stream/code_products and stream/signal_products must be there where svb is");
    check.size("svb/users", model.svb->users.size(), model.atom_count(), "atom");
    check.size("svb/concentration", model.svb->concentration.size(), model.atom_count(), "atom");
    check.not_negative("svb/users", model.svb->users);
    check.not_negative("svb/concentration", model.svb->concentration);
}

// Posterior moments come in pairs; a standard deviation without its mean has no meaning, the other way round it has.
void check_std(std::string_view name, const Matrix& std, const Matrix& mean, const Checker& check) {
    if (std.empty()) return;
    check.shape(name, std, mean.rows(), mean.cols());
    check.not_negative(name, {std.data(), std.size()});
}

}  // namespace

void check_model(const Model& model, const std::string& file) {
    const Checker check(file);
    const std::size_t atoms = model.atom_count();
    if (model.dictionary.empty()) check.reject("dictionary is {} x {}, must not be empty", atoms, model.signal_dim());
    check.finite("dictionary", model.dictionary);
    check_std("dictionary_std", model.dictionary_std, model.dictionary, check);
    check.size("atom_usage", model.atom_usage.size(), atoms, "atom");
    check.size("atom_norm", model.atom_norm.size(), atoms, "atom");
    check.not_negative("atom_usage", model.atom_usage);
    check.not_negative("atom_norm", model.atom_norm);
    check_atoms(model, check);
    check.finite("codes", model.codes, model.signal_count, atoms);
    check_std("codes_std", model.codes_std, model.codes, check);
    check_code_probability(model, check);
    check_options("options", model.options_json, check);
    check_options("denoise_options", model.denoise_json, check);
    const auto number = [&](const char* name, double value, Range range) { check.number(name, value, range); };
    for_each_number(model, number);
    for_each_part_number(model.diagnostics, number);
    for_each_method_part(model, [&](const char*, const auto& part) {
        if (part) for_each_part_number(*part, number);
    });
    check_probability(model, check);
    check_stream(model, check);
    check_patch(model, check);
    check_code_sizes(model, check);
    check_trace(model.trace, check);
}

}  // namespace sbdl
