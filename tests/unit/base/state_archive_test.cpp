// The state of a run in a file: everything comes back as it was, and damage is noticed.
#include "base/state_archive.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/aligned.hpp"
#include "base/atomic_file.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

enum class Fruit { apple, pear };

struct Inner {
    int number = 0;
    std::vector<double> values;
    void archive(StateArchive& archive) {
        archive("number", number);
        archive("values", values);
    }
};

/// One of each kind.
struct Everything {
    double number = 0.0;
    bool flag = false;
    Fruit fruit = Fruit::apple;
    std::uint64_t large = 0;
    std::string text;
    std::vector<int> counts;
    AlignedDoubles aligned;
    Vec vector;
    Mat matrix, empty;
    Matrix rows;
    SparseCodes codes;
    Inner inner;

    void archive(StateArchive& archive) {
        archive("number", number);
        archive("flag", flag);
        archive("fruit", fruit);
        archive("large", large);
        archive("text", text);
        archive("counts", counts);
        archive("aligned", aligned);
        archive("vector", vector);
        archive("matrix", matrix);
        archive("empty", empty);
        archive("rows", rows);
        archive("codes", codes);
        archive("inner", inner);
    }
};

Everything filled() {
    Everything all;
    all.number = std::nan("7");
    all.flag = true;
    all.fruit = Fruit::pear;
    all.large = std::numeric_limits<std::uint64_t>::max() - 1;
    all.text = std::string("Grüße\0!", 9);
    all.counts = {3, -4, 5};
    all.aligned.assign(3, -0.0);
    all.vector = Vec::LinSpaced(4, -1.0, 1.0);
    all.matrix = Mat::Random(2, 3);
    all.rows = Matrix(3, 2, 0.1);
    all.rows(2, 1) = std::numeric_limits<double>::infinity();
    all.codes.atoms = 7;
    all.codes.start = {0, 2, 2};
    all.codes.atom = {6, 1};
    all.codes.value = {0.5, -2.0};
    all.codes.residual_norm = {0.25, 4.0};
    all.inner = {.number = 42, .values = {1.0, 2.0}};
    return all;
}

template <class State>
void write_state(const std::filesystem::path& path, State state) {
    AtomicFile file(path);
    StateArchive archive(file);
    EXPECT_FALSE(archive.loading());
    archive("state", state);
    archive.finish();
    file.commit();
}

template <class State = Everything>
State read_state(const std::filesystem::path& path, bool verify = false) {
    StateArchive archive(path);
    EXPECT_TRUE(archive.loading());
    if (verify) archive.verify();
    State state;
    archive("state", state);
    archive.finish();
    return state;
}

std::string bytes_of(const Everything& state) {
    const test::TempFolder folder;
    write_state(folder / "state", state);
    return test::read_bytes(folder / "state");
}

TEST(StateArchive, GivesBackWhatItWasGiven) {
    const test::TempFolder folder;
    const Everything all = filled();
    write_state(folder / "state", all);
    for (const bool verify : {false, true}) {
        const Everything back = read_state(folder / "state", verify);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(back.number), std::bit_cast<std::uint64_t>(all.number));
        EXPECT_EQ(back.flag, all.flag);
        EXPECT_EQ(back.fruit, all.fruit);
        EXPECT_EQ(back.large, all.large);
        EXPECT_EQ(back.text, all.text);
        EXPECT_EQ(back.counts, all.counts);
        ASSERT_EQ(back.aligned.size(), 3U);
        EXPECT_TRUE(std::signbit(back.aligned[1]));
        EXPECT_EQ(back.vector, all.vector);
        EXPECT_EQ(back.matrix, all.matrix);
        EXPECT_EQ(back.empty.size(), 0);
        ASSERT_EQ(back.rows.rows(), 3U);
        EXPECT_EQ(back.rows(2, 1), all.rows(2, 1));
        EXPECT_EQ(back.rows(0, 1), 0.1);
        EXPECT_EQ(back.codes.atoms, all.codes.atoms);
        EXPECT_EQ(back.codes.start, all.codes.start);
        EXPECT_EQ(back.codes.atom, all.codes.atom);
        EXPECT_EQ(back.codes.value, all.codes.value);
        EXPECT_EQ(back.codes.residual_norm, all.codes.residual_norm);
        EXPECT_EQ(back.inner.number, 42);
        EXPECT_EQ(back.inner.values, all.inner.values);
        EXPECT_EQ(bytes_of(back), bytes_of(all)) << "whatever was not compared above";
    }
}

TEST(StateArchive, ReplacesWhatIsThere) {
    const test::TempFolder folder;
    write_state(folder / "state", Inner{.number = 1, .values = {}});
    StateArchive archive(folder / "state");
    Inner inner{.number = 5, .values = {1.0, 2.0, 3.0}};
    archive("state", inner);
    archive.finish();
    EXPECT_EQ(inner.number, 1);
    EXPECT_TRUE(inner.values.empty());
}

// If the file is verified first, damage is found before anything is read; otherwise, at the end at the latest.
TEST(StateArchive, NoticesEveryDamagedByte) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "state";
    const std::string good = bytes_of(filled());
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const int mask : {0x01, 0x80, 0xff}) {
            std::string damaged = good;
            damaged[at] = static_cast<char>(damaged[at] ^ mask);
            test::write_bytes(path, damaged);
            for (const bool verify : {false, true})
                ASSERT_THROW(read_state(path, verify), FileError) << "byte " << at << " of " << good.size();
        }
}

TEST(StateArchive, NoticesAMissingEndAndMoreThanTheEnd) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "state";
    const std::string good = bytes_of(filled());
    for (std::size_t length = 0; length < good.size(); ++length) {
        test::write_bytes(path, good.substr(0, length));
        for (const bool verify : {false, true})
            ASSERT_THROW(read_state(path, verify), FileError) << length << " of " << good.size() << " bytes";
    }
    test::write_bytes(path, good + 'x');
    for (const bool verify : {false, true}) EXPECT_THROW(read_state(path, verify), FileError);
}

/// What is read back as something that it must not be.
template <class Written, class Read>
void expect_damaged(const Written& written, Read& read) {
    struct Holder {
        const Written* from;
        Read* to;
        void archive(StateArchive& archive) {
            if (archive.loading()) {
                archive("part", *to);
            } else {
                Written copy = *from;
                archive("part", copy);
            }
        }
    };
    const test::TempFolder folder;
    write_state(folder / "state", Holder{&written, &read});
    StateArchive archive(folder / "state");
    Holder holder{nullptr, &read};
    test::expect_error<FileError>([&] { archive("state", holder); }, {"state: is damaged", "part"});
}

TEST(StateArchive, ABoolIsZeroOrOne) {
    bool flag = false;
    expect_damaged(std::uint8_t{2}, flag);
}

TEST(StateArchive, ANumberIsOne) {
    double number = 0.0;
    expect_damaged(std::vector{1.0, 2.0}, number);
}

TEST(StateArchive, AMatrixKeepsTheShapeThatItHas) {
    Mat matrix = Mat::Ones(2, 3);
    expect_damaged(Mat(Mat::Ones(3, 2)), matrix);
    expect_damaged(Mat(), matrix);
}

TEST(StateArchive, CodesAreComplete) {
    const SparseCodes good{3, {0, 1, 3}, {2, 0, 1}, {0.5, -1.0, 2.0}, {0.1, 0.2}};
    for (auto spoil :
         {+[](SparseCodes& codes) { codes.atom[1] = 3; }, +[](SparseCodes& codes) { codes.start[0] = 1; },
          +[](SparseCodes& codes) { codes.start[1] = 4; }, +[](SparseCodes& codes) { codes.start[2] = 2; },
          +[](SparseCodes& codes) { codes.value.pop_back(); }, +[](SparseCodes& codes) { codes.start = {}; }}) {
        SparseCodes bad = good, read;
        spoil(bad);
        expect_damaged(bad, read);
    }
}

struct Parts {
    std::uint64_t number = 0;
    void archive(StateArchive& archive) { number = archive.count("part", number); }
};

TEST(StateArchive, ThereAreNoMorePartsThanTheFileHolds) {
    const test::TempFolder folder;
    write_state(folder / "state", Parts{std::uint64_t{1} << 60});
    test::expect_error<FileError>([&] { read_state<Parts>(folder / "state"); }, {"is damaged", "part"});
}

struct Renamed {
    int number = 0;
    std::vector<double> values;
    void archive(StateArchive& archive) {
        archive("count", number);
        archive("values", values);
    }
};

struct Wider {
    std::int64_t number = 0;
    std::vector<double> values;
    void archive(StateArchive& archive) {
        archive("number", number);
        archive("values", values);
    }
};

struct Shorter {
    int number = 0;
    void archive(StateArchive& archive) { archive("number", number); }
};

// The state of another version of the program: the message names the value that differs.
TEST(StateArchive, RejectsAnotherListOfValues) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "state";
    write_state(path, Inner{.number = 1, .values = {2.0}});
    test::expect_error<FileError>([&] { read_state<Renamed>(path); }, {path.string(), "damaged", "count"});
    test::expect_error<FileError>([&] { read_state<Wider>(path); }, {"another version of sbdl", "number"});
    EXPECT_THROW(read_state<Shorter>(path), FileError);
}

TEST(StateArchive, AFileMustBeThere) {
    const test::TempFolder folder;
    test::expect_error<FileError>([&] { StateArchive archive(folder / "none"); }, {"none", "cannot be read"});
    EXPECT_THROW(StateArchive archive(folder.path()), FileError);
}

TEST(HashBytes, OfPiecesIsThatOfTheWhole) {
    std::string bytes;
    for (int i = 0; i < 100; ++i) bytes += static_cast<char>(i * 37);
    const std::uint64_t whole = hash_bytes(bytes.data(), bytes.size());
    for (std::size_t first = 0; first <= 20; ++first)
        for (std::size_t second = 0; second <= 20; ++second) {
            RunningHash hash;
            hash.add(bytes.data(), first);
            hash.add(bytes.data() + first, second);
            hash.add(bytes.data() + first + second, bytes.size() - first - second);
            ASSERT_EQ(hash.value(), whole) << first << ", " << second;
        }
    EXPECT_NE(whole, hash_bytes(bytes.data(), bytes.size() - 1));
    EXPECT_EQ(hash_bytes("a", 1), 0xaf63dc4c8601ec8cU) << "as published for FNV-1a";
}

}  // namespace
}  // namespace sbdl
