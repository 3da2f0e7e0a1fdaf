// The verbs of the program. Each parses its own arguments (arguments[0] is the verb) and returns the exit status; what
// goes wrong is thrown, and main() turns it into a line and a status.
#pragma once

namespace sbdl::app {

int run_synth(int count, char** arguments);
int run_learn(int count, char** arguments);
int run_score(int count, char** arguments);
int run_encode(int count, char** arguments);
int run_denoise(int count, char** arguments);
int run_inpaint(int count, char** arguments);
int run_info(int count, char** arguments);
int run_report(int count, char** arguments);
int run_reproduce(int count, char** arguments);

/// The program's exit statuses; those that go with a signal come from signal_status().
enum Exit { done = 0, failed = 1, wrong_use = 2 };

}  // namespace sbdl::app
