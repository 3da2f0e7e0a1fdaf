// The coders of `sbdl encode`, each from a request to a file that grows.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "common.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/fista.hpp"
#include "sbdl/lasso.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/omp.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::app {

/// What the command line asked for.
struct EncodeRequest {
    std::filesystem::path model;
    std::filesystem::path signals;
    std::filesystem::path codes;
    std::filesystem::path std;
    std::string coder = "auto";
    std::string pursuit = "omp";
    std::string dataset;
    PosteriorCoderOptions posterior;
    OmpOptions omp;
    double lambda = 0.0;  // of lasso and fista, as the steps are
    int max_steps = FistaOptions{}.max_steps;
    double tolerance = FistaOptions{}.tolerance;
    Context context;
    Output output;
};

/// The coder that was asked for; where that is left to the model, the posterior's mean if it has one, or else pursuit.
std::string coder_for(const EncodeRequest& request, const Model& model);

/// The file of codes, while it grows: shows progress and gives up on Ctrl-C.
class GrowingCodes {
public:
    GrowingCodes(const EncodeRequest& request, std::size_t signals, std::size_t atoms);
    void append(MatrixView codes);
    void finish();
    [[nodiscard]] double seconds() const;

private:
    NpyWriter writer_;
    ProgressMeter progress_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::size_t signals_;
    std::size_t written_ = 0;
    bool quiet_;
};

/// Each leaves all codes in the file and returns what there is to tell about them.
nlohmann::ordered_json code_posterior(const EncodeRequest& request, const Model& model, const SignalSource& signals,
                                      GrowingCodes& codes);
nlohmann::ordered_json code_omp(const EncodeRequest& request, const Model& model, const SignalSource& signals,
                                GrowingCodes& codes);
nlohmann::ordered_json code_lasso(const EncodeRequest& request, const Model& model, const SignalSource& signals,
                                  GrowingCodes& codes);
nlohmann::ordered_json code_fista(const EncodeRequest& request, const Model& model, const SignalSource& signals,
                                  GrowingCodes& codes);

}  // namespace sbdl::app
