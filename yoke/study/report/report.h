// yoke/study/report/report.h: a report on runs, as files.
#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/core/system/process.h"
#include "yoke/study/groups.h"
#include "yoke/study/report/document.h"

namespace yoke::study {

/// What a report can be written as.
inline constexpr std::array<std::string_view, 5> kReportFormats = {"html", "md", "pdf", "svg",
                                                                   "png"};

/// Where a report goes.
struct ReportOptions {
  std::string title;
  std::filesystem::path out;                    ///< report.html; other formats are named after it.
  std::vector<std::string> formats = {"html"};  ///< Of kReportFormats.
  /// Name of the file of format md, where another; unless that file is none of a report's.
  std::string markdown = {};
  Environment environment = {};      ///< For gnuplot.
  std::vector<Section> first = {};   ///< Parts before those of the runs.
  std::vector<Section> second = {};  ///< Behind what is said of them in short.
};

/// @throws UsageError where one is none of kReportFormats.
void check_formats(const std::vector<std::string>& formats);

/// The page that a report of format `html` is; `head` goes into its head.
/// @throws Error where gnuplot cannot draw.
std::string report_page(const std::string& title, const Comparison& comparison,
                        const Environment& environment, const std::string& head = "");

/// Writes the report; returns what was written: a file for html, md (with a folder of graphs beside
/// it) and pdf, a folder of graphs for svg and png. @throws UsageError for another format; Error
/// where gnuplot cannot draw.
std::vector<std::filesystem::path> write_report(const Comparison& comparison,
                                                const ReportOptions& options);

}  // namespace yoke::study
