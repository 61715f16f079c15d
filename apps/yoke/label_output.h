// apps/yoke/label_output.h: what `yoke classify` prints, photo by photo.
#pragma once
#include <cstddef>
#include <cstdint>

#include "apps/yoke/label_lines.h"
#include "yoke/classify/photo_files.h"

namespace yoke {

/// The forms of a line.
enum class LabelForm { kTable, kJson, kCsv };

/// Prints a line for each photo on standard output, and on standard error which were left out.
class LabelOutput {
 public:
  /// `top` is how many labels each has at most; `files` are all that will come.
  LabelOutput(LabelForm form, std::size_t top, const PhotoFiles& files);

  void add(const LabelledPhoto& photo);

  /// Prints what there was in `seconds`, and gives the exit status: whether all were decoded.
  int finish(double seconds) const;

 private:
  void print(const LabelledPhoto& photo) const;

  LabelForm form_;
  std::size_t top_;
  std::size_t width_ = 0;  // of the column of names
  std::int64_t photos_ = 0, damaged_ = 0, known_ = 0, right_ = 0;
};

}  // namespace yoke
