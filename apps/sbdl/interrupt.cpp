#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "verbs.hpp"

namespace sbdl::app {
namespace {

std::atomic<bool> stop_requested{false};
std::atomic<int> signals_seen{0};
std::atomic<int> writers{0};
std::atomic<const char*> first_notice{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<const char*>::is_always_lock_free,
              "a signal handler may only use lock-free atomics");

extern "C" void on_signal(int) {
    const int seen = ++signals_seen;
    stop_requested = true;
    if (seen > 2 || (seen == 2 && writers == 0)) _exit(interrupted);
    if (seen > 1) return;
    if (const char* notice = first_notice) {
        // Nothing can be done here if the write fails; the program stops all the same.
        [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, notice, std::strlen(notice));
    }
}

}  // namespace

const std::atomic<bool>& catch_interrupts(const char* notice) {
    first_notice = notice;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;  // a read or write in progress is completed before the stop
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return stop_requested;
}

WritingFiles::WritingFiles() {
    ++writers;
}
WritingFiles::~WritingFiles() {
    --writers;
}

void stop_if_interrupted() {
    if (stop_requested) throw Interrupted{};
}

}  // namespace sbdl::app
