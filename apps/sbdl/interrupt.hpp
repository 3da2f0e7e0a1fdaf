// Ctrl-C and SIGTERM: the first signal asks for a stop at the next good moment, the second ends the program at once,
// and only a third can leave a file half written.
#pragma once

#include <atomic>
#include <exception>

namespace sbdl::app {

/// Thrown where work is abandoned because of the first signal.
struct Interrupted : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

/// From now on the first signal sets the flag that is returned and, unless `notice` is null, writes that text (which
/// must stay alive) to standard error. The second ends the program with status 130, unless files are being written.
const std::atomic<bool>& catch_interrupts(const char* notice);

/// While an object of this class exists, files are being written, and a second signal waits: the program ends soon by
/// itself and leaves no unfinished files. A third signal does not wait.
class WritingFiles {
public:
    WritingFiles();
    WritingFiles(const WritingFiles&) = delete;
    WritingFiles& operator=(const WritingFiles&) = delete;
    ~WritingFiles();
};

/// Throws Interrupted if the flag is set.
void stop_if_interrupted();

}  // namespace sbdl::app
