// Chooses the reader of a file: by its extension, and for .mat by its first bytes.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked_size.hpp"
#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "signals/readers.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

// Pipes have no name that says what comes through them: the extension that a file without one should have.
std::string extension_of_content(const std::filesystem::path& path) {
    using Signature = std::pair<std::string_view, std::string_view>;
    constexpr std::array signatures{Signature{"\x93NUMPY", ".npy"}, Signature{"\x89HDF\r\n\x1a\n", ".h5"},
                                    Signature{"MATLAB ", ".mat"}};
    std::array<char, 512> buffer{};
    std::ifstream file(path, std::ios::binary);
    file.read(buffer.data(), buffer.size());
    const std::string_view start(buffer.data(), static_cast<std::size_t>(file.gcount()));
    for (const auto& [bytes, extension] : signatures)
        if (start.starts_with(bytes)) return std::string(extension);
    if (start.find('\0') == std::string_view::npos) return ".csv";
    throw FileError(
        fmt::format("{}: neither text nor a .npy, .h5 or .mat file: it begins with {}", path.string(), quoted(start)));
}

}  // namespace

std::unique_ptr<SignalSource> open_signals(const std::filesystem::path& path, const std::string& dataset) {
    std::string extension = lower_case_extension(path);
    if (extension.empty()) {
        check_readable(path);
        extension = extension_of_content(path);
    }
    const bool is_npy = extension == ".npy";
    const bool is_text = extension == ".csv" || extension == ".txt";
    const bool is_h5 = extension == ".h5" || extension == ".hdf5";
    const bool is_mat = extension == ".mat";
    if (!is_npy && !is_text && !is_h5 && !is_mat) {
        throw InputError(
            fmt::format("{}: unknown file extension '{}'; signals are read from .npy, .csv, .txt, .h5, .hdf5 and "
                        ".mat files",
                        path.string(), extension));
    }
    if (!dataset.empty() && (is_npy || is_text)) {
        throw InputError(fmt::format("{}: a {} file holds only one array, so there is no dataset '{}'", path.string(),
                                     extension, dataset));
    }
    check_readable(path);
    if (is_npy) return open_npy(path);
    if (is_text) return read_csv(path);
    if (is_h5) return open_hdf5(path, dataset);
    return open_mat(path, dataset);
}

Matrix load_matrix(const std::filesystem::path& path, const std::string& dataset) {
    const std::unique_ptr<SignalSource> source = open_signals(path, dataset);
    const auto too_large = [&] {
        return FileError(
            fmt::format("{}: {} x {} numbers do not fit in memory", path.string(), source->count(), source->dim()));
    };
    if (!checked_product({source->count(), source->dim(), sizeof(double)})) throw too_large();
    Matrix matrix;
    try {
        matrix = Matrix(source->count(), source->dim());
    } catch (const std::bad_alloc&) {
        throw too_large();
    } catch (const std::length_error&) {
        throw too_large();
    }
    source->read(0, matrix.rows(), matrix.data());
    return matrix;
}

}  // namespace sbdl
