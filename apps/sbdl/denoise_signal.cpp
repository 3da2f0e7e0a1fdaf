// sbdl denoise for one-dimensional signals: sounds, a column of a table, an array. Each channel is cleaned by itself.
#include "sbdl/denoise_signal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "denoise.hpp"
#include "denoise/whole_progress.hpp"
#include "interrupt.hpp"
#include "learning_stage.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"
#include "sbdl/series.hpp"
#include "sbdl/train.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

using Channel = std::vector<double>;

bool is_constant(const Channel& channel) {
    return std::ranges::all_of(channel, [&](double sample) { return sample == channel.front(); });
}

/// Of a signal with errors, in dB: the variance of the true signal over the mean square of the errors.
double snr_of(const Channel& truth, const Channel& signal) {
    double mean = 0.0, power = 0.0, errors = 0.0;
    for (const double sample : truth) mean += sample / static_cast<double>(truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
        power += (truth[i] - mean) * (truth[i] - mean);
        errors += (signal[i] - truth[i]) * (signal[i] - truth[i]);
    }
    return 10.0 * std::log10(power / errors);
}

/// Share of the samples whose error is within so many of their standard deviations.
double share_within_std(const Channel& truth, const SignalResult& result, double times) {
    std::size_t within = 0;
    for (std::size_t i = 0; i < truth.size(); ++i)
        within += std::abs(result.signal[i] - truth[i]) <= times * result.std[i] ? 1 : 0;
    return static_cast<double>(within) / static_cast<double>(truth.size());
}

std::string list_of(const std::vector<SignalResult>& results, const std::function<std::string(std::size_t)>& text) {
    std::vector<std::string> texts;
    for (std::size_t c = 0; c < results.size(); ++c) texts.push_back(text(c));
    return fmt::format("{}", fmt::join(texts, ", "));
}

class SignalTask final : public FileTask {
public:
    explicit SignalTask(const DenoiseArguments& a) : a_(a) {
        check_options();
        open();
        try {
            check_samples();
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", a.noisy.string(), error.what()));
        }
        if (truth_) check_truth();
        check_files();
        seconds_ = static_cast<double>(noisy_->channels.size()) *
                   usual_seconds(a_.options, 1, samples(), 1, a_.context.execution.threads, /*with_learning=*/true);
        if (several()) noisy_.reset();  // all of them might not fit into memory
    }

    [[nodiscard]] double seconds() const override { return seconds_; }

    DenoisedFile run(const ShowProgress& show) override {
        if (!noisy_) open();
        const auto start = std::chrono::steady_clock::now();
        std::vector<SignalResult> results;
        for (std::size_t c = 0; c < noisy_->channels.size(); ++c) results.push_back(cleaned(c, show));
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        const Outputs outputs = write(results);
        DenoisedFile file = described(results, seconds.count(), outputs);
        const bool cut = a_.model.empty() && results[0].model.stop_reason == to_string(StopReason::observer);
        file.interrupted = cut && learning_ends();
        noisy_.reset();
        return file;
    }

private:
    [[nodiscard]] bool several() const { return a_.inputs.size() > 1; }
    [[nodiscard]] std::size_t samples() const { return noisy_->channels[0].size(); }

    void check_options() {
        const auto refuse = [](std::string_view option) {
            throw InputError(fmt::format("{} does not apply to signals", option));
        };
        if (!a_.depth.empty()) refuse("--depth");
        if (!a_.report.empty()) refuse("--report");
        if (!a_.context.checkpoint.path.empty()) refuse("--checkpoint");
        for (const auto& options : {option_refs(a_.options), option_refs(a_.stack)})
            for (const OptionRef& option : options)
                if (a_.fields.given(option.name) && !applies_to_signals(option.name))
                    refuse(FieldOptions::flag(option.name));
        a_.options.patch = DenoiseOptions().patch;  // that of a model is its window
        if (a_.options.model != nullptr && !a_.fields.given("window"))
            a_.signal.window = static_cast<int>(a_.options.model->signal_dim());
        validate(a_.options, a_.signal);
    }

    void open() {
        noisy_ = read_series(a_.noisy, a_.column);
        if (!a_.truth.empty()) truth_ = read_truth();
    }

    /// The truth has the column of the noisy signal, or is the only signal of its file.
    [[nodiscard]] Series read_truth() const {
        try {
            return read_series(a_.truth, a_.column);
        } catch (const InputError&) {
            if (a_.column.empty()) throw;
            try {
                return read_series(a_.truth);
            } catch (const InputError&) {  // the first message names the column
            }
            throw;
        }
    }

    void check_samples() const {
        for (const Channel& channel : noisy_->channels) check_signal(channel, a_.signal);
        if (std::ranges::all_of(noisy_->channels, is_constant))
            throw InputError(fmt::format("the signal is constant: every sample is {:.6g}", noisy_->channels[0][0]));
        a_.memory.require(denoise_signal_memory(a_.options, a_.signal, a_.context, samples()) +
                              24.0 * static_cast<double>(samples() * noisy_->channels.size()),
                          fmt::format("a signal of {} samples", samples()));
    }

    void check_truth() const {
        if (truth_->channels.size() != noisy_->channels.size() || truth_->channels[0].size() != samples())
            throw InputError(fmt::format("{}: has {} samples in {} channels, the noisy signal {} in {}",
                                         a_.truth.string(), truth_->channels[0].size(), truth_->channels.size(),
                                         samples(), noisy_->channels.size()));
    }

    void check_files() const {
        std::vector<fs::path> inputs = a_.inputs;
        for (const fs::path& input : {a_.truth, a_.model})
            if (!input.empty()) inputs.push_back(input);
        check_output(a_.clean, {".wav", ".wave", ".csv", ".txt", ".npy"}, inputs);
        check_series_output(a_.clean, *noisy_);
        if (!a_.std.empty()) check_output(a_.std, {".csv", ".txt", ".npy"}, inputs);
        if (!a_.save_model.empty()) check_output(a_.save_model, {".h5", ".hdf5"}, inputs);
        if (!a_.save_model.empty() && noisy_->channels.size() > 1)
            throw InputError(
                fmt::format("--save-model does not apply to several channels: each of the {} has a "
                            "dictionary of its own",
                            noisy_->channels.size()));
        check_apart({a_.clean, a_.std, a_.save_model});
    }

    SignalResult cleaned(std::size_t number, const ShowProgress& show) {
        const std::size_t channels = noisy_->channels.size();
        const char* const notice = "\nending the learning, then cleaning the signal; press Ctrl-C again to quit now\n";
        LearningStage learning(/*can_end=*/!several() && channels == 1 && a_.model.empty(),
                               a_.output.quiet ? nullptr : notice);
        const auto progress = [&](DenoiseProgress now) {
            now.share = (static_cast<double>(number) + now.share) / static_cast<double>(channels);
            if (now.share == 1.0 || now.stage != "done") show(std::string(now.stage), now);
            learning.follow(now.stage);
        };
        SignalResult result = denoise_signal(noisy_->channels[number], a_.options, a_.signal, a_.context,
                                             {{}, progress, &learning_ends()});
        if (a_.model.empty()) {
            result.model.program_version = program_text();
            result.model.command = a_.command;
        }
        return result;
    }

    [[nodiscard]] Outputs write(const std::vector<SignalResult>& results) const {
        Series clean = *noisy_, std = *noisy_;
        if (clean.samples != SeriesSamples::f32) std.samples = SeriesSamples::f64;
        for (std::size_t c = 0; c < results.size(); ++c) {
            clean.channels[c] = results[c].signal;
            std.channels[c] = results[c].std;
        }
        Outputs outputs("the signal");
        outputs.write("signal", a_.clean, [&] { write_series(a_.clean, clean); });
        if (!a_.std.empty()) outputs.write("std", a_.std, [&] { write_series(a_.std, std); });
        if (!a_.save_model.empty() && !results[0].unchanged)
            outputs.write("model", a_.save_model, [&] { save_model(results[0].model, a_.save_model); });
        outputs.require_any();
        return outputs;
    }

    [[nodiscard]] ordered_json described_channel(const SignalResult& result, std::size_t number) const {
        ordered_json object = {{"noise_sd", result.noise_sd},         {"unchanged", result.unchanged},
                               {"only_noise", result.only_noise},     {"empty_share", result.empty_share},
                               {"noise_colour", result.noise_colour}, {"training_windows", result.training_windows}};
        if (!truth_) return object;
        const Channel& truth = truth_->channels[number];
        object["snr_before"] = snr_of(truth, noisy_->channels[number]);
        object["snr_after"] = snr_of(truth, result.signal);
        if (result.std.empty() || result.unchanged) return object;
        object["within_1_std"] = share_within_std(truth, result, 1.0);
        object["within_2_std"] = share_within_std(truth, result, 2.0);
        return object;
    }

    [[nodiscard]] DenoisedFile described(const std::vector<SignalResult>& results, double seconds,
                                         const Outputs& outputs) const {
        const SignalResult& first = results[0];
        ordered_json object = {{"signal", a_.clean.string()},
                               {"samples", samples()},
                               {"rate", noisy_->rate > 0 ? ordered_json(noisy_->rate) : ordered_json()},
                               {"method", !a_.model.empty() ? "model"
                                          : first.unchanged ? a_.options.method
                                                            : first.model.method},
                               {"noise_given", first.noise_given},
                               {"channels", ordered_json::array()},
                               {"seed", a_.context.seed},
                               {"options", ordered_json::parse(to_json(a_.options, a_.signal))},
                               {"seconds", seconds}};
        std::vector<std::string> warnings;
        for (std::size_t c = 0; c < results.size(); ++c) {
            object["channels"].push_back(described_channel(results[c], c));
            for (const std::string& warning : results[c].warnings)
                warnings.push_back(results.size() == 1 ? warning : fmt::format("channel {}: {}", c + 1, warning));
        }
        const ordered_json& channels = object["channels"];
        std::string text =
            fmt::format("noise       {} ({})\n",
                        list_of(results, [&](std::size_t c) { return fmt::format("{:.4g}", results[c].noise_sd); }),
                        first.noise_given ? "given" : "inferred");
        if (truth_)
            text += fmt::format("snr         {}\n", list_of(results, [&](std::size_t c) {
                                    return fmt::format("{:.2f} dB, was {:.2f}", channels[c]["snr_after"].get<double>(),
                                                       channels[c]["snr_before"].get<double>());
                                }));
        if (truth_ && channels[0].contains("within_1_std"))
            text += fmt::format("std         {:.1f} % of the errors are within 1 std, {:.1f} % within 2\n",
                                100.0 * channels[0]["within_1_std"].get<double>(),
                                100.0 * channels[0]["within_2_std"].get<double>());
        for (std::size_t c = 0; c < results.size(); ++c) {
            const std::string channel = results.size() == 1 ? "" : fmt::format("channel {}: ", c + 1);
            if (results[c].unchanged) text += fmt::format("found       {}no noise; it is left as it is\n", channel);
            if (results[c].only_noise) text += fmt::format("found       {}almost nothing but noise\n", channel);
        }
        text += fmt::format("seconds     {:.2f}\n", seconds);
        if (!outputs.has_failed("signal")) text += fmt::format("file        {}\n", name_text(a_.clean));
        if (!a_.std.empty()) object["std"] = a_.std.string();
        if (!a_.save_model.empty() && !first.unchanged) object["model"] = a_.save_model.string();
        object["warnings"] = warnings;
        DenoisedFile file{std::move(object), std::move(text), std::move(warnings)};
        file.fail(outputs);
        return file;
    }

    DenoiseArguments a_;
    std::optional<Series> noisy_, truth_;
    double seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<FileTask> signal_task(const DenoiseArguments& a) {
    return std::make_unique<SignalTask>(a);
}

}  // namespace sbdl::app
