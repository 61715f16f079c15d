#include "apps/yoke/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/base64.h"
#include "yoke/core/format.h"
#include "yoke/study/report/html.h"

namespace yoke {
namespace {

using study::html_text;

constexpr const char* kSheetStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.4 Helvetica, Arial, sans-serif; color: #1a1a1a; background: #fff;
       margin: 1.5rem; }
h1 { font-size: 1.4rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.1rem; margin-top: 1.8rem; border-bottom: 1px solid #bbb; }
.sheet { display: flex; flex-wrap: wrap; gap: 0.8rem; }
figure { margin: 0; width: 11rem; break-inside: avoid; }
img { width: 11rem; height: 11rem; object-fit: contain; background: #eee; display: block; }
figcaption { font-size: 0.8rem; overflow-wrap: anywhere; }
.wrong img { outline: 3px solid #c0392b; outline-offset: -3px; }
.name { color: #555; }
)";

bool is_wrong(const LabelledPhoto& photo) {
  return !photo.labels.empty() && !photo.folder.empty() &&
         photo.labels.front().name != photo.folder;
}

double certainty(const LabelledPhoto& photo) { return photo.labels.front().probability; }

std::string figure(const LabelledPhoto& photo, const std::vector<std::uint8_t>& jpeg) {
  std::string labels;
  for (const auto& label : photo.labels) {
    labels += fmt::format("{}{} {:.1f} %", labels.empty() ? "<b>" : "<br>", html_text(label.name),
                          100 * label.probability);
    if (&label == &photo.labels.front()) labels += "</b>";
  }
  const bool wrong = is_wrong(photo);
  return fmt::format(
      "<figure{}><img src=\"data:image/jpeg;base64,{}\" alt=\"{}\" loading=\"lazy\">\n"
      "<figcaption>{}{}<br><span class=\"name\">{}</span></figcaption></figure>\n",
      wrong ? " class=\"wrong\"" : "", base64(jpeg), html_text(photo.name), labels,
      wrong ? fmt::format("<br>its folder: {}", html_text(photo.folder)) : "",
      html_text(photo.name));
}

/// How many photos there were, and how many of them were right.
std::string totals(const std::vector<LabelledPhoto>& photos, std::size_t shown) {
  std::int64_t known = 0, wrong = 0, damaged = 0;
  for (const auto& photo : photos) {
    known += photo.folder.empty() || photo.labels.empty() ? 0 : 1;
    wrong += is_wrong(photo) ? 1 : 0;
    damaged += photo.labels.empty() ? 1 : 0;
  }
  std::string text = format_count(static_cast<std::int64_t>(photos.size()), "photo");
  if (known > 0) {
    text +=
        fmt::format("; {} of {} right by the names of their folders ({:.2f} %)", known - wrong,
                    known, 100 * static_cast<double>(known - wrong) / static_cast<double>(known));
  }
  if (damaged > 0) text += fmt::format("; {} could not be read", damaged);
  if (shown + static_cast<std::size_t>(damaged) < photos.size()) {
    text += fmt::format("; the {} most worth a look are shown", shown);
  }
  return text + ".";
}

}  // namespace

std::vector<std::size_t> worth_a_look(const std::vector<LabelledPhoto>& photos) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < photos.size(); ++i) {
    if (!photos[i].labels.empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto &one = photos[a], &other = photos[b];
    if (is_wrong(one) != is_wrong(other)) return is_wrong(one);
    return is_wrong(one) ? certainty(one) > certainty(other) : certainty(one) < certainty(other);
  });
  return order;
}

std::string contact_sheet(
    const std::string& title, const std::vector<LabelledPhoto>& photos,
    const std::function<std::vector<std::uint8_t>(std::size_t index)>& thumbnail) {
  auto order = worth_a_look(photos);
  order.resize(std::min(order.size(), kMostOnSheet));
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{2}</p>\n",
      html_text(title), kSheetStyle, html_text(totals(photos, order.size())));
  const char* part = "";
  for (const std::size_t i : order) {
    const char* const own = is_wrong(photos[i]) ? "Not the class of their folder, the surest first"
                                                : "The least certain first";
    if (part != own) {
      html += fmt::format("{}<h2>{}</h2>\n<div class=\"sheet\">\n", *part == '\0' ? "" : "</div>\n",
                          own);
      part = own;
    }
    html += figure(photos[i], thumbnail(i));
  }
  return html + (order.empty() ? "" : "</div>\n") + "</body>\n</html>\n";
}

}  // namespace yoke
