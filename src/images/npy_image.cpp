// NumPy arrays as images: height x width, height x width x 3 (RGB) or height x width x 4 (RGB with alpha); and as
// stacks, with the number of pages in front. Three numbers of which the last is 3 or 4 are an image.
#include <fmt/format.h>

#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "images/image_format.hpp"
#include "images/samples.hpp"
#include "sbdl/error.hpp"
#include "signals/item_conversion.hpp"
#include "signals/npy_header.hpp"

namespace sbdl {

namespace {

/// The samples that such items are; none: an image has no such samples.
std::optional<Samples> stored_samples(const NpyArray& array, bool mask) {
    const std::size_t bytes = array.item_bytes;
    if (mask && array.kind == ItemKind::boolean) return Samples::u8;  // NumPy stores them as 0 and 1
    if (array.kind == ItemKind::unsigned_integer && bytes <= 2) return bytes == 1 ? Samples::u8 : Samples::u16;
    if (array.kind == ItemKind::floating) return bytes == 4 ? Samples::f32 : Samples::f64;
    return std::nullopt;
}

Samples samples_of(const NpyArray& array, bool mask, const std::string& name) {
    if (const std::optional<Samples> samples = stored_samples(array, mask)) return *samples;
    if (mask) return Samples::f64;  // as which they are read
    throw FileError(fmt::format("{}: the array holds {} of {} bytes; an image is uint8, uint16, float32 or float64",
                                name,
                                array.kind == ItemKind::boolean          ? "booleans"
                                : array.kind == ItemKind::signed_integer ? "signed integers"
                                                                         : "unsigned integers",
                                array.item_bytes));
}

struct NpyPages {
    bool stacked = false;
    std::size_t pages = 1, height = 0, width = 0, channels = 1;
};

NpyPages pages_of(const NpyArray& array, const std::string& name) {
    const std::vector<std::size_t>& shape = array.shape;
    const bool colour = shape.size() >= 3 && (shape.back() == 3 || shape.back() == 4);
    NpyPages found;
    found.channels = colour ? shape.back() : 1;
    if (shape.size() == (colour ? 4U : 3U)) {
        found = {true, shape[0], shape[1], shape[2], found.channels};
    } else if (shape.size() == (colour ? 3U : 2U)) {
        found = {false, 1, shape[0], shape[1], found.channels};
    } else {
        throw FileError(
            fmt::format("{}: the array has {} dimensions; an image is height x width, height x width x 3 (RGB) or "
                        "height x width x 4 (RGB with alpha), and a stack has the number of its pages in front",
                        name, shape.size()));
    }
    if (found.pages == 0) throw FileError(fmt::format("{}: the stack has no pages", name));
    return found;
}

Image page_of(std::span<const std::byte> file, const NpyArray& array, const NpyPages& stack, std::size_t page,
              const ImageLimits& limits, const std::string& name) {
    SampleLayout layout =
        interleaved(file.data() + array.data_offset, stack.width, stack.height, stack.channels,
                    samples_of(array, limits.mask, name), array.big_endian ? std::endian::big : std::endian::little);
    if (array.fortran_order) {
        const std::size_t row = stack.pages * array.item_bytes, column = stack.height * row,
                          channel = stack.width * column;
        layout.data += page * array.item_bytes;
        layout.row_step = row;
        layout.col_step = column;
        layout.channel_at = {0, channel, 2 * channel, 3 * channel};
    } else {
        layout.data += page * stack.height * layout.row_step;
    }
    layout.missing = limits.missing;
    return unpack_samples(layout, name);
}

/// Makes it an array of doubles, and returns them. A mask may hold integers that are no samples of an image.
std::vector<double> as_doubles(std::span<const std::byte> file, NpyArray& array) {
    std::size_t count = 1;
    for (const std::size_t length : array.shape) count *= length;  // the file has as many
    std::vector<double> numbers(count);
    conversion_for(array.kind, array.item_bytes, array.big_endian)(file.data() + array.data_offset, count,
                                                                   numbers.data(), 1);
    array.kind = ItemKind::floating;
    array.item_bytes = sizeof(double);
    array.big_endian = std::endian::native == std::endian::big;
    array.data_offset = 0;
    return numbers;
}

class NpyStack final : public PageSource {
public:
    NpyStack(std::span<const std::byte> file, std::string name, const ImageLimits& limits)
        : file_(file),
          name_(std::move(name)),
          array_(parse_npy_array(file, name_)),
          stack_(pages_of(array_, name_)),
          limits_(limits) {
        samples_of(array_, limits.mask, name_);
        check_image_size(stack_.width, stack_.height, stack_.channels < 3 ? 1 : 3, limits, name_);
    }
    [[nodiscard]] std::size_t count() const override { return stack_.pages; }
    [[nodiscard]] bool stacked() const override { return stack_.stacked; }
    Image read(std::size_t page) override {
        const std::string name = stack_.stacked ? page_name(name_, page, count()) : name_;
        if (stored_samples(array_, limits_.mask)) return page_of(file_, array_, stack_, page, limits_, name);
        NpyArray array = array_;
        const std::vector<double> numbers = as_doubles(file_, array);
        return page_of(std::as_bytes(std::span(numbers)), array, stack_, page, limits_, name);
    }

private:
    std::span<const std::byte> file_;
    std::string name_;
    NpyArray array_;
    NpyPages stack_;
    ImageLimits limits_;
};

std::string header_of(const Image& image, std::vector<std::size_t> shape) {
    shape.insert(shape.end(), {image.height(), image.width()});
    if (const std::size_t channels = channel_count(image); channels > 1) shape.push_back(channels);
    const std::size_t bytes = sample_bytes(image.samples);
    const char kind = is_float(image.samples) ? 'f' : 'u';
    return make_npy_header(fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes), shape);
}

class NpyStackWriter final : public StackWriter {
public:
    NpyStackWriter(const std::filesystem::path& path, const Image& first, std::size_t pages)
        : file_(path), pages_(pages), header_(header_of(first, {pages})) {
        file_.write(std::as_bytes(std::span(header_)));
    }
    void add(const Image& page) override {
        const std::string name = page_name(file_.target().string(), added_, pages_);
        check_planes(page, name);
        if (header_of(page, {pages_}) != header_)
            throw InputError(
                fmt::format("{}: the pages of a .npy file have one size and type, this one is {} x {} x {} of {} and "
                            "the first is not; .tif can hold them",
                            name, page.height(), page.width(), channel_count(page), to_string(page.samples)));
        file_.write(pack_samples(page, std::endian::little, name));
        ++added_;
    }
    void commit() override {
        check_all_added(added_, pages_, file_.target().string());
        file_.commit();
    }

private:
    AtomicFile file_;
    std::size_t pages_, added_ = 0;
    std::string header_;
};

}  // namespace

std::unique_ptr<PageSource> npy_pages(std::span<const std::byte> file, const std::string& name,
                                      const ImageLimits& limits) {
    return std::make_unique<NpyStack>(file, name, limits);
}

std::unique_ptr<StackWriter> write_npy_pages(const std::filesystem::path& path, const Image& first, std::size_t pages,
                                             std::size_t /*bytes*/) {
    return std::make_unique<NpyStackWriter>(path, first, pages);
}

Image decode_npy(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    NpyStack stack(file, name, limits);
    if (stack.stacked())
        throw FileError(fmt::format("{}: the array is a stack of {} pages, and a single image is needed here", name,
                                    stack.count()));
    return stack.read(0);
}

std::vector<std::byte> encode_npy(const Image& image, const std::string& name) {
    return pack_samples(image, std::endian::little, name, header_of(image, {}));
}

}  // namespace sbdl
