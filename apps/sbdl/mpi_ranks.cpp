#include "mpi_ranks.hpp"

#include <mpi.h>

#include <algorithm>

namespace sbdl::app {
namespace {

constexpr int tag = 0;
constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of a message: MPI counts in int

/// Calls transfer(bytes, count) for pieces that MPI can count. An error ends the program: that is MPI's default.
template <class Byte, class Transfer>
void in_pieces(std::span<Byte> bytes, const Transfer& transfer) {
    for (std::size_t first = 0; first < bytes.size(); first += most_bytes) {
        const std::span<Byte> piece = bytes.subspan(first, std::min(most_bytes, bytes.size() - first));
        transfer(piece.data(), static_cast<int>(piece.size()));
    }
}

}  // namespace

MpiRanks::MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, mine_, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &on_this_machine_);
    MPI_Comm_free(&machine);
}

MpiRanks::~MpiRanks() {
    MPI_Finalize();
}

int MpiRanks::least(int value) {
    int result = value;
    MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return result;
}

void MpiRanks::broadcast(int from, std::span<std::byte> bytes) {
    in_pieces(bytes, [from](std::byte* data, int count) { MPI_Bcast(data, count, MPI_BYTE, from, MPI_COMM_WORLD); });
}

void MpiRanks::send(int to, std::span<const std::byte> bytes) {
    in_pieces(bytes,
              [to](const std::byte* data, int count) { MPI_Send(data, count, MPI_BYTE, to, tag, MPI_COMM_WORLD); });
}

void MpiRanks::receive(int from, std::span<std::byte> bytes) {
    in_pieces(bytes, [from](std::byte* data, int count) {
        MPI_Recv(data, count, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
}

}  // namespace sbdl::app
