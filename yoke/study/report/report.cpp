#include "yoke/study/report/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/version.h"
#include "yoke/study/figures/gnuplot.h"
#include "yoke/study/report/html.h"
#include "yoke/study/report/text_pages.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

std::string footer() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("Made by yoke report, yoke {}, on {:%Y-%m-%d at %H:%M}.", kVersion,
                     fmt::localtime(now));
}

fs::path beside(const fs::path& out, const std::string& ending) {
  return out.parent_path() / (out.stem().string() + ending);
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
  const auto folder = beside(options.out, "-graphs");
  draw_files(document.figures(), format, folder, options.environment);
  return folder;
}

}  // namespace

std::string report_page(const std::string& title, const Comparison& comparison,
                        const Environment& environment, const std::string& head) {
  const Document document = make_document(title, comparison);
  return html_page(document, draw_svg(document.figures(), environment), footer(), head);
}

void check_formats(const std::vector<std::string>& formats) {
  for (const auto& format : formats) {
    if (format != "html" && format != "pdf" && format != "svg" && format != "png") {
      throw UsageError(
          fmt::format("format '{}' of a report; allowed: html, pdf, svg, png", format));
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
  const Document document = make_document(options.title, comparison);
  std::vector<fs::path> written;
  for (const auto& format : options.formats) written.push_back(write(document, format, options));
  return written;
}

}  // namespace yoke::study
