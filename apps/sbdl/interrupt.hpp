// Ctrl-C, SIGTERM and SIGHUP. A run is asked to end in steps, each less patient than the one before:
//
//   1  a learner ends after its sweep, and what it has learned is used (learning_ends())
//   2  the work is abandoned: the library throws Stopped within a second
//   3  the program ends at once; files that are being written are removed
//
// Each Ctrl-C takes the next step; the first one takes two, unless something is being learned (GentleStop). SIGTERM and
// SIGHUP do the same and do not wait for another one: less than a second later step 3 is taken. After step 2 step 3
// follows in any case, so that nothing can delay the end.
#pragma once

#include <atomic>
#include <string>

namespace sbdl::app {

/// From now on signals are caught. SIGHUP stays ignored if it was, as nohup wants it.
void catch_signals();

/// Step 1 has been taken.
const std::atomic<bool>& learning_ends();
/// Step 2 has been taken.
const std::atomic<bool>& work_ends();

/// The exit status that goes with the first signal: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP. 0: there was none.
int signal_status();
constexpr int ctrl_c_status = 130;
/// "interrupted" or "terminated", as the first signal was.
const char* signal_word();

/// What is left of the work, and how to go on, when a signal has ended it: the end of the verb's last line.
void say_what_is_left(std::string text);
/// "interrupted; 2 of 3 files are done".
std::string how_it_ended();

/// For other ranks than the first: nothing is written when a signal ends the program.
void say_nothing_at_the_end();
/// When `line` is written to standard error: when a signal ends the program at once, or already when SIGTERM comes,
/// which mpirun follows with SIGKILL a second later.
enum class LastWords { at_the_end, on_sigterm };
/// The line must stay alive; null: nothing.
void say_at_the_end(const char* line, LastWords when = LastWords::at_the_end);

/// While an object of this class exists, something is learned that is worth keeping: the first signal takes step 1
/// only, and Ctrl-C writes `notice` (which must stay alive; null: nothing) to standard error.
class GentleStop {
public:
    explicit GentleStop(const char* notice);
    GentleStop(const GentleStop&) = delete;
    GentleStop& operator=(const GentleStop&) = delete;
    ~GentleStop();
};

/// While an object of this class exists, what was learned is being saved. That takes a moment, and step 3 waits for it,
/// unless it is Ctrl-C that takes it.
class SavingResult {
public:
    SavingResult();
    SavingResult(const SavingResult&) = delete;
    SavingResult& operator=(const SavingResult&) = delete;
    ~SavingResult();
};

}  // namespace sbdl::app
