#include "yoke/data/datasets/image_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/system/parallel_for.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSplits = {
    {{"train", "train"},
     {"val", "val"},
     {"valid", "val"},
     {"validation", "val"},
     {"test", "test"}}};

std::string split_of_shard(std::string_view shard) {
  return split_of(shard.substr(0, shard.find_first_of("-_.0123456789")));
}

bool is_image_name(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  std::string ending(name.substr(dot));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

bool is_hidden(std::string_view name) { return name.starts_with('.'); }

/// The folders of the path `name`, without those that are none, such as `.`.
std::vector<std::string> folders_of(std::string_view name) {
  std::vector<std::string> folders;
  for (std::size_t slash = 0; (slash = name.find('/')) != std::string_view::npos;) {
    const auto folder = name.substr(0, slash);
    if (!folder.empty() && folder != ".") folders.emplace_back(folder);
    name.remove_prefix(slash + 1);
  }
  return folders;
}

bool is_wanted(std::string_view name) {
  return is_image_name(name) && !is_hidden(name.substr(name.rfind('/') + 1));
}

/// An image file, before it is known which of its folders is its class.
struct Candidate {
  std::vector<std::string> folders;  // below the root, outermost first
  std::string shard;
  ImagePlace place;
};

/// Takes away outermost folders that all images are in, as of `tar -cf photos.tar photos`.
void drop_common_folders(std::vector<Candidate>& candidates) {
  if (candidates.empty()) return;
  const auto inside = [](const Candidate& candidate, const std::string& outermost) {
    return candidate.folders.size() >= 2 && candidate.folders.front() == outermost;
  };
  while (!candidates.front().folders.empty()) {
    const std::string outermost = candidates.front().folders.front();
    const bool common =
        split_of(outermost).empty() &&
        std::all_of(candidates.begin(), candidates.end(),
                    [&](const Candidate& candidate) { return inside(candidate, outermost); });
    if (!common) return;
    for (auto& candidate : candidates) candidate.folders.erase(candidate.folders.begin());
  }
}

class Search {
 public:
  explicit Search(fs::path root) : root_(std::move(root)) {}

  struct Result {
    std::vector<FoundImage> images;
    std::vector<std::unique_ptr<const TarFile>> archives;
    std::vector<std::string> empty_folders;
  };

  Result run() {
    if (fs::is_directory(root_)) {
      std::vector<std::string> folders;
      walk(root_, folders);
    } else {
      shards_.push_back({.path = root_, .folders = {}});
    }
    read_shards();
    drop_common_folders(candidates_);
    for (Candidate& candidate : candidates_) {
      FoundImage image = classify(candidate.folders, candidate.shard);
      image.place = std::move(candidate.place);
      found_.images.push_back(std::move(image));
    }
    std::sort(found_.empty_folders.begin(), found_.empty_folders.end());
    return std::move(found_);
  }

 private:
  struct Shard {
    fs::path path;
    std::vector<std::string> folders;  // above it, below the root
  };

  /// Returns whether there are images, or files that may hold some.
  bool walk(const fs::path& folder, std::vector<std::string>& folders) {
    constexpr std::size_t kDeepest = 16;  // links can lead in circles
    if (folders.size() > kDeepest) {
      throw Error(fmt::format("{} lies more than {} folders deep in {}", folder.string(), kDeepest,
                              root_.string()));
    }
    bool any = false;
    std::vector<std::string> empty;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (is_hidden(name)) continue;
      if (entry.is_directory()) {
        folders.push_back(name);
        const bool some = walk(entry.path(), folders);
        folders.pop_back();
        if (!some) empty.push_back(entry.path().lexically_relative(root_).string());
        any = any || some;
      } else if (is_image_name(name)) {
        any = true;
        candidates_.push_back({.folders = folders,
                               .shard = "",
                               .place = {.name = entry.path().lexically_relative(root_).string()}});
      } else if (is_tar_name(name)) {
        any = true;
        shards_.push_back({.path = entry.path(), .folders = folders});
      }
    }
    if (any) found_.empty_folders.insert(found_.empty_folders.end(), empty.begin(), empty.end());
    return any;
  }

  void read_shards() {
    const auto by_path = [](const Shard& a, const Shard& b) { return a.path < b.path; };
    std::sort(shards_.begin(), shards_.end(), by_path);
    found_.archives.resize(shards_.size());
    parallel_for(static_cast<std::int64_t>(shards_.size()),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (auto i = static_cast<std::size_t>(begin); std::cmp_less(i, end); ++i) {
                     found_.archives[i] = std::make_unique<TarFile>(shards_[i].path, is_wanted);
                   }
                 });
    for (std::size_t i = 0; i < shards_.size(); ++i) take_entries(i);
  }

  void take_entries(std::size_t number) {
    const Shard& shard = shards_[number];
    const std::string file = shard.path.filename().string();
    const std::string stem = file.substr(0, file.find('.'));
    for (const auto& entry : found_.archives[number]->entries()) {
      std::vector<std::string> folders = shard.folders;
      const auto inner = folders_of(entry.name);
      folders.insert(folders.end(), inner.begin(), inner.end());
      const fs::path above = shard.path.lexically_relative(root_);
      candidates_.push_back(
          {.folders = std::move(folders),
           .shard = stem,
           .place = {.name = ((above == "." ? fs::path(file) : above) / entry.name).string(),
                     .archive = static_cast<std::int32_t>(number),
                     .offset = entry.offset,
                     .size_bytes = entry.size_bytes}});
    }
  }

  fs::path root_;
  std::vector<Shard> shards_;
  std::vector<Candidate> candidates_;
  Result found_;
};

Search::Result search(const fs::path& root) {
  try {
    return Search(root).run();
  } catch (const fs::filesystem_error& failure) {
    throw Error(
        fmt::format("cannot search {}: {}: {}; let yourself read it, or move it out of the folder",
                    root.string(), failure.path1().string(), failure.code().message()));
  }
}

/// Else images would be there twice.
void check_apart(const std::vector<fs::path>& roots) {
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (std::size_t j = 0; j < roots.size(); ++j) {
      const fs::path below =
          fs::weakly_canonical(roots[j]).lexically_relative(fs::weakly_canonical(roots[i]));
      if (i == j || below.empty() || *below.begin() == "..") continue;
      throw UsageError(
          fmt::format("{} is in {}, so its images would be there twice; give one of "
                      "them",
                      roots[j].string(), roots[i].string()));
    }
  }
}

}  // namespace

std::string split_of(std::string_view name) {
  const auto* const found = std::find_if(kSplits.begin(), kSplits.end(),
                                         [&](const auto& split) { return split.first == name; });
  return found == kSplits.end() ? "" : std::string(found->second);
}

FoundImages find_images(const fs::path& root) {
  auto found = search(root);
  return {.images = std::move(found.images),
          .store = ImageStore(root, std::move(found.archives)),
          .empty_folders = std::move(found.empty_folders)};
}

FoundImages find_images(const std::vector<fs::path>& roots) {
  if (roots.size() == 1) return find_images(roots.front());
  check_apart(roots);
  FoundImages all;
  std::vector<std::unique_ptr<const TarFile>> archives;
  for (const auto& root : roots) {
    auto found = search(root);
    const fs::path above = fs::is_directory(root) ? root : root.parent_path();
    for (auto& image : found.images) {
      image.place.name = (above / image.place.name).string();
      if (image.place.archive >= 0)
        image.place.archive += static_cast<std::int32_t>(archives.size());
      all.images.push_back(std::move(image));
    }
    std::move(found.archives.begin(), found.archives.end(), std::back_inserter(archives));
    for (const auto& folder : found.empty_folders) {
      all.empty_folders.push_back((root / folder).string());
    }
  }
  all.store = ImageStore("", std::move(archives));
  return all;
}

FoundImage classify(std::span<const std::string> folders, std::string_view shard) {
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string split = split_of(folders[i]);
    if (split.empty()) continue;
    if (i + 1 < folders.size()) return {.split = split, .label = folders[i + 1], .place = {}};
    if (!shard.empty()) return {.split = split, .label = std::string(shard), .place = {}};
  }
  if (folders.empty()) return {.split = "", .label = std::string(shard), .place = {}};
  return {.split = split_of_shard(shard),
          .label = folders.front(),
          .place = {},
          .folder_split = split_of(folders.back())};
}

}  // namespace yoke
