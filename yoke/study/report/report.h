// yoke/study/report/report.h: a report on runs, as files.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/core/system/process.h"
#include "yoke/study/groups.h"

namespace yoke::study {

/// Where a report goes.
struct ReportOptions {
  std::string title;
  std::filesystem::path out;                    ///< report.html; other formats are named after it.
  std::vector<std::string> formats = {"html"};  ///< Of html, pdf, svg and png.
  Environment environment = {};                 ///< For gnuplot.
};

/// @throws UsageError where one is not a format of reports: html, pdf, svg or png.
void check_formats(const std::vector<std::string>& formats);

/// The page that a report of format `html` is; `head` goes into its head.
/// @throws Error where gnuplot cannot draw.
std::string report_page(const std::string& title, const Comparison& comparison,
                        const Environment& environment, const std::string& head = "");

/// Writes the report; returns what was written: a file for html and pdf, a folder of graphs for svg
/// and png. @throws UsageError for another format; Error where gnuplot cannot draw.
std::vector<std::filesystem::path> write_report(const Comparison& comparison,
                                                const ReportOptions& options);

}  // namespace yoke::study
