#include "apps/yoke/label_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "yoke/core/format.h"
#include "yoke/core/system/exit_status.h"

namespace yoke {

LabelOutput::LabelOutput(LabelForm form, std::size_t top, const PhotoFiles& files)
    : form_(form), top_(top) {
  for (std::int64_t i = 0; i < files.size(); ++i) width_ = std::max(width_, files.name(i).size());
  if (form == LabelForm::kCsv) fmt::print("{}\n", csv_header(top));
}

void LabelOutput::add(const LabelledPhoto& photo) {
  ++photos_;
  if (photo.labels.empty()) {
    ++damaged_;
    fmt::print(stderr, "yoke: {} is left out: {}\n", photo.name, photo.problem);
  } else if (!photo.folder.empty()) {
    ++known_;
    if (photo.labels.front().name == photo.folder) ++right_;
  }
  print(photo);
}

void LabelOutput::print(const LabelledPhoto& photo) const {
  if (form_ == LabelForm::kJson) {
    fmt::print("{}\n", json_line(photo));
  } else if (form_ == LabelForm::kCsv) {
    fmt::print("{}\n", csv_line(photo, top_));
  } else if (!photo.labels.empty()) {
    fmt::print("{}\n", table_line(photo, width_));
  }
}

int LabelOutput::finish(double seconds) const {
  if (form_ == LabelForm::kTable) {
    fmt::print("\n{} in {:.1f} s, {:.0f} images/s\n", format_count(photos_, "photo"), seconds,
               static_cast<double>(photos_) / seconds);
  }
  if (form_ == LabelForm::kTable && known_ > 0) {
    fmt::print("right by the names of their folders: {} of {} ({:.2f} %)\n", right_, known_,
               100 * static_cast<double>(right_) / static_cast<double>(known_));
  }
  if (damaged_ == 0) return 0;
  fmt::print(stderr, "yoke: {} of {} could not be read and were left out\n", damaged_,
             format_count(photos_, "photo"));
  return kFailed;
}

}  // namespace yoke
