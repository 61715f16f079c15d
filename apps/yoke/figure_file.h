// apps/yoke/figure_file.h: a graph as a file of its own.
#pragma once
#include <filesystem>
#include <string>

#include "yoke/study/figures/figure.h"

namespace yoke {

/// The endings of files that graphs are drawn into.
inline constexpr const char* kFigureEndings = ".svg, .png or .pdf";

/// Whether the graph that `flag` (`--out`) asks for can be drawn: before the work, not after it.
/// @throws UsageError where the ending is none of kFigureEndings, or check_output() does.
void check_figure_file(const std::string& flag, const std::filesystem::path& file, bool force);

/// Draws `figure` as `file`, whose ending says how. @throws Error where gnuplot is not installed or
/// refuses, or the file cannot be written.
void write_figure_file(const study::Figure& figure, const std::filesystem::path& file);

}  // namespace yoke
