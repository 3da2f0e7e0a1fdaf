// Signals in files whose bytes the fuzzer makes: .npy, .csv, .mat of version 5, .wav; and checkpoints.
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/state_archive.hpp"
#include "fuzz/checkpoint_state.hpp"
#include "fuzz/inputs.hpp"
#include "run/checkpoint_file.hpp"
#include "sbdl/error.hpp"
#include "sbdl/train.hpp"
#include "signals/readers.hpp"
#include "signals/wave_file.hpp"

namespace sbdl::fuzz {
namespace {

const MemoryFile& scratch() {
    static const MemoryFile file;
    return file;
}

/// All of them, whose number the bytes of a file bound, and the last one again.
void read_all(const SignalSource& source) {
    const std::size_t count = source.count(), dim = source.dim();
    if (count == 0 || dim == 0) return;
    must(count <= (std::size_t{1} << 22) / dim, "more signals than the file can hold");
    std::vector<double> values(count * dim), last(dim);
    source.read(0, count, values.data());
    source.read(count - 1, 1, last.data());
    for (std::size_t i = 0; i < dim; ++i)
        must(last[i] == values[(count - 1) * dim + i] || std::isnan(last[i]), "the last signal changes");
}

std::uint32_t little_endian_at(Bytes bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
    return number;
}

void append_number(std::vector<std::byte>& bytes, std::uint32_t number) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
}

/// Every variable of a little-endian file, behind zlib.
std::vector<std::byte> with_compressed_variables(Bytes file) {
    constexpr std::size_t header = 128, tag = 8;
    constexpr std::uint32_t compressed = 15;
    std::vector<std::byte> packed(file.begin(), file.begin() + header);
    for (std::size_t at = header; file.size() - at > tag;) {
        const std::size_t length = little_endian_at(file, at + 4);
        if (length > file.size() - at - tag) break;
        std::vector<Bytef> bytes(compressBound(tag + length));
        uLongf size = bytes.size();
        compress2(bytes.data(), &size, reinterpret_cast<const Bytef*>(file.data() + at), tag + length, 1);
        append_number(packed, compressed);
        append_number(packed, static_cast<std::uint32_t>(size));
        const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
        packed.insert(packed.end(), begin, begin + size);
        at += tag + length;
    }
    return packed;
}

}  // namespace

void read_npy(Bytes bytes) {
    scratch().write(bytes);
    read_all(*open_npy(scratch().path()));
}

void read_csv(Bytes bytes) {
    scratch().write(bytes);
    read_all(*sbdl::read_csv(scratch().path()));
    for (const char* const column : {"a", "1"}) {  // which the file may not have
        try {
            sbdl::read_csv_column(scratch().path(), column);
        } catch (const Error&) {
        }
    }
}

void read_wav(Bytes bytes) {
    const Series series = decode_wave(bytes, "sound");
    const Series again = decode_wave(encode_wave(series, "copy"), "copy");
    must(again.rate == series.rate && again.samples == series.samples, "the format changes");
    must(again.channels.size() == series.channels.size(), "the channels change");
    for (std::size_t c = 0; c < series.channels.size(); ++c)
        for (std::size_t i = 0; i < series.channels[c].size(); ++i)
            must(again.channels[c].at(i) == series.channels[c][i] || std::isnan(series.channels[c][i]),
                 "a sample changes");
}

void read_mat(Bytes bytes) {
    constexpr std::size_t header = 128;
    if (bytes.size() > header && bytes[0] == std::byte{'c'})
        scratch().write(with_compressed_variables(bytes));
    else
        scratch().write(bytes);
    read_all(*read_mat5(scratch().path(), ""));
}

void read_checkpoint(Bytes bytes) {
    const std::uint64_t sum = hash_bytes(bytes.data(), bytes.size());
    std::vector<std::byte> file(bytes.begin(), bytes.end());
    const Bytes sum_bytes = std::as_bytes(std::span(&sum, 1));
    file.insert(file.end(), sum_bytes.begin(), sum_bytes.end());
    scratch().write(file);
    read_checkpoint_note(scratch().path());
    CheckpointState state;
    const auto load = [&state](StateArchive& archive) { state.archive(archive); };
    sbdl::read_checkpoint({.path = scratch().path(), .resume = true}, checkpoint_fingerprint, "fuzz", load);
    for (const SparseCodes& codes : state.codes)
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                must(codes.atom.at(k) < codes.atoms && k < codes.value.size(), "a code of an atom that is not there");
}

}  // namespace sbdl::fuzz
