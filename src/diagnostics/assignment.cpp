// Linear assignment by shortest augmenting paths (Jonker and Volgenant 1987), O(r^2 c) for r <= c.
//
// Rows are added one after another. Prices u of the rows and v of the columns keep every reduced cost
//
//     cost(i, j) - u_i - v_j >= 0,   = 0 for existing pairs,
//
// so the cheapest way to add a new row is a shortest path (Dijkstra) from it over existing pairs to a free column; the
// pairs along that path are then exchanged and the prices raised by the distances.
#include "diagnostics/assignment.hpp"

#include <algorithm>
#include <limits>

namespace sbdl {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

// `cost_at(i, j)` for i < rows <= cols; returns the partner of each column, or none.
template <class CostAt>
std::vector<std::size_t> rows_of_columns(std::size_t rows, std::size_t cols, const CostAt& cost_at) {
    constexpr double far = std::numeric_limits<double>::infinity();
    std::vector<double> u(rows, 0.0), v(cols, 0.0), distance(cols);
    std::vector<std::size_t> row_of(cols, none), came_from(cols);
    std::vector<char> settled(cols);

    for (std::size_t start = 0; start < rows; ++start) {
        distance.assign(cols, far);
        came_from.assign(cols, none);  // the column before this one on the path; none: straight from `start`
        settled.assign(cols, 0);

        std::size_t column = none;  // the column settled last
        std::size_t row = start;    // the row that continues the path
        double length = 0.0;
        for (;;) {
            std::size_t next = none;
            for (std::size_t j = 0; j < cols; ++j) {
                if (settled[j]) continue;
                const double through = length + cost_at(row, j) - u[row] - v[j];
                if (through < distance[j]) {
                    distance[j] = through;
                    came_from[j] = column;
                }
                if (next == none || distance[j] < distance[next]) next = j;
            }
            column = next;
            length = distance[column];
            settled[column] = 1;
            if (row_of[column] == none) break;
            row = row_of[column];
        }

        u[start] += length;
        for (std::size_t j = 0; j < cols; ++j) {
            if (!settled[j]) continue;
            v[j] -= length - distance[j];
            if (row_of[j] != none) u[row_of[j]] += length - distance[j];
        }
        while (came_from[column] != none) {
            row_of[column] = row_of[came_from[column]];
            column = came_from[column];
        }
        row_of[column] = start;
    }
    return row_of;
}

}  // namespace

std::vector<std::ptrdiff_t> cheapest_assignment(MatrixView cost) {
    std::vector<std::ptrdiff_t> partner(cost.rows, -1);
    const bool turned = cost.rows > cost.cols;  // the columns are then the smaller side
    const auto cost_at = [&](std::size_t i, std::size_t j) { return turned ? cost(j, i) : cost(i, j); };
    const auto found = rows_of_columns(std::min(cost.rows, cost.cols), std::max(cost.rows, cost.cols), cost_at);
    for (std::size_t j = 0; j < found.size(); ++j)
        if (found[j] != none) partner[turned ? j : found[j]] = static_cast<std::ptrdiff_t>(turned ? found[j] : j);
    return partner;
}

}  // namespace sbdl
