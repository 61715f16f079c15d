#include "yoke/classify/photo_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/formats/tar.h"

namespace yoke {

namespace fs = std::filesystem;

void PhotoFiles::add(const fs::path& path) {
  if (!fs::exists(path)) {
    throw UsageError(
        fmt::format("there is no {}; give photos, or folders or tar files of them", path.string()));
  }
  if (fs::is_directory(path) || is_tar_name(path.filename().string())) return add_below(path);
  // A whole path is found below any root.
  if (stores_.empty()) stores_.emplace_back();
  photos_.push_back({.name = path.string(),
                     .folder = "",
                     .store = 0,
                     .place = {.name = fs::absolute(path).string()}});
}

void PhotoFiles::add_below(const fs::path& root) {
  FoundImages found = find_images(root);
  std::sort(found.images.begin(), found.images.end(),
            [](const FoundImage& a, const FoundImage& b) { return a.place.name < b.place.name; });
  const fs::path above = fs::is_directory(root) ? root : root.parent_path();
  stores_.push_back(std::move(found.store));
  for (FoundImage& image : found.images) {
    photos_.push_back({.name = (above / image.place.name).string(),
                       .folder = std::move(image.label),
                       .store = stores_.size() - 1,
                       .place = std::move(image.place)});
  }
}

}  // namespace yoke
