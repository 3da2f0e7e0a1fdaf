// The paper's own numbers.
#pragma once

#include <string_view>

#include "experiments/table1/cells.hpp"

namespace sbdl::table1 {

enum class PaperMethod { ksvd, bpfa, apru_f, apru_l, sbdl_vb, sbdl_gibbs };

std::string_view to_string(PaperMethod method);
double paper_percent(const Table1Cell& cell, PaperMethod method);

struct PaperBest {
    double percent;
    std::string_view method;
};
PaperBest paper_best(const Table1Cell& cell);

}  // namespace sbdl::table1
