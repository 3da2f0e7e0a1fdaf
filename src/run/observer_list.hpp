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

class ObserverList {
public:
    /// `errors` receives what observers throw, and must outlive this object.
    ObserverList(std::span<Observer* const> observers, std::vector<std::string>& errors) : errors_(errors) {
        for (Observer* observer : observers) entries_.push_back({observer});
    }
    ObserverList(const ObserverList&) = delete;
    ObserverList& operator=(const ObserverList&) = delete;
    ~ObserverList() {
        try {
            finish();
        } catch (const Stopped&) {  // NOLINT(bugprone-empty-catch): the run has ended already
        }
    }

    /// Calls call(observer) for those that have not failed.
    template <class Call>
    void notify(const Call& call) {
        for (Entry& entry : entries_)
            if (!entry.failed) attempt(entry, call);
    }

    /// Notifies them of the end, once; also those that failed, which may have something to tidy up.
    void finish() {
        for (Entry& entry : entries_) {
            if (entry.finished) continue;
            entry.finished = true;
            attempt(entry, [](Observer& observer) { observer.on_finish(); });
        }
    }

private:
    struct Entry {
        Observer* observer;
        bool failed = false, finished = false;
    };

    template <class Call>
    void attempt(Entry& entry, const Call& call) {
        try {
            call(*entry.observer);
        } catch (const Stopped&) {
            throw;
        } catch (const std::exception& error) {
            fail(entry, error.what());
        } catch (...) {
            fail(entry, "an observer threw something that is not a std::exception");
        }
    }

    void fail(Entry& entry, const char* what) {
        if (!entry.failed) errors_.emplace_back(what);  // one that failed may fail again when it ends
        entry.failed = true;
    }

    std::vector<Entry> entries_;
    std::vector<std::string>& errors_;
};

}  // namespace sbdl
