// Signals in a NumPy .npy file, mapped into memory and converted as they are read.
#include <fmt/format.h>

#include "base/partition.hpp"
#include "sbdl/error.hpp"
#include "signals/item_conversion.hpp"
#include "signals/mapped_file.hpp"
#include "signals/npy_header.hpp"
#include "signals/readers.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

void check_dimensions(const std::vector<std::size_t>& shape, const std::string& name) {
    if (shape.size() == 1) {
        throw InputError(
            fmt::format("{}: the array has one dimension ({} values); signals are the rows of a two-"
                        "dimensional array. Use a.reshape(1, -1) for one signal, a.reshape(-1, 1) for signals "
                        "of length 1",
                        name, shape[0]));
    }
    if (shape.size() != 2) {
        throw InputError(fmt::format("{}: the array has {} dimensions; signals are the rows of a two-dimensional array",
                                     name, shape.size()));
    }
}

class NpySource final : public SignalSource {
public:
    explicit NpySource(const std::filesystem::path& path)
        : file_(path),
          array_(parse_npy_array(file_.bytes(), path.string())),
          convert_(conversion_for(array_.kind, array_.item_bytes, array_.big_endian)) {
        check_dimensions(array_.shape, path.string());
    }

    [[nodiscard]] std::size_t count() const override { return array_.shape[0]; }
    [[nodiscard]] std::size_t dim() const override { return array_.shape[1]; }
    [[nodiscard]] std::string name() const override { return file_.path().string(); }

    void read(std::size_t first, std::size_t how_many, double* out) const override {
        check_range(*this, first, how_many);
        file_.check_length();
        file_.count_read(how_many * dim() * array_.item_bytes);
        const std::byte* data = file_.bytes().data() + array_.data_offset;
        if (!array_.fortran_order) {
            convert_(data + first * dim() * array_.item_bytes, how_many * dim(), out, 1);
            return;
        }
        // A few signals at a time, so that the lines of `out` written column by column stay in the cache.
        constexpr std::size_t tile = 64;
        for (const IndexRange& rows : Blocks(how_many, tile)) {
            for (std::size_t col = 0; col < dim(); ++col) {
                const std::size_t item = col * count() + first + rows.first;
                convert_(data + item * array_.item_bytes, rows.size, out + rows.first * dim() + col, dim());
            }
        }
    }

private:
    MappedFile file_;
    NpyArray array_;
    Convert convert_;
};

}  // namespace

std::unique_ptr<SignalSource> open_npy(const std::filesystem::path& path) {
    return std::make_unique<NpySource>(path);
}

}  // namespace sbdl
