#include "interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/unfinished.hpp"

namespace sbdl::app {
namespace {

constexpr long patience_ns = 300'000'000;  // between two steps; there are at most two such waits

std::atomic<bool> end_learning{false}, end_work{false};
std::atomic<int> step{0}, first_signal{0}, gentle{0}, saving{0};
std::atomic<const char*> gentle_notice{nullptr}, last_line{nullptr};
std::atomic<bool> silent{false}, last_line_on_sigterm{false};
timer_t step_timer{};
std::string what_is_left;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<const char*>::is_always_lock_free,
              "a signal handler may only use lock-free atomics");

void take_next_step_later() {
    const itimerspec once{{0, 0}, {0, patience_ns}};
    timer_settime(step_timer, 0, &once, nullptr);
}

// Nothing can be done if a write fails; the program stops all the same.
void write_text(const char* text) {
    [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, text, std::strlen(text));
}

void write_line(const char* word) {
    write_text("sbdl: ");
    write_text(word);
    write_text("\n");
}

void write_last_line() {
    if (const char* line = last_line.exchange(nullptr); line != nullptr && !silent) write_text(line);
}

extern "C" void on_signal(int signal) {
    const int errno_before = errno;  // what was interrupted may be about to read it
    const bool by_timer = signal == SIGALRM;
    int none = 0;
    first_signal.compare_exchange_strong(none, signal);
    if (signal == SIGTERM && last_line_on_sigterm) write_last_line();
    const int before = step, now = before == 0 && gentle == 0 ? 2 : before + 1;
    if (now >= 3) {
        if (by_timer && saving > 0) {
            take_next_step_later();
            errno = errno_before;
            return;
        }
        remove_unfinished();
        if (!silent) write_line(signal_word());
        write_last_line();
        _exit(signal_status());
    }
    step = now;
    end_learning = true;
    if (now == 2) end_work = true;
    if (now == 2 || signal != SIGINT) take_next_step_later();
    if (const char* notice = gentle_notice; notice != nullptr && now == 1 && signal == SIGINT && !silent)
        write_text(notice);
    errno = errno_before;
}

bool is_ignored(int signal) {
    struct sigaction action = {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void catch_signals() {
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    timer_create(CLOCK_MONOTONIC, &event, &step_timer);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;  // a read or write in progress is completed before the stop
    sigfillset(&action.sa_mask);   // one step at a time
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM})
        if (signal == SIGALRM || !is_ignored(signal)) sigaction(signal, &action, nullptr);
}

const std::atomic<bool>& learning_ends() {
    return end_learning;
}

const std::atomic<bool>& work_ends() {
    return end_work;
}

int signal_status() {
    return first_signal == 0 ? 0 : 128 + first_signal;
}

const char* signal_word() {
    return first_signal == SIGINT ? "interrupted" : "terminated";
}

void say_what_is_left(std::string text) {
    what_is_left = std::move(text);
}

std::string how_it_ended() {
    return signal_word() + (what_is_left.empty() ? "" : "; " + what_is_left);
}

void say_nothing_at_the_end() {
    silent = true;
}

void say_at_the_end(const char* line, LastWords when) {
    last_line_on_sigterm = when == LastWords::on_sigterm;
    last_line = line;
}

GentleStop::GentleStop(const char* notice) {
    gentle_notice = notice;
    ++gentle;
}
GentleStop::~GentleStop() {
    --gentle;
    gentle_notice = nullptr;
}

SavingResult::SavingResult() {
    ++saving;
}
SavingResult::~SavingResult() {
    --saving;
}

}  // namespace sbdl::app
