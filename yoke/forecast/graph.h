// yoke/forecast/graph.h: predictions as a graph, by gnuplot.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/forecast/prediction.h"

namespace yoke::forecast {

/// What gnuplot calls the format of `file`, with a size. @throws UsageError unless it ends in .svg,
/// .png or .pdf.
std::string graph_terminal(const std::filesystem::path& file);

/// A gnuplot script that draws seconds per epoch, with their range and the ideal line, and
/// efficiency against the number of hosts, into `file`, whose ending is as graph_terminal() takes
/// it. `title` says of what training.
std::string graph_script(const std::vector<Prediction>& predictions, const std::string& title,
                         const std::filesystem::path& file);

}  // namespace yoke::forecast
