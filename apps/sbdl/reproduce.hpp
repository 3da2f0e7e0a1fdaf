// What sbdl reproduce prints of the results of each experiment: JSON for programs, text for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/calibration/calibration.hpp"
#include "experiments/convergence/convergence.hpp"
#include "experiments/denoising/denoising.hpp"
#include "experiments/inpainting/inpainting.hpp"
#include "experiments/table1/table1.hpp"
#include "experiments/table2/table2.hpp"

namespace sbdl::app {

nlohmann::ordered_json result_json(const Table1Summary& summary);
nlohmann::ordered_json result_json(const Table2Summary& summary);
nlohmann::ordered_json result_json(const CalibrationSummary& summary);
nlohmann::ordered_json result_json(const ConvergenceSummary& summary);
nlohmann::ordered_json result_json(const DenoisingSummary& summary);
nlohmann::ordered_json result_json(const InpaintingSummary& summary);

std::string result_text(const Table1Summary& summary);
std::string result_text(const Table2Summary& summary);
std::string result_text(const CalibrationSummary& summary);
std::string result_text(const ConvergenceSummary& summary);
std::string result_text(const DenoisingSummary& summary);
std::string result_text(const InpaintingSummary& summary);

}  // namespace sbdl::app
