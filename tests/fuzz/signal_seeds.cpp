// Small valid arrays and checkpoints of every kind, and scripts for the inputs that are made of them.
#include <cstdint>
#include <random>

#include "fuzz/checkpoint_state.hpp"
#include "fuzz/seeds.hpp"
#include "fuzz/some_model.hpp"
#include "run/checkpoint_file.hpp"
#include "sbdl/error.hpp"
#include "signals/wave_file.hpp"
#include "unit/signals/mat5_bytes.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl::fuzz {
namespace {

void write_npy_seeds(Seeds seeds) {
    for (const char* const dtype : {"<f8", ">f4", "|u1", "<i2", ">i8", "|b1", "<u4"})
        for (const int version : {1, 2})
            for (const char* const fortran : {"False", "True"})
                seeds.add(test::npy(dtype, fortran, "(2, 3)", std::string(48, '\1'), version));
    seeds.add(test::npy("<f8", "False", "(0, 5)", "", 3));
}

void write_csv_seeds(Seeds seeds) {
    for (const char* const text :
         {"1,2,3\n4,5,6\n", "a;b\n1.5;2e3\n-1;.5\n", "x\ty\r\n1\t2\r\n", "# note\n1 2 3\n\n4 5 6",
          "\"a,b\",c\n1,\"2\"\n", "\xef\xbb\xbf+1,nan\n-inf,1e-999\n"})
        seeds.add(text);
}

void write_wav_seeds(Seeds seeds) {
    for (const SeriesSamples samples :
         {SeriesSamples::u8, SeriesSamples::s16, SeriesSamples::s24, SeriesSamples::s32, SeriesSamples::f32})
        for (const std::size_t channels : {1, 3}) {
            Series series;
            series.rate = 8000;
            series.samples = samples;
            series.channels.assign(channels, {0.5, -0.25, 0.75});
            const std::vector<std::byte> file = encode_wave(series, "seed");
            std::string bytes(reinterpret_cast<const char*>(file.data()), file.size());
            seeds.add(bytes);
            seeds.add(bytes.insert(12, std::string("LIST\3\0\0\0abc\0", 12)));  // a part to skip
        }
}

void write_mat_seeds(Seeds seeds) {
    for (const char first : {'M', 'c'}) {  // 'c': the variables are compressed
        for (const test::Mat5Numbers& numbers : test::mat5_number_types()) {
            std::string file = test::mat5_header() + test::mat5_variable("Y", numbers, {2, 3});
            file += test::mat5_variable("cells", {.array_class = 1, .type = 0, .bytes = 0}, {1, 1});
            file[0] = first;
            seeds.add(file);
        }
    }
    seeds.add(test::mat5_header(/*big_endian=*/true) +
              test::mat5_variable("long name", {.array_class = 6, .type = 9, .bytes = 8}, {3, 2}, /*big_endian=*/true));
}

void write_scripts(Seeds seeds, std::uint32_t seed) {
    std::mt19937 generator(seed);
    for (std::size_t length = 0; length < 64; ++length) {
        std::string script;
        while (script.size() < 2 * length) script += static_cast<char>(generator() & 0xff);
        seeds.add(script);
    }
}

void write_checkpoint_seeds(Seeds seeds) {
    const test::TempFolder folder;
    for (const Model& model : some_models()) {
        CheckpointState state;
        state.model = model;
        state.codes.assign(2, SparseCodes{3, {0, 1, 3}, {2, 0, 1}, {0.5, -1.0, 2.0}, {0.1, 0.2}});
        state.grown = Mat::Ones(3, 1);
        state.trace = {1.0, 0.5};
        const Checkpoint checkpoint{.path = folder / "run.ckpt", .note = "note"};
        write_checkpoint(checkpoint, checkpoint_fingerprint, [&](StateArchive& archive) { state.archive(archive); });
        std::string bytes = test::read_bytes(checkpoint.path);
        bytes.resize(bytes.size() - sizeof(std::uint64_t));  // its checksum
        seeds.add(bytes);
    }
}

}  // namespace

void write_signal_seeds(const std::filesystem::path& folder) {
    const auto any = [](void (*read)(Bytes)) {
        return [read](Bytes bytes) {
            try {
                read(bytes);
            } catch (const Error&) {  // a script may make a file that is rejected
            }
        };
    };
    write_npy_seeds({folder / "npy", read_npy});
    write_csv_seeds({folder / "csv", read_csv});
    write_wav_seeds({folder / "wav", read_wav});
    write_mat_seeds({folder / "mat", read_mat});
    write_scripts({folder / "hdf5", any(read_hdf5)}, 1);
    write_scripts({folder / "model", any(read_model)}, 2);
    write_checkpoint_seeds({folder / "checkpoint", read_checkpoint});
}

}  // namespace sbdl::fuzz
