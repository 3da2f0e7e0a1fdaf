// The numbers in a row at the top of a page.
#pragma once

#include <string>
#include <string_view>

#include "sbdl/model.hpp"
#include "sbdl/quality.hpp"

namespace sbdl::report {

/// One of them: its name, its value, how to read it. All are HTML.
std::string tile(std::string_view name, const std::string& value, const std::string& note);

/// How many atoms are in use.
std::string atoms_tile(const Model& model);

/// A PSNR as text; "∞" when the image equals the truth.
std::string decibel(double psnr);

/// What the peak of a PSNR is, without which it means little.
std::string range_note(const DataRange& range);

/// A row of tiles.
std::string tile_row(const std::string& tiles);

}  // namespace sbdl::report
