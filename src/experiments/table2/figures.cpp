#include "experiments/table2/figures.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

#include "base/atomic_file.hpp"
#include "report/display_image.hpp"
#include "report/run_facts.hpp"
#include "sbdl/error.hpp"

namespace sbdl::table2 {

namespace {

constexpr std::string_view vb_row = "vb-paper";
constexpr std::string_view gibbs_row = "gibbs-paper";
constexpr double white = 255.0;
constexpr std::size_t gap = 8;  // between images, in pixels
constexpr std::size_t mosaic_columns = 16;
constexpr std::size_t enlargement = 3;  // of the mosaics

const Table2Cell usual_cell{"cameraman", 25, 2};

Image grey(std::size_t height, std::size_t width) {
    Image image;
    image.planes.emplace_back(height, width, white);
    return image;
}

// Grey images of any sizes, aligned at the top.
Image side_by_side(const std::vector<Image>& parts) {
    std::size_t height = 0, width = (parts.size() - 1) * gap;
    for (const Image& part : parts) {
        height = std::max(height, part.height());
        width += part.width();
    }
    Image whole = grey(height, width);
    std::size_t left = 0;
    for (const Image& part : parts) {
        for (std::size_t i = 0; i < part.height(); ++i)
            std::copy_n(part.planes[0].row(i).begin(), part.width(), whole.planes[0].row(i).begin() + long(left));
        left += part.width() + gap;
    }
    return whole;
}

// The sprite of the report with white lines between its tiles, enlarged.
Image mosaic(const Model& model) {
    const Image sprite = report::atom_sprite(model, report::atoms_by_use(model), mosaic_columns);
    const std::size_t tile_height = model.patch.height + 2, tile_width = model.patch.width + 2;
    const auto border = [](std::size_t at, std::size_t tile) { return at % tile == 0 || at % tile == tile - 1; };
    Image enlarged = grey(enlargement * sprite.height(), enlargement * sprite.width());
    for (std::size_t i = 0; i < enlarged.height(); ++i)
        for (std::size_t j = 0; j < enlarged.width(); ++j) {
            const std::size_t row = i / enlargement, column = j / enlargement;
            if (!border(row, tile_height) && !border(column, tile_width))
                enlarged.planes[0](i, j) = sprite.planes[0](row, column);
        }
    return enlarged;
}

// The cell in a note, if the note is ours.
std::optional<Table2Cell> read_note(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line)) return std::nullopt;
    const std::size_t second = line.rfind('/');
    const std::size_t first = second == std::string::npos || second == 0 ? second : line.rfind('/', second - 1);
    if (first == std::string::npos || first == second) return std::nullopt;
    Table2Cell cell{line.substr(0, first), 0, 0};
    std::from_chars(line.data() + first + 1, line.data() + second, cell.sigma);
    std::from_chars(line.data() + second + 1, line.data() + line.size(), cell.stride);
    if (to_string(cell) != line) return std::nullopt;
    return cell;
}

}  // namespace

Figures::Figures(const std::vector<Table2Cell>& cells, const Table2Options& options)
    : folder_(options.out_dir), asked_for_(!options.figures.empty()) {
    const std::vector<std::string> rows = select_table2_rows(options.rows);
    const auto has = [&](std::string_view row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
    const bool can = has(vb_row) && has(gibbs_row) && !cells.empty();
    if (asked_for_ && !can)
        throw InputError(fmt::format("the figures of {} need the rows {} and {}, which are not part of this run",
                                     options.figures, vb_row, gibbs_row));
    if (!can) return;
    if (!asked_for_) {
        const bool usual = std::find(cells.begin(), cells.end(), usual_cell) != cells.end();
        wanted_ = usual ? usual_cell : cells.front();
        return;
    }
    const std::vector<Table2Cell> found = select_cells(cells, {options.figures});
    if (found.size() != 1)
        throw InputError(fmt::format("'{}' matches {} of the cells of this run; it must match one, as in {}",
                                     options.figures, found.size(), to_string(cells.front())));
    wanted_ = found.front();
}

void Figures::open_folder() {
    std::error_code ignored;
    if (std::filesystem::exists(images_file(), ignored) && std::filesystem::exists(dictionaries_file(), ignored))
        shown_ = read_note(note_file());
    if (shown_ && (!asked_for_ || shown_ == wanted_)) wanted_.reset();
}

bool Figures::want(const Table2Task& task) const {
    return wanted_ && task.cell == *wanted_ && task.trial == 0 && (task.row == vb_row || task.row == gibbs_row);
}

void Figures::take(const Table2Task& task, const Image& truth, Table2Trial trial) {
    (task.row == vb_row ? vb_ : gibbs_) = std::move(trial);
    if (!vb_ || !gibbs_) return;
    // If no noise was found, there is no dictionary to show.
    if (vb_->model.atom_count() > 0 && gibbs_->model.atom_count() > 0) {
        write_image(images_file(), side_by_side({table2_noisy(truth, task), vb_->clean, gibbs_->clean}));
        write_image(dictionaries_file(), side_by_side({mosaic(vb_->model), mosaic(gibbs_->model)}));
        write_text_file(note_file(), to_string(*wanted_) + "\n");
        shown_ = wanted_;
    }
    vb_.reset();
    gibbs_.reset();
    wanted_.reset();
}

}  // namespace sbdl::table2
