// yoke/study/report/photo_sheet.h: pictures with what a model says of them, as a part of a page.
#pragma once
#include <string>
#include <vector>

namespace yoke::study {

/// A picture and its labels.
struct SheetPhoto {
  std::string name;                 ///< Its file.
  std::vector<std::string> labels;  ///< A line each, the likeliest first.
  bool wrong = false;               ///< Whether the likeliest is not its class.
  std::string known;                ///< What its class is known by, e.g. `its folder: cat`.
  std::string jpeg;                 ///< A JPEG file in base64.
};

/// The style sheet, in CSS, of what photo_sheet() makes.
extern const char* const kPhotoSheetStyle;

/// `photos` in their order, as HTML: the mistakes under `wrong`, the others under a heading that
/// says that the least certain come first. Nothing of the network is needed to show it.
std::string photo_sheet(const std::vector<SheetPhoto>& photos, const std::string& wrong);

}  // namespace yoke::study
