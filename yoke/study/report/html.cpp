#include "yoke/study/report/html.h"

#include <fmt/format.h>

namespace yoke::study {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
body { font: 16px/1.5 Helvetica, Arial, sans-serif; color: #1a1a1a; background: #fff;
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; }
h3 { font-size: 1rem; margin-top: 1.4rem; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #bbb; }
figure { margin: 1.2rem 0; break-inside: avoid; }
figure svg { width: 100%; height: auto; }
figcaption, footer { color: #555; font-size: 0.85rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 1rem 0; }
th, td { border-bottom: 1px solid #ddd; padding: 0.2rem 0.6rem; text-align: left;
         vertical-align: top; overflow-wrap: anywhere; }
th { border-bottom: 1px solid #888; overflow-wrap: normal; }
td.number { text-align: right; white-space: nowrap; }
tr { break-inside: avoid; }
pre { background: #f4f4f4; padding: 0.6rem; font-size: 0.8rem; white-space: pre-wrap;
      overflow-wrap: anywhere; }
@media print { body { max-width: none; margin: 0; font-size: 11pt; } .wide { overflow: visible; }
               h2 { break-after: avoid; } }
)";

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.,-e+") == std::string::npos;
}

std::string html_table(const Table& table) {
  if (table.rows.empty()) return "";
  std::string html = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const auto& name : table.head) html += fmt::format("<th>{}</th>", html_text(name));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const auto& text : row) {
      html +=
          fmt::format("<td{}>{}</td>", is_number(text) ? " class=\"number\"" : "", html_text(text));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_figure(const Figure& figure, const std::string& drawing) {
  return fmt::format(
      "<figure id=\"{0}\" role=\"group\" aria-label=\"{1}\">\n{2}\n<figcaption>{3}</figcaption>\n"
      "</figure>\n",
      html_text(figure.name), html_text(figure.title), drawing, html_text(figure.caption));
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

std::string html_page(const Document& document, const std::vector<std::string>& drawings,
                      const std::string& footer, const std::string& head) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" "
      "href=\"data:,\">\n{}<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n"
      "<h1>{}</h1>\n",
      head, html_text(document.title), kStyle, kPhotoSheetStyle, html_text(document.title));
  std::size_t drawn = 0;
  for (const auto& section : document.sections) {
    html += fmt::format("<section>\n<h2>{}</h2>\n", html_text(section.heading));
    for (const auto& sentence : section.sentences) {
      html += fmt::format("<p>{}</p>\n", html_text(sentence));
    }
    for (const auto& table : section.tables) html += html_table(table);
    for (const auto& figure : section.figures) html += html_figure(figure, drawings.at(drawn++));
    for (const auto& command : section.commands) {
      html += fmt::format("<pre>{}</pre>\n", html_text(command));
    }
    html += photo_sheet(section.photos, "Mistakes, the surest first");
    html += "</section>\n";
  }
  return html + fmt::format("<footer>{}</footer>\n</body>\n</html>\n", html_text(footer));
}

}  // namespace yoke::study
