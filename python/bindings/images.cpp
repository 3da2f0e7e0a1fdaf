#include "images.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "images/samples.hpp"
#include "sbdl/error.hpp"
#include "sbdl/incomplete_image.hpp"

namespace sbdl::python {
namespace {

Samples samples_of(const ImageArray& array, const std::string& name) {
    if (array.dtype() == nb::dtype<std::uint8_t>()) return Samples::u8;
    if (array.dtype() == nb::dtype<std::uint16_t>()) return Samples::u16;
    if (array.dtype() == nb::dtype<float>()) return Samples::f32;
    if (array.dtype() == nb::dtype<double>()) return Samples::f64;
    throw InputError(name + ": must be an array of uint8, uint16, float32 or float64");
}

Image unpacked(const ImageArray& array, bool missing, const char* name) {
    const bool grey = array.ndim() == 2;
    if (!grey && (array.ndim() != 3 || array.shape(2) < 1 || array.shape(2) > 4))
        throw InputError(std::string(name) +
                         ": must be an array of height x width, or height x width x 1 to 4 channels: "
                         "grey or colour, without or with alpha");
    const Samples samples = samples_of(array, name);
    SampleLayout layout = interleaved(static_cast<const std::byte*>(array.data()), array.shape(1), array.shape(0),
                                      grey ? 1 : array.shape(2), samples);
    layout.missing = missing;
    Image image = unpack_samples(layout, name);
    check_planes(image, name);
    return image;
}

template <class Sample>
nb::object array_of(const Image& image) {
    auto bytes = std::make_unique<std::vector<std::byte>>(pack_samples(image, std::endian::native, "image"));
    auto* data = reinterpret_cast<Sample*>(bytes->data());  // operator new aligns for any scalar
    const nb::capsule owner(bytes.release(), [](void* p) noexcept { delete static_cast<std::vector<std::byte>*>(p); });
    std::vector<std::size_t> shape{image.height(), image.width()};
    if (const std::size_t channels = channel_count(image); channels > 1) shape.push_back(channels);
    return nb::cast(nb::ndarray<nb::numpy, Sample>(data, shape.size(), shape.data(), owner));
}

}  // namespace

Image to_image(const ImageArray& array, const char* name) {
    return unpacked(array, /*missing=*/false, name);
}

Image to_incomplete_image(const ImageArray& array, const char* name) {
    return without_transparent(unpacked(array, /*missing=*/true, name));
}

void check_stack(const ImageArray& stack, const char* name) {
    const bool grey = stack.ndim() == 3;
    if (!grey && (stack.ndim() != 4 || stack.shape(3) < 3 || stack.shape(3) > 4))
        throw InputError(std::string(name) +
                         ": must be an array of pages x height x width, or pages x height x width x 3 "
                         "channels, and one more for alpha");
    samples_of(stack, name);
}

Image page_of(const ImageArray& stack, std::size_t page, const char* name) {
    const std::size_t height = stack.shape(1), width = stack.shape(2),
                      channels = stack.ndim() == 3 ? 1 : stack.shape(3);
    const Samples samples = samples_of(stack, name);
    const auto* first = static_cast<const std::byte*>(stack.data());
    const std::size_t bytes = height * width * channels * sample_bytes(samples);
    const std::string page_name = std::string(name) + "[" + std::to_string(page) + "]";
    Image image = unpack_samples(interleaved(first + page * bytes, width, height, channels, samples), page_name);
    check_planes(image, page_name);
    return image;
}

nb::object to_array(const Image& image) {
    switch (image.samples) {
        case Samples::u8:
            return array_of<std::uint8_t>(image);
        case Samples::u16:
            return array_of<std::uint16_t>(image);
        case Samples::f32:
            return array_of<float>(image);
        case Samples::f64:
            return array_of<double>(image);
    }
    throw InputError("the type of an image's samples is unknown");
}

}  // namespace sbdl::python
