// Writes the inputs from which the fuzzer starts to FOLDER/png and so on: fuzz_seeds FOLDER
#include <cstdio>

#include "fuzz/seeds.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    sbdl::fuzz::write_image_seeds(argv[1]);
    sbdl::fuzz::write_signal_seeds(argv[1]);
    return 0;
}
