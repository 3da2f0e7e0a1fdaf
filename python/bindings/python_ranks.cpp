#include "python_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "sbdl/error.hpp"

namespace sbdl::python {
namespace {

/// The places in a binomial tree with its root at 0: 1 is a child of 0; 2 and 3 are children of 0 and 1; and so on.
/// The last place has no children.
int parent_of(int place) {
    return place - static_cast<int>(std::bit_floor(static_cast<unsigned>(place)));
}

void each_child(int place, int count, const std::function<void(int child)>& visit) {
    for (int step = 1; place + step < count; step *= 2)
        if (step > place) visit(place + step);
}

}  // namespace

PythonRanks::PythonRanks(nb::object transport, PythonStop& stop)
    : transport_(std::move(transport)),
      stop_(stop),
      count_(nb::cast<int>(transport_.attr("count"))),
      mine_(nb::cast<int>(transport_.attr("mine"))) {
    stop_.set_also_look([this] { attempt([this] { transport_.attr("look")(); }); });
}

template <class Call>
void PythonRanks::attempt(const Call& call) {
    for (;;) {
        try {
            return call();
        } catch (...) {
            stop_.keep_exception();
        }
        if (stop_.failed()) break;  // otherwise a first Ctrl-C: the run ends after the sweep
    }
    closed_ = true;
    try {
        transport_.attr("close")();
    } catch (...) {  // the first exception says more
        stop_.keep_exception();
    }
}

template <class Call>
void PythonRanks::guarded(const Call& call) {
    if (!closed_) {
        const nb::gil_scoped_acquire gil;
        attempt(call);
    }
    if (closed_) throw Stopped();
}

int PythonRanks::least(int value) {
    int other = value;
    const auto bytes = std::as_writable_bytes(std::span(&other, 1));
    each_child(mine_, count_, [&](int child) {
        receive(child, bytes);
        value = std::min(value, other);
    });
    if (mine_ > 0) send(parent_of(mine_), std::as_bytes(std::span(&value, 1)));
    broadcast(0, std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

// Place 0 is `from`, and rank 0, which may be far away, comes last unless it is the one.
void PythonRanks::broadcast(int from, std::span<std::byte> bytes) {
    if (bytes.empty()) return;
    const auto place_of = [&](int rank) {
        return rank == from ? 0 : rank == 0 ? count_ - 1 : rank < from || from == 0 ? rank : rank - 1;
    };
    const auto rank_at = [&](int place) {
        int rank = 0;
        while (place_of(rank) != place) ++rank;
        return rank;
    };
    const int mine = place_of(mine_);
    if (mine > 0) receive(rank_at(parent_of(mine)), bytes);
    each_child(mine, count_, [&](int child) { send(rank_at(child), bytes); });
}

void PythonRanks::send(int to, std::span<const std::byte> bytes) {
    guarded([&] { transport_.attr("send")(to, nb::bytes(bytes.data(), bytes.size())); });
}

void PythonRanks::receive(int from, std::span<std::byte> bytes) {
    guarded([&] {
        const nb::object message = transport_.attr("receive")(from);
        Py_buffer got;
        if (PyObject_GetBuffer(message.ptr(), &got, PyBUF_SIMPLE) != 0) throw nb::python_error();
        const bool fits = static_cast<std::size_t>(got.len) == bytes.size();
        if (fits) std::memcpy(bytes.data(), got.buf, bytes.size());
        PyBuffer_Release(&got);
        if (!fits) throw std::runtime_error("a message of another rank has an unexpected length");
    });
}

}  // namespace sbdl::python
