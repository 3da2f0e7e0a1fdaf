// The observers of a run. One that throws must not cost the run its result: what it threw is kept, and it is not called
// again. A request to stop (Stopped) passes.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/observer.hpp"

namespace sbdl {

class Audience {
public:
    /// `errors` receives what observers throw, and must outlive this object.
    Audience(std::span<Observer* const> observers, std::vector<std::string>& errors) : errors_(errors) {
        for (Observer* observer : observers) seats_.push_back({observer});
    }
    Audience(const Audience&) = delete;
    Audience& operator=(const Audience&) = delete;
    ~Audience() {
        try {
            finish();
        } catch (const Stopped&) {  // NOLINT(bugprone-empty-catch): the run has ended already
        }
    }

    /// Calls call(observer) for those that have not failed.
    template <class Call>
    void tell(const Call& call) {
        for (Seat& seat : seats_)
            if (!seat.failed) attempt(seat, call);
    }

    /// Tells them of the end, once; also those that failed, which may have something to tidy up.
    void finish() {
        for (Seat& seat : seats_) {
            if (seat.finished) continue;
            seat.finished = true;
            attempt(seat, [](Observer& observer) { observer.on_finish(); });
        }
    }

private:
    struct Seat {
        Observer* observer;
        bool failed = false, finished = false;
    };

    template <class Call>
    void attempt(Seat& seat, const Call& call) {
        try {
            call(*seat.observer);
        } catch (const Stopped&) {
            throw;
        } catch (const std::exception& error) {
            fail(seat, error.what());
        } catch (...) {
            fail(seat, "an observer threw something that is not a std::exception");
        }
    }

    void fail(Seat& seat, const char* what) {
        if (!seat.failed) errors_.emplace_back(what);  // one that failed may fail again when it ends
        seat.failed = true;
    }

    std::vector<Seat> seats_;
    std::vector<std::string>& errors_;
};

}  // namespace sbdl
