// yoke/study/figures/gnuplot.h: draws graphs by the program gnuplot.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/core/system/process.h"
#include "yoke/study/figures/figure.h"

namespace yoke::study {

/// Draws the figures as SVG, for a page that holds them. @throws Error where gnuplot is not
/// installed or refuses; so do the others.
std::vector<std::string> draw_svg(const std::vector<Figure>& figures,
                                  const Environment& environment);

/// Writes each figure as FOLDER/<name>.svg or .png; `ending` is `svg` or `png`.
void draw_files(const std::vector<Figure>& figures, const std::string& ending,
                const std::filesystem::path& folder, const Environment& environment);

/// Writes `path` as PDF: pages of text, a line each, then a page for each figure.
void draw_pdf(const std::vector<std::vector<std::string>>& pages,
              const std::vector<Figure>& figures, const std::filesystem::path& path,
              const Environment& environment);

}  // namespace yoke::study
