#include "yoke/study/report/photo_sheet.h"

#include <fmt/format.h>

#include "yoke/study/report/html.h"

namespace yoke::study {
namespace {

std::string sheet_figure(const SheetPhoto& photo) {
  std::string labels;
  for (std::size_t i = 0; i < photo.labels.size(); ++i) {
    const std::string text = html_text(photo.labels[i]);
    labels += i == 0 ? fmt::format("<b>{}</b>", text) : fmt::format("<br>{}", text);
  }
  return fmt::format(
      "<figure{}><img src=\"data:image/jpeg;base64,{}\" alt=\"{}\" loading=\"lazy\">\n"
      "<figcaption>{}{}<br><span class=\"name\">{}</span></figcaption></figure>\n",
      photo.wrong ? " class=\"wrong\"" : "", html_text(photo.jpeg), html_text(photo.name), labels,
      photo.known.empty() ? "" : fmt::format("<br>{}", html_text(photo.known)),
      html_text(photo.name));
}

}  // namespace

const char* const kPhotoSheetStyle = R"(
.sheet { display: flex; flex-wrap: wrap; gap: 0.8rem; }
.sheet figure { margin: 0; width: 11rem; break-inside: avoid; }
.sheet img { width: 11rem; height: 11rem; object-fit: contain; background: #eee; display: block; }
.sheet figcaption { font-size: 0.8rem; color: inherit; overflow-wrap: anywhere; }
.sheet .wrong img { outline: 3px solid #c0392b; outline-offset: -3px; }
.sheet .name { color: #555; }
)";

std::string photo_sheet(const std::vector<SheetPhoto>& photos, const std::string& wrong) {
  std::string html;
  for (std::size_t i = 0; i < photos.size(); ++i) {
    if (i == 0 || photos[i].wrong != photos[i - 1].wrong) {
      html += fmt::format("{}<h3>{}</h3>\n<div class=\"sheet\">\n", i == 0 ? "" : "</div>\n",
                          html_text(photos[i].wrong ? wrong : "The least certain first"));
    }
    html += sheet_figure(photos[i]);
  }
  return html + (photos.empty() ? "" : "</div>\n");
}

}  // namespace yoke::study
