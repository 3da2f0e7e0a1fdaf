// The two figures of the paper, from the first trial of two rows in one cell: the noisy image beside the results, and
// the dictionaries. figures.txt in the folder names the cell that its figures show.
#pragma once

#include "experiments/table2/table2.hpp"

namespace sbdl::table2 {

class Figures {
public:
    /// `cells` and the options' rows are those of the run. Throws InputError when the options request figures that this
    /// run cannot make. Reads and writes nothing.
    Figures(const std::vector<Table2Cell>& cells, const Table2Options& options);

    /// Checks which figures the folder has; want() then asks for missing ones only.
    void open_folder();

    /// Whether the figures need this trial.
    [[nodiscard]] bool want(const Table2Task& task) const;

    /// Keeps a wanted trial; with the second of the two the figures are written. Throws FileError.
    void take(const Table2Task& task, const Image& truth, Table2Trial trial);

    /// The cell of the folder's figures.
    [[nodiscard]] const std::optional<Table2Cell>& shown() const { return shown_; }
    [[nodiscard]] std::filesystem::path images_file() const { return folder_ / "figure_images.png"; }
    [[nodiscard]] std::filesystem::path dictionaries_file() const { return folder_ / "figure_dictionaries.png"; }

private:
    [[nodiscard]] std::filesystem::path note_file() const { return folder_ / "figures.txt"; }

    std::filesystem::path folder_;
    bool asked_for_ = false;
    std::optional<Table2Cell> wanted_;
    std::optional<Table2Cell> shown_;
    std::optional<Table2Trial> vb_, gibbs_;
};

}  // namespace sbdl::table2
