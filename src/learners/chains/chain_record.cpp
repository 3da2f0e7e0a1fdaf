#include "learners/chains/chain_record.hpp"

namespace sbdl {

double ChainRecord::mean_log_joint() const {
    double sum = 0.0;
    for (const double value : log_joint) sum += value / static_cast<double>(log_joint.size());
    return sum;
}

void ChainRecord::archive(StateArchive& archive) {
    archive("chain", chain);
    archive("average", average);
    archive("noise_sd", noise_sd);
    archive("log_joint", log_joint);
    archive("code_rms", code_rms);
    archive("mean_nonzeros", mean_nonzeros);
    archive("atoms", atoms);
    archive("dictionary", dictionary);
    archive("code_rate", code_rate);
    archive("probability", probability);
    archive("code_precision", code_precision);
    archive("reconstruction", reconstruction);
    bool with_codes = codes.has_value();
    archive("with_codes", with_codes);
    if (with_codes && !codes) codes.emplace();
    if (with_codes) archive("codes", *codes);
}

}  // namespace sbdl
