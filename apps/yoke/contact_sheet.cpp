#include "apps/yoke/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yoke/core/base64.h"
#include "yoke/core/format.h"
#include "yoke/run/image_predictions.h"
#include "yoke/study/report/html.h"
#include "yoke/study/report/photo_sheet.h"

namespace yoke {
namespace {

using study::html_text;

constexpr const char* kSheetStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.4 Helvetica, Arial, sans-serif; color: #1a1a1a; background: #fff;
       margin: 1.5rem; }
h1 { font-size: 1.4rem; margin-bottom: 0.2rem; }
h3 { font-size: 1.1rem; margin-top: 1.8rem; border-bottom: 1px solid #bbb; }
)";

bool is_wrong(const LabelledPhoto& photo) {
  return !photo.labels.empty() && !photo.folder.empty() &&
         photo.labels.front().name != photo.folder;
}

Answer answer(const LabelledPhoto& photo) {
  return {.wrong = is_wrong(photo), .probability = photo.labels.front().probability};
}

study::SheetPhoto sheet_photo(const LabelledPhoto& photo, const std::vector<std::uint8_t>& jpeg) {
  std::vector<std::string> labels;
  for (const auto& label : photo.labels) {
    labels.push_back(fmt::format("{} {:.1f} %", label.name, 100 * label.probability));
  }
  const bool wrong = is_wrong(photo);
  return {.name = photo.name,
          .labels = std::move(labels),
          .wrong = wrong,
          .known = wrong ? fmt::format("its folder: {}", photo.folder) : "",
          .jpeg = base64(jpeg)};
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
    return looked_at_before(answer(photos[a]), answer(photos[b]));
  });
  return order;
}

std::string contact_sheet(
    const std::string& title, const std::vector<LabelledPhoto>& photos,
    const std::function<std::vector<std::uint8_t>(std::size_t index)>& thumbnail) {
  auto order = worth_a_look(photos);
  order.resize(std::min(order.size(), kMostOnSheet));
  std::vector<study::SheetPhoto> shown;
  for (const std::size_t i : order) shown.push_back(sheet_photo(photos[i], thumbnail(i)));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>{1}{2}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{3}</p>\n{4}</body>\n</html>\n",
      html_text(title), kSheetStyle, study::kPhotoSheetStyle,
      html_text(totals(photos, order.size())),
      study::photo_sheet(shown, "Not the class of their folder, the surest first"));
}

}  // namespace yoke
