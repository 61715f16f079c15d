// apps/yoke/label_lines.h: how `yoke classify` writes what it found, a line for each photo.
#pragma once
#include <string>
#include <vector>

#include "yoke/classify/classifier.h"

namespace yoke {

/// A photo that was looked at.
struct LabelledPhoto {
  std::string name;
  std::string folder;         ///< The class that its folder names; empty where it is none.
  std::vector<Label> labels;  ///< The likeliest first; empty where it could not be decoded.
  std::string problem;        ///< Why, then.
};

/// For people, of a photo that was decoded: its name in a column of `width` letters, then classes
/// with percentages.
std::string table_line(const LabelledPhoto& photo, std::size_t width);

/// `{"path", "label", "probability", "top": [{"label", "probability"}, ...], "folder"}`, or
/// `{"path", "error"}`.
std::string json_line(const LabelledPhoto& photo);

/// `path,folder,error,label1,probability1,...` for `top` classes.
std::string csv_header(std::size_t top);
std::string csv_line(const LabelledPhoto& photo, std::size_t top);

}  // namespace yoke
