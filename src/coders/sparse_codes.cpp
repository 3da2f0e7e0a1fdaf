#include "coders/sparse_codes.hpp"

namespace sbdl {
namespace {

template <class Value>
void append(const std::vector<Value>& more, std::vector<Value>& all) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void clear_codes(SparseCodes& codes) {
    codes.start.assign(1, 0);
    codes.atom.clear();
    codes.value.clear();
    codes.residual_norm.clear();
}

void append_codes(const SparseCodes& more, SparseCodes& all) {
    const std::size_t before = all.atom.size();
    for (std::size_t i = 1; i < more.start.size(); ++i) all.start.push_back(before + more.start[i]);
    append(more.atom, all.atom);
    append(more.value, all.value);
    append(more.residual_norm, all.residual_norm);
}

void end_signal(const Mat& D, const Eigen::Ref<const Vec>& y, SparseCodes& codes) {
    Vec left = y;
    for (std::size_t k = codes.start.back(); k < codes.atom.size(); ++k) left -= codes.value[k] * D.col(codes.atom[k]);
    codes.residual_norm.push_back(left.norm());
    codes.start.push_back(codes.atom.size());
}

}  // namespace sbdl
