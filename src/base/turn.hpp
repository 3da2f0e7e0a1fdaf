// Work that several threads do at once and whose results must be used in order: a queue with numbered places, of which
// there may be many.
#pragma once

#include <atomic>
#include <cstddef>

namespace sbdl {

/// How many places of a queue have been served.
using Served = std::atomic<std::size_t>;

/// Waits until at least `places` have been served.
inline void wait_for(const Served& served, std::size_t places) {
    for (std::size_t now = served.load(); now < places; now = served.load()) served.wait(now);
}

/// A turn in a queue: places are served in order, and the next one is let in when this ends. Threads must also take
/// the places in order, or one might wait for a place that nobody takes.
class Turn {
public:
    Turn(Served& served, std::size_t place) : served_(served), place_(place) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        wait();  // after an exception too: nobody may be let in before this place, or wait for it for ever
        served_.store(place_ + 1);
        served_.notify_all();
    }
    void wait() const { wait_for(served_, place_); }

private:
    Served& served_;
    std::size_t place_;
};

}  // namespace sbdl
