// yoke/study/report/text_pages.h: the text and tables of a report as pages of lines, for a PDF.
#pragma once
#include <string>
#include <vector>

#include "yoke/study/report/document.h"

namespace yoke::study {

/// `text` in lines of at most `width` letters, broken between words where there are some; lines
/// after the first begin with `indent`.
std::vector<std::string> wrap(const std::string& text, std::size_t width,
                              const std::string& indent = "");

/// Title, sentences and tables; graphs are left out.
std::vector<std::vector<std::string>> text_pages(const Document& document,
                                                 const std::string& footer);

}  // namespace yoke::study
