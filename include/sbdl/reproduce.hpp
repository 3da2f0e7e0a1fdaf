// The paper's tables done again, beside the numbers in print. Table I: how many atoms of a known 20 x 50 dictionary
// each method finds, in 32 cells (number of signals L, signal to noise ratio, sparsity K). Table II: how well each
// method takes noise out of images, in cells of an image, a noise and a stride r of the training patches.
// Convergence: how long each method takes to find the atoms of one set of Table I.
//
// A run lives in a folder. Every finished trial is one line of trials.csv there, so a run that was stopped goes on
// where it was, and rows, cells or trials can be added later. table1.csv, table1.md and table1.svg (or table2.csv,
// table2.md and two figures) tell what the folder holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/image.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// What a report says about where its numbers come from; empty ones are left out.
struct RunOrigin {
    std::string program;  ///< version and commit, kept with each trial; empty: the library's version
    std::string command;
    std::string date;
    std::string machine;
};

using StopCheck = std::function<bool()>;

/// Mean over trials; the standard error (or deviation) is NaN when there is one trial only.
struct MeanAndSpread {
    double mean = 0.0;
    double spread = 0.0;
};

// --- Table I

/// A line of our table: a method with a preset, or with what it is told.
enum class Table1Row {
    gibbs,
    gibbs_paper,
    vb,
    vb_paper,
    ksvd,
    bpfa,
    apru_f,
    apru_l,
    mod,
    simco,
    majorization,
    online,
    rls,
    sgd
};

/// "gibbs", "gibbs-paper", ...
std::string_view to_string(Table1Row row);

struct Table1Cell {
    int signals = 0;  ///< L: 1000 or 2000
    int snr_db = 0;   ///< 10, 20, 30 or 100
    int sparsity_min = 0;
    int sparsity_max = 0;  ///< K: 3, 4 or 5 for both, or 3 and 6
    bool operator==(const Table1Cell&) const = default;
};

/// As cells are selected: "1000/10/3", "2000/100/3:6"
std::string to_string(const Table1Cell& cell);

/// The 32 cells, in the order of the paper.
const std::vector<Table1Cell>& table1_cells();

/// The cells that match any of the selectors, in the order of the paper; all cells when there is no selector. A
/// selector is "L/SNR/K", as in "1000/10/3", "*/20/*" or "2000/*/3:6" ("3-6" is the same), or names what it fixes, as
/// in "L=1000,snr=10,K=3" or "snr=20". Throws InputError for anything else, with what can be chosen.
std::vector<Table1Cell> select_table1_cells(const std::vector<std::string>& selectors);

/// Rows by their names, in the order of Table1Row; all when there is no name. Throws InputError.
std::vector<Table1Row> select_table1_rows(const std::vector<std::string>& names);

struct Table1Options : RunOrigin {
    int trials = 50;                 ///< in every cell, as in the paper
    std::vector<std::string> cells;  ///< selectors; none: all 32
    std::vector<std::string> rows;   ///< names; none: all
    int threads = 0;                 ///< trials that run at the same time; 0: one a core
    std::uint64_t seed = 0;          ///< with cell and trial it makes the data; all rows see the same
    std::filesystem::path out_dir;   ///< made when missing
};

/// One thing to do: learn from data set `trial` of a cell with the method of a row.
struct Table1Task {
    Table1Row row = Table1Row::gibbs;
    Table1Cell cell;
    int trial = 0;           ///< counted from 0
    std::uint64_t seed = 0;  ///< of the data and of the learner; the same for all rows
    bool operator==(const Table1Task&) const = default;
};

struct Table1Score {
    double nearest_percent = 0.0;   ///< RecoveryScore::nearest_rate
    double assigned_percent = 0.0;  ///< RecoveryScore::assigned_rate
    double noise_ratio = 0.0;       ///< estimated over true noise standard deviation
    double seconds = 0.0;
    int sweeps = 0;
};

struct Table1Progress {
    int done = 0;     ///< trials of this run's plan that are finished, those of earlier runs included
    int planned = 0;  ///< all trials of the plan
    Table1Task task;  ///< the one that has just finished
    Table1Score score;
};

/// Makes the data of a task, learns and scores. Nothing when `stop` cut it short.
using Table1Learner = std::function<std::optional<Table1Score>(const Table1Task& task, const StopCheck& stop)>;
std::optional<Table1Score> learn_table1_trial(const Table1Task& task, const StopCheck& stop);

struct Table1Hooks {
    std::function<void(const Table1Progress&)> progress;  ///< called by one thread at a time
    StopCheck stop;  ///< called by any thread, often; once it says true the run ends and what is finished is kept
    Table1Learner learner = learn_table1_trial;
};

enum class Table1Verdict {
    none,          ///< the row has no target (preset paper, or not in the paper)
    met,           ///< mean at the target or above
    within_grace,  ///< below by at most two standard errors
    missed
};

/// All trials of one row in one cell that the folder holds.
struct Table1Entry {
    Table1Row row = Table1Row::gibbs;
    Table1Cell cell;
    int trials = 0;
    MeanAndSpread nearest_percent;        ///< and standard error
    MeanAndSpread assigned_percent;       ///< and standard error
    MeanAndSpread noise_ratio;            ///< and standard deviation
    double seconds = 0.0;                 ///< mean
    double sweeps = 0.0;                  ///< mean
    std::optional<double> paper_percent;  ///< the paper's number for the same method, where it has one
    double paper_best_percent = 0.0;
    std::string_view paper_best_method;
    /// gibbs: the best number of any method in the paper; others with their standard preset: the paper's number for
    /// the same method. Compared with nearest_percent.
    std::optional<double> target_percent;
    Table1Verdict verdict = Table1Verdict::none;
};

struct Table1Summary {
    std::vector<Table1Entry> entries;  ///< by cell, then by row; only those with a trial
    int trials_run = 0;                ///< in this run
    int trials_reused = 0;             ///< of this run's plan, found finished
    int trials_left = 0;               ///< of this run's plan, not made because the run was stopped
    std::filesystem::path trials_csv;
    std::filesystem::path
        table_csv;  ///< this and the next two are empty, and not written, when there is no trial at all
    std::filesystem::path table_md;
    std::filesystem::path table_svg;

    /// How many entries of a row got this verdict.
    [[nodiscard]] int count(Table1Row row, Table1Verdict verdict) const;
};

/// Trial 0 of every cell and row comes first, then trial 1, ...: a run that is stopped has all cells, with fewer
/// trials. Results do not depend on the number of threads. Throws InputError for options that make no sense and for a
/// trials.csv that is damaged or was made with other options (naming the line), FileError when a file cannot be written
/// or another run is writing to the folder.
Table1Summary run_table1(const Table1Options& options, const Table1Hooks& hooks = {});

// --- Convergence: one data set of Table I, atoms found against seconds

struct ConvergenceOptions : RunOrigin {
    Table1Cell cell{1000, 20, 3, 3};
    std::vector<std::string> rows;  ///< of Table I, by name; none: all but those of the preset "paper"
    std::uint64_t seed = 0;         ///< the set is that of Table I's first trial with this seed
    std::filesystem::path out_dir;  ///< made when missing
};

/// The dictionary that a learner would have left after so many sweeps.
struct ConvergencePoint {
    int sweep = 0;
    double seconds = 0.0;  ///< of the processor, with one thread; without those it took to score
    double nearest_percent = 0.0;
    double assigned_percent = 0.0;
};

struct ConvergenceCurve {
    Table1Row row = Table1Row::gibbs;
    std::vector<ConvergencePoint> points;  ///< every sweep at first, then at steps of a twentieth; the last is the end
    /// Until so many percent of the atoms were found (nearest) for the first time; nothing when they never were.
    [[nodiscard]] std::optional<double> seconds_to(double percent) const;
};

struct ConvergenceSummary {
    std::vector<ConvergenceCurve> curves;
    bool stopped = false;           ///< before all rows were done; what is finished is written
    std::filesystem::path csv, md;  ///< these and the next are empty, and not written, when no row was finished
    std::filesystem::path svg;
};

struct ConvergenceHooks {
    std::function<void(Table1Row row, int done, int planned)> progress;  ///< a row is finished
    StopCheck stop;                                                      ///< asked after every sweep
};

/// Writes convergence.csv, convergence.md and convergence.svg. Throws InputError for options that make no sense,
/// FileError when a file cannot be written.
ConvergenceSummary run_convergence(const ConvergenceOptions& options, const ConvergenceHooks& hooks = {});

// --- Table II

struct Table2Cell {
    std::string image;  ///< the name of its file without the ending
    int sigma = 0;      ///< standard deviation of the noise, on the images' scale of 0 ... 255
    int stride = 0;     ///< r, of the training patches: 2 or 4
    bool operator==(const Table2Cell&) const = default;
};

/// As cells are selected: "cameraman/25/2"
std::string to_string(const Table2Cell& cell);

/// The rows of our table, in their order: "online" (what `denoise` does when nothing is said), "vb", "gibbs",
/// "gibbs-paper" and "vb-paper" (the paper's recipe), ...
std::vector<std::string> table2_rows();

struct Table2Options : RunOrigin {
    std::filesystem::path images;  ///< folder; every image in it takes part, which must be grey with 8 bits
    int trials = 3;                ///< noises of every image and sigma
    std::vector<int> sigmas{15, 25, 50};
    std::vector<std::string> cells;  ///< as "cameraman/25/2", "*/25/*" or "sigma=25,r=2"; none: all
    std::vector<std::string> rows;   ///< names; none: all
    std::string figures;             ///< cell of the two figures; empty: see run_table2
    int atoms = 256;                 ///< this and the next are the paper's; others make other, quicker tables
    std::size_t max_patches = 0;     ///< most training patches; 0: as many as each recipe likes
    int threads = 0;                 ///< of each trial, which come one after the other; 0: one a core
    std::uint64_t seed = 0;          ///< with image, sigma and trial it makes the noise; all rows see the same
    std::filesystem::path out_dir;   ///< made when missing
};

/// One thing to do: denoise image and noise `trial` of a cell with the method of a row.
struct Table2Task {
    Table2Cell cell;
    std::string row;
    int trial = 0;           ///< counted from 0
    std::uint64_t seed = 0;  ///< of the noise and of the method; the same for all rows and both strides
    bool operator==(const Table2Task&) const = default;
};

struct Table2Score {
    double psnr_noisy = 0.0;  ///< in dB, of the image before ...
    double psnr = 0.0;        ///< ... and after; neither is clipped or rounded
    double ssim = 0.0;
    double noise_found = 0.0;  ///< the standard deviation the method worked with: inferred, or what it was told
    double seconds = 0.0;
};

struct Table2Trial {
    Table2Score score;
    Image clean;
    Model model;
};

struct Table2Progress {
    int done = 0;     ///< trials of this run's plan that are finished, those of earlier runs included
    int planned = 0;  ///< all trials of the plan
    Table2Task task;  ///< the one that has just finished
    Table2Score score;
};

/// The noisy image of a task: Gaussian noise that depends on the options' seed, the image's name, sigma and trial.
Image table2_noisy(const Image& truth, const Table2Task& task);

/// Makes the noise of a task, takes it away and scores. Nothing when `stop` cut it short.
using Table2Denoiser = std::function<std::optional<Table2Trial>(const Table2Task& task, const Image& truth,
                                                                const Table2Options& options, const StopCheck& stop)>;
std::optional<Table2Trial> denoise_table2_trial(const Table2Task& task, const Image& truth,
                                                const Table2Options& options, const StopCheck& stop);

struct Table2Hooks {
    std::function<void(const Table2Progress&)> progress;
    StopCheck stop;  ///< called by any thread, often; once it says true the run ends and what is finished is kept
    Table2Denoiser denoiser = denoise_table2_trial;
};

/// A number in print or measured elsewhere.
struct Table2Reference {
    std::string_view method;
    double psnr = 0.0;
};

/// All trials of one row in one cell that the folder holds.
struct Table2Entry {
    std::string row;
    bool told = false;  ///< the row's method was told sigma
    Table2Cell cell;
    std::size_t width = 0;
    std::size_t height = 0;
    int trials = 0;
    MeanAndSpread psnr_noisy;   ///< and standard error
    MeanAndSpread psnr;         ///< and standard error
    MeanAndSpread ssim;         ///< and standard error
    MeanAndSpread noise_ratio;  ///< found over true sigma, and standard deviation
    double seconds = 0.0;       ///< mean
    /// The paper's number for the same method, where it has this method and this image.
    std::optional<Table2Reference> paper;
    /// The best dictionary method among the published tools (all told sigma), where they were measured.
    std::optional<Table2Reference> best_peer;
    std::optional<Table2Reference> bm3d;
};

struct Table2Summary {
    std::vector<Table2Entry> entries;  ///< by image (small ones first), sigma, stride, row; only those with a trial
    int trials_run = 0;                ///< in this run
    int trials_reused = 0;             ///< of this run's plan, found finished
    int trials_left = 0;               ///< of this run's plan, not made because the run was stopped
    std::filesystem::path trials_csv;
    std::filesystem::path table_csv;  ///< this and the next are empty, and not written, when there is no trial at all
    std::filesystem::path table_md;
    std::filesystem::path figure_images;  ///< this and the next are empty when the folder has no figures
    std::filesystem::path figure_dictionaries;
};

/// Trial 0 of every cell and row comes first, then trial 1, ..., small images before large ones. Results do not
/// depend on the number of threads. The figures show the first trial of the rows vb-paper and gibbs-paper in one cell,
/// when both are among the rows: that of `figures`, or, in a folder without figures, cameraman/25/2 or else the first
/// cell; a trial that the folder has already is made again for them. Throws InputError for options that make no sense,
/// images that cannot take part, and a trials.csv that is damaged or was made with other options or images (naming
/// the line), FileError when a file cannot be read or written or another run is writing to the folder.
Table2Summary run_table2(const Table2Options& options, const Table2Hooks& hooks = {});

}  // namespace sbdl
