// yoke/study/report/html.h: a report as one page that needs nothing else.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "yoke/study/report/document.h"

namespace yoke::study {

/// `text` with the letters that mean something in HTML written out.
std::string html_text(std::string_view text);

/// The page. `drawings` are the figures of `document` in their order, as SVG; `head` goes into its
/// head as it is.
std::string html_page(const Document& document, const std::vector<std::string>& drawings,
                      const std::string& footer, const std::string& head = "");

}  // namespace yoke::study
