#include "signals/npy_source.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "base/partition.hpp"
#include "signals/mapped_file.hpp"
#include "signals/npy_header.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

// Converts `how_many` consecutive items of the file to every `stride`-th double of `to`. The file's data need not be
// aligned.
using Convert = void (*)(const std::byte* from, std::size_t how_many, double* to, std::size_t stride);

template <class Item, bool swapped>
void convert(const std::byte* from, std::size_t how_many, double* to, std::size_t stride) {
    for (std::size_t i = 0; i < how_many; ++i) {
        std::array<std::byte, sizeof(Item)> raw;
        std::memcpy(raw.data(), from + i * sizeof(Item), sizeof(Item));
        if constexpr (swapped) std::ranges::reverse(raw);
        to[i * stride] = static_cast<double>(std::bit_cast<Item>(raw));
    }
}

void convert_bool(const std::byte* from, std::size_t how_many, double* to, std::size_t stride) {
    for (std::size_t i = 0; i < how_many; ++i) to[i * stride] = from[i] == std::byte{0} ? 0.0 : 1.0;
}

template <class Item1, class Item2, class Item4, class Item8>
Convert integer_conversion(std::size_t bytes, bool swapped) {
    switch (bytes) {
        case 1:
            return convert<Item1, false>;
        case 2:
            return swapped ? convert<Item2, true> : convert<Item2, false>;
        case 4:
            return swapped ? convert<Item4, true> : convert<Item4, false>;
        default:
            return swapped ? convert<Item8, true> : convert<Item8, false>;
    }
}

Convert conversion_for(const NpyHeader& header) {
    const bool swapped = header.big_endian != (std::endian::native == std::endian::big);
    switch (header.kind) {
        case NpyKind::floating:
            if (header.item_bytes == 4) return swapped ? convert<float, true> : convert<float, false>;
            return swapped ? convert<double, true> : convert<double, false>;
        case NpyKind::signed_integer:
            return integer_conversion<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(header.item_bytes,
                                                                                             swapped);
        case NpyKind::unsigned_integer:
            return integer_conversion<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(header.item_bytes,
                                                                                                 swapped);
        case NpyKind::boolean:
            return convert_bool;
    }
    throw std::logic_error("conversion_for: unknown kind of item");
}

class NpySource final : public SignalSource {
public:
    explicit NpySource(const std::filesystem::path& path)
        : file_(path), header_(parse_npy_header(file_.bytes(), path.string())), convert_(conversion_for(header_)) {}

    [[nodiscard]] std::size_t count() const override { return header_.rows; }
    [[nodiscard]] std::size_t dim() const override { return header_.cols; }
    [[nodiscard]] std::string name() const override { return file_.path().string(); }

    void read(std::size_t first, std::size_t how_many, double* out) const override {
        check_range(*this, first, how_many);
        file_.check_length();
        const std::byte* data = file_.bytes().data() + header_.data_offset;
        if (!header_.fortran_order) {
            convert_(data + first * dim() * header_.item_bytes, how_many * dim(), out, 1);
            return;
        }
        // A few signals at a time, so that the lines of `out` written column by column stay in the cache.
        constexpr std::size_t tile = 64;
        for (const IndexRange& rows : Blocks(how_many, tile)) {
            for (std::size_t col = 0; col < dim(); ++col) {
                const std::size_t item = col * count() + first + rows.first;
                convert_(data + item * header_.item_bytes, rows.size, out + rows.first * dim() + col, dim());
            }
        }
    }

private:
    MappedFile file_;
    NpyHeader header_;
    Convert convert_;
};

}  // namespace

std::unique_ptr<SignalSource> open_npy(const std::filesystem::path& path) {
    return std::make_unique<NpySource>(path);
}

}  // namespace sbdl
