// Some of the rows of a large array, as a source of all of its signals: what a rank reads of them must be there.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::python {

class SignalParts final : public SignalSource {
public:
    SignalParts(std::size_t count, std::size_t dim) : count_(count), dim_(dim) {}

    /// Rows first, first + 1, ...; the array is not copied.
    void add(std::size_t first, Rows rows) {
        if (rows.shape(1) != dim_ || first + rows.shape(0) > count_)
            throw InputError(fmt::format("rows {} ... {} of {} entries do not belong to {} x {} signals", first,
                                         first + rows.shape(0), rows.shape(1), count_, dim_));
        parts_.emplace_back(first, std::move(rows));
    }

    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::size_t dim() const override { return dim_; }
    [[nodiscard]] std::string name() const override { return "signals in memory"; }

    void read(std::size_t first, std::size_t how_many, double* out) const override {
        while (how_many > 0) {
            const auto part = std::ranges::find_if(
                parts_, [first](const auto& some) { return first >= some.first && first < end_of(some); });
            if (part == parts_.end()) throw std::logic_error(fmt::format("signal {} is not on this rank", first));
            const std::size_t some = std::min(how_many, end_of(*part) - first);
            std::copy_n(part->second.data() + (first - part->first) * dim_, some * dim_, out);
            first += some;
            how_many -= some;
            out += some * dim_;
        }
    }

private:
    using Part = std::pair<std::size_t, Rows>;
    static std::size_t end_of(const Part& part) { return part.first + part.second.shape(0); }

    std::size_t count_, dim_;
    std::vector<Part> parts_;
};

}  // namespace sbdl::python
