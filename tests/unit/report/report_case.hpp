// A small run with everything a report can show, one whose signals are not patches, and a search in the text.
#pragma once

#include <cctype>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "sbdl/report.hpp"
#include "sbdl/stack_report.hpp"

namespace sbdl::test {

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Not as a part of a longer word.
inline bool has_word(const std::string& page, const std::string& word) {
    const auto letter = [&](std::size_t at) { return std::isalpha(static_cast<unsigned char>(page[at])) != 0; };
    for (std::size_t at = 1; (at = page.find(word, at)) != std::string::npos; at += word.size())
        if (!letter(at - 1) && !letter(at + word.size())) return true;
    return false;
}

/// The page without the images, whose letters may spell anything, and without style and script.
inline std::string words_of(const std::string& page) {
    std::string words = page.substr(page.find("<body>"));
    words.erase(words.rfind("<script>"));
    for (std::size_t at = 0; (at = words.find("base64,", at)) != std::string::npos;) {
        const std::size_t end = words.find_first_of("\")", at);
        words.erase(at, end - at);
    }
    return words;
}

/// Irregular but repeatable numbers within -1 ... 1.
inline double scatter(std::uint64_t i) {
    i = (i ^ (i >> 31U)) * 0x7fb5d329728ea185U;
    i = (i ^ (i >> 27U)) * 0x81dadef4bc2dd44dU;
    return static_cast<double>(i >> 11U) / 4503599627370496.0 - 1.0;
}

inline Image textured_image(std::size_t height, std::size_t width, std::size_t planes, double noise) {
    Image image;
    for (std::size_t p = 0; p < planes; ++p) {
        Matrix plane(height, width);
        for (std::size_t i = 0; i < plane.size(); ++i) {
            const double x = static_cast<double>(i % width), y = static_cast<double>(i / width);
            plane.data()[i] = std::round(120.0 + 60.0 * std::sin(0.2 * x + 0.1 * y) + noise * scatter(i + 1000000 * p));
        }
        image.planes.push_back(plane);
    }
    return image;
}

/// Chains with the given number of sweeps each; the first half is burn-in.
inline Trace made_trace(int chains, int sweeps) {
    Trace trace;
    for (int chain = 0; chain < chains; ++chain)
        for (int sweep = 1; sweep <= sweeps; ++sweep) {
            trace.chain.push_back(chain);
            trace.sweep.push_back(sweep);
            trace.kept.push_back(2 * sweep > sweeps ? 1 : 0);
            trace.objective.push_back(-1e6 / sweep + scatter(static_cast<std::uint64_t>(sweep + 7919 * chain)));
            trace.noise_sd.push_back(20.0 + 10.0 / sweep);
        }
    return trace;
}

inline Model line_model(std::size_t atoms, std::size_t dim) {
    Model model;
    model.method = "gibbs";
    model.preset = "standard";
    model.options_json = R"({"atoms":5,"burn_in":60,"draws":40,"chains":2,"code_rate":"auto","second_look":true})";
    model.program_version = "0.1.0";
    model.stop_reason = "sweeps_done";
    model.seed = 7;
    model.signal_count = 12345;
    model.dictionary = Matrix(atoms, dim);
    for (std::size_t i = 0; i < model.dictionary.size(); ++i) model.dictionary.data()[i] = scatter(i);
    for (std::size_t n = 0; n < atoms; ++n) {
        const std::span<double> atom = model.dictionary.row(n);
        const double norm = std::sqrt(std::inner_product(atom.begin(), atom.end(), atom.begin(), 0.0));
        for (double& entry : atom) entry /= norm;
    }
    for (std::size_t n = 0; n < atoms; ++n) model.atom_usage.push_back(1.0 + 0.01 * static_cast<double>(n % 97));
    model.atom_norm.assign(atoms, 1.0);
    model.noise_sd = 20.1;
    model.noise_sd_std = 0.34;
    model.diagnostics = {.noise_rhat = 1.02, .noise_ess = 150.0, .objective_rhat = 1.01, .objective_ess = 220.0};
    model.trace = made_trace(2, 100);
    return model;
}

/// Nothing but the model to report on.
inline ReportContent about(const Model& model) {
    ReportContent content;
    content.model = &model;
    return content;
}

/// A denoised image with its truth and uncertainty, 8 x 8 patches.
struct ReportCase {
    Model model = line_model(40, 64);
    Image before = textured_image(64, 96, 1, 40.0);
    Image after = textured_image(64, 96, 1, 4.0);
    Image truth = textured_image(64, 96, 1, 0.0);
    Image spread = textured_image(64, 96, 1, 10.0);

    ReportCase() {
        model.patch = {.height = 8, .width = 8, .planes = 1};
        model.code_sizes = {3, 10, 20, 5, 0, 1, 0};
    }
    [[nodiscard]] ReportContent content() const {
        return {.model = &model,
                .title = "A run",
                .command = "sbdl denoise noisy.png -o clean.png",
                .before = &before,
                .after = &after,
                .std = &spread,
                .truth = &truth};
    }
};

/// Noise that grows with brightness.
inline PlaneNoise growing_noise(double gain, double read_noise, double offset) {
    PlaneNoise noise;
    noise.grows = true;
    noise.gain = gain;
    noise.read_noise = read_noise;
    noise.offset = offset;
    return noise;
}

/// A denoised stack whose pages are all different: grey, and as many as wanted.
struct StackReportCase {
    ReportCase page;
    std::vector<std::size_t> shown;  ///< pages that were read

    StackReportContent content(std::size_t pages) {
        StackReportContent content{.pages = {}, .model = &page.model, .title = "A stack"};
        for (std::size_t i = 0; i < pages; ++i) {
            StackPageFacts facts{.noise_sd = 20.0 + static_cast<double>(i),
                                 .noise = {.planes = {{}}, .correlation = {0.0}, .sentences = {}},
                                 .warnings = {}};
            facts.psnr_before = 20.0;
            facts.psnr_after = 30.0 + static_cast<double>(i);
            content.pages.push_back(facts);
        }
        content.command = "sbdl denoise noisy.tif -o clean.tif";
        content.images = [this](std::size_t number) {
            shown.push_back(number);
            return StackPageImages{page.before, page.after};
        };
        content.seconds = 12.5;
        return content;
    }
};

}  // namespace sbdl::test
