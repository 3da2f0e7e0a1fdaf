// Thousands of damaged .npy and .csv files: each either opens and can be read completely, or throws sbdl::Error. The
// mutations come from a fixed generator, so that a failure can be repeated. Most useful under the sanitizers.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "support/temp_folder.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl {
namespace {

class Mutator {
public:
    explicit Mutator(std::vector<std::string> fragments) : fragments_(std::move(fragments)) {}

    std::string operator()(std::string bytes) {
        for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
            const std::size_t at = below(bytes.size() + 1);
            switch (below(5)) {
                case 0:
                    bytes.resize(at);
                    break;
                case 1:
                    bytes.insert(at, fragments_[below(fragments_.size())]);
                    break;
                case 2:
                    bytes.erase(at, 1 + below(8));
                    break;
                case 3:
                    if (at < bytes.size()) bytes[at] = static_cast<char>(below(256));
                    break;
                default:
                    if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
            }
        }
        return bytes;
    }

    // Plain remainders: unlike the distributions of the standard library, the same numbers everywhere.
    std::size_t below(std::size_t bound) { return generator_() % bound; }

private:
    std::vector<std::string> fragments_;
    std::mt19937_64 generator_{12345};
};

struct Outcome {
    int opened = 0;
    int rejected = 0;
};

// Any exception other than sbdl::Error fails the test, including std::bad_alloc and std::length_error.
void try_to_read(const std::filesystem::path& path, const std::string& bytes, Outcome& outcome) {
    test::write_bytes(path, bytes);
    try {
        const auto source = open_signals(path);
        ASSERT_LE(source->count() * source->dim(), bytes.size());
        std::vector<double> values(source->count() * source->dim());
        source->read(0, source->count(), values.data());
        ++outcome.opened;
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
        ++outcome.rejected;
    }
}

TEST(Fuzz, NpyHeaders) {
    const test::TempFolder folder;
    Mutator mutate({"9", "18446744073709551615", "(", ")", ",", "'", "{", "}", "-1", "True", "|O", "<c16", "L", "\n",
                    std::string(1, '\0'), "shape", "'descr': '<f4', "});
    const std::vector<std::string> seeds = {
        test::npy("<f8", "False", "(2, 3)", std::string(48, '\1')),
        test::npy(">f4", "True", "(3, 2)", std::string(24, '\2')),
        test::npy("|u1", "False", "(4, 4)", std::string(16, '\3'), 2),
        test::npy("<i8", "True", "(0, 5)", "", 3),
    };
    Outcome outcome;
    for (int i = 0; i < 4000; ++i) {
        std::string bytes = seeds[mutate.below(seeds.size())];
        try_to_read(folder / "a.npy", mutate(bytes), outcome);
    }
    EXPECT_GT(outcome.opened, 100);  // otherwise the mutations are too crude and only test the first check
    EXPECT_GT(outcome.rejected, 1000);
}

TEST(Fuzz, CsvText) {
    const test::TempFolder folder;
    Mutator mutate({",",
                    ";",
                    "\t",
                    " ",
                    "\"",
                    "#",
                    "\r",
                    "\n",
                    "\r\n",
                    "1e999",
                    "-",
                    "+",
                    "nan",
                    "inf",
                    "0x1p3",
                    "\xef\xbb\xbf",
                    std::string(1, '\0'),
                    "a",
                    ".",
                    "e"});
    const std::vector<std::string> seeds = {
        "1,2,3\n4,5,6\n", "a;b\n1.5;2e3\n-1;.5\n", "x\ty\r\n1\t2\r\n", "# note\n1 2 3\n\n4 5 6", "\"a,b\",c\n1,\"2\"\n",
    };
    Outcome outcome;
    for (int i = 0; i < 4000; ++i) {
        std::string bytes = seeds[mutate.below(seeds.size())];
        try_to_read(folder / "a.csv", mutate(bytes), outcome);
    }
    EXPECT_GT(outcome.opened, 500);
    EXPECT_GT(outcome.rejected, 500);
}

}  // namespace
}  // namespace sbdl
