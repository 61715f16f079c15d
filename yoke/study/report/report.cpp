#include "yoke/study/report/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/version.h"
#include "yoke/study/figures/gnuplot.h"
#include "yoke/study/report/html.h"
#include "yoke/study/report/markdown.h"
#include "yoke/study/report/text_pages.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMadeBy = "Made by yoke report, ";

std::string footer() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{}yoke {}, on {:%Y-%m-%d at %H:%M}.", kMadeBy, kVersion, fmt::localtime(now));
}

fs::path beside(const fs::path& out, const std::string& ending) {
  return out.parent_path() / (out.stem().string() + ending);
}

fs::path markdown_path(const ReportOptions& options) {
  if (options.markdown.empty()) return beside(options.out, ".md");
  const fs::path path = folder_of(options.out) / options.markdown;
  const bool own = !fs::exists(path) || read_file(path).find(kMadeBy) != std::string::npos;
  return own ? path : beside(options.out, ".md");
}

fs::path write(const Document& document, const std::string& format, const ReportOptions& options) {
  if (format == "html") {
    const auto drawings = draw_svg(document.figures(), options.environment);
    write_file(options.out, html_page(document, drawings, footer()));
    return options.out;
  }
  if (format == "pdf") {
    const auto path = beside(options.out, ".pdf");
    draw_pdf(text_pages(document, footer()), document.figures(), path, options.environment);
    return path;
  }
  auto folder = beside(options.out, "-graphs");
  draw_files(document.figures(), format == "md" ? "svg" : format, folder, options.environment);
  if (format != "md") return folder;
  const auto path = markdown_path(options);
  write_file(path, markdown_page(document, folder.filename().string(), footer()));
  return path;
}

}  // namespace

std::string report_page(const std::string& title, const Comparison& comparison,
                        const Environment& environment, const std::string& head) {
  const Document document = make_document(title, comparison);
  return html_page(document, draw_svg(document.figures(), environment), footer(), head);
}

void check_formats(const std::vector<std::string>& formats) {
  for (const auto& format : formats) {
    if (std::find(kReportFormats.begin(), kReportFormats.end(), format) == kReportFormats.end()) {
      throw UsageError(fmt::format("format '{}' of a report; allowed: {}", format,
                                   fmt::join(kReportFormats, ", ")));
    }
  }
}

std::vector<fs::path> write_report(const Comparison& comparison, const ReportOptions& options) {
  check_formats(options.formats);
  if (options.out.extension() == ".pdf") {
    throw UsageError(
        fmt::format("{} would be the page; name it .html, and --format pdf writes a .pdf beside it",
                    options.out.string()));
  }
  make_folder(folder_of(options.out));
  Document document = make_document(options.title, comparison);
  auto& sections = document.sections;
  const auto behind_first = sections.begin() + std::min<std::ptrdiff_t>(1, std::ssize(sections));
  sections.insert(behind_first, options.second.begin(), options.second.end());
  sections.insert(sections.begin(), options.first.begin(), options.first.end());
  std::vector<fs::path> written;
  for (const auto& format : options.formats) written.push_back(write(document, format, options));
  return written;
}

}  // namespace yoke::study
