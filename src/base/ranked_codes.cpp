#include "base/ranked_codes.hpp"

#include <cstring>
#include <optional>
#include <type_traits>

namespace sbdl {
namespace {

/// Writes numbers one after another, or reads them: one list of what codes consist of does both.
class Packing {
public:
    explicit Packing(std::vector<std::byte>& out) : out_(&out) {}
    explicit Packing(std::span<const std::byte> in) : in_(in) {}

    template <class Number>
    requires std::is_arithmetic_v<Number>
    void operator()(Number& value) { bytes(&value, sizeof value); }
    template <class Number>
    void operator()(std::vector<Number>& values) {
        std::size_t size = values.size();
        (*this)(size);
        values.resize(size);
        bytes(values.data(), size * sizeof(Number));
    }
    void operator()(Matrix& matrix) {
        std::size_t rows = matrix.rows(), cols = matrix.cols();
        (*this)(rows);
        (*this)(cols);
        if (out_ == nullptr) matrix = Matrix(rows, cols);
        bytes(matrix.data(), matrix.size() * sizeof(double));
    }

    void codes(Codes& codes) {
        (*this)(codes.first);
        (*this)(codes.sparse.atoms);
        (*this)(codes.sparse.start);
        (*this)(codes.sparse.atom);
        (*this)(codes.sparse.value);
        (*this)(codes.sparse.residual_norm);
        (*this)(codes.dense);
        (*this)(codes.std);
        (*this)(codes.probability);
        (*this)(codes.unsettled);
        (*this)(codes.empty);
    }

private:
    void bytes(void* data, std::size_t size) {
        if (size == 0) return;
        if (out_ != nullptr) {
            const auto* from = static_cast<const std::byte*>(data);
            out_->insert(out_->end(), from, from + size);
            return;
        }
        std::memcpy(data, in_.data(), size);
        in_ = in_.subspan(size);
    }

    std::vector<std::byte>* out_ = nullptr;  // null: reading
    std::span<const std::byte> in_;
};

}  // namespace

std::vector<std::byte> packed_codes(const Codes& codes) {
    std::vector<std::byte> bytes;
    Codes copy = codes;
    Packing(bytes).codes(copy);
    return bytes;
}

Codes unpacked_codes(std::span<const std::byte> bytes) {
    Codes codes;
    Packing(bytes).codes(codes);
    return codes;
}

void encode_in_turns(RankGroup ranks, std::size_t rounds, const std::function<std::span<Codes>(std::size_t)>& work,
                     const CodeSink& sink) {
    const std::optional<std::size_t> place = ranks.my_place();
    for (std::size_t first = 0; first < rounds; first += ranks.sharers()) {
        const std::span<Codes> codes = place && first + *place < rounds ? work(first + *place) : std::span<Codes>();
        ranks.write_in_turn(
            [&] {
                for (const Codes& block : codes) {
                    if (ranks.first())
                        sink(block);
                    else
                        ranks.put(packed_codes(block));
                }
            },
            [&](std::span<const std::byte> bytes) { sink(unpacked_codes(bytes)); });
    }
}

}  // namespace sbdl
