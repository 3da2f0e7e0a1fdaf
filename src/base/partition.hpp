// A range of items cut into pieces of consecutive items. The cut depends only on how many items there are, never on
// the threads, so that sums taken piece by piece are the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sbdl {

/// A piece: items first ... first + size - 1.
struct IndexRange {
    std::size_t number = 0;  ///< of the piece
    std::size_t first = 0;
    std::size_t size = 0;

    [[nodiscard]] constexpr std::size_t end() const { return first + size; }
};

/// Pieces 0 ... number() - 1 in order; `for (const IndexRange& piece : Blocks(count, 128))` visits them. Made as Blocks
/// or Parts.
class Partition {
public:
    [[nodiscard]] constexpr std::size_t count() const { return count_; }
    [[nodiscard]] constexpr std::size_t number() const { return number_; }
    /// The first item of a piece; first(number()) is count().
    [[nodiscard]] constexpr std::size_t first(std::size_t piece) const {
        return std::min(count_, (piece + skipped_) * step_ / divisor_ - before_);
    }
    [[nodiscard]] constexpr std::size_t size(std::size_t piece) const { return first(piece + 1) - first(piece); }
    [[nodiscard]] constexpr IndexRange operator[](std::size_t piece) const {
        return {piece, first(piece), size(piece)};
    }

    /// The pieces first ... first + how_many - 1 alone. Their items are counted from 0.
    [[nodiscard]] constexpr Partition part(std::size_t first_piece, std::size_t how_many) const {
        Partition some = *this;
        some.before_ = before_ + first(first_piece);
        some.count_ = first(first_piece + how_many) - first(first_piece);
        some.number_ = how_many;
        some.skipped_ = skipped_ + first_piece;
        return some;
    }

    struct Iterator {
        const Partition* partition;
        std::size_t piece;
        constexpr IndexRange operator*() const { return (*partition)[piece]; }
        constexpr Iterator& operator++() {
            ++piece;
            return *this;
        }
        constexpr bool operator==(const Iterator&) const = default;
    };
    [[nodiscard]] constexpr Iterator begin() const { return {this, 0}; }
    [[nodiscard]] constexpr Iterator end() const { return {this, number_}; }

protected:
    /// Piece i begins at i * step / divisor.
    constexpr Partition(std::size_t count, std::size_t number, std::size_t step, std::size_t divisor)
        : count_(count), number_(number), step_(step), divisor_(divisor) {}

private:
    std::size_t count_, number_, step_, divisor_;
    std::size_t skipped_ = 0, before_ = 0;  // of a part: the pieces and items that precede it
};

/// Blocks of `size` items, at least 1; the last block may be smaller.
class Blocks : public Partition {
public:
    constexpr Blocks(std::size_t count, std::size_t size) : Partition(count, (count + size - 1) / size, size, 1) {}
};

/// So many parts, at least 1, whose sizes differ by at most 1. Parts are empty if there are more of them than items.
class Parts : public Partition {
public:
    constexpr Parts(std::size_t count, std::size_t parts) : Partition(count, parts, count, parts) {}
};

}  // namespace sbdl
