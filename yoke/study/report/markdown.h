// yoke/study/report/markdown.h: a report as Markdown, which forges show.
#pragma once
#include <string>
#include <string_view>

#include "yoke/study/report/document.h"

namespace yoke::study {

/// `text` with the letters that mean something in Markdown written out, in one line.
std::string markdown_text(std::string_view text);

/// The report with its figures as images `<graphs>/<name>.svg`.
std::string markdown_page(const Document& document, const std::string& graphs,
                          const std::string& footer);

}  // namespace yoke::study
