#include "yoke/data/datasets/idx_dataset.h"

#include <fmt/format.h>

#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/datasets/in_memory.h"
#include "yoke/data/formats/gzip.h"
#include "yoke/data/formats/idx.h"
#include "yoke/data/locate.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostIdxBytes = std::int64_t{1} << 30;

std::vector<std::string> spellings(const std::string& split, const std::string& content) {
  const std::string usual = split + "-" + content + "-ubyte";
  const std::string dotted = split + "-" + content.substr(0, content.find('-')) + "." +
                             content.substr(content.find('-') + 1) + "-ubyte";
  return {usual, usual + ".gz", dotted, dotted + ".gz"};
}

std::vector<std::int64_t> read_labels(const fs::path& path, std::int64_t classes) {
  const std::string bytes = read_plain_or_gzip(path, kMostIdxBytes);
  const auto values = parse_idx(bytes, 1, path.string()).values;
  std::vector<std::int64_t> labels(values.begin(), values.end());
  check_labels(labels, classes, path.string());
  return labels;
}

std::shared_ptr<const Dataset> read_split(DatasetInfo info, const fs::path& images_path,
                                          const fs::path& labels_path) {
  const std::string bytes = read_plain_or_gzip(images_path, kMostIdxBytes);
  const IdxArray images = parse_idx(bytes, 3, images_path.string());
  if (images.values.empty()) {
    throw Error(fmt::format("{}: the file holds no images", images_path.string()));
  }
  info.image = {.channels = 1, .height = images.shape[1], .width = images.shape[2]};
  auto labels = read_labels(labels_path, info.classes());
  if (std::cmp_not_equal(labels.size(), images.shape[0])) {
    throw Error(fmt::format("{} has {} labels for the {} images of {}", labels_path.string(),
                            labels.size(), images.shape[0], images_path.string()));
  }
  return std::make_shared<InMemoryDataset>(
      std::move(info), std::vector<std::uint8_t>(images.values.begin(), images.values.end()),
      std::move(labels));
}

}  // namespace

DatasetSplits load_idx_dataset(DatasetInfo info, const fs::path& folder, const fs::path& data_dir) {
  const DatasetLayout layout{
      .folder = folder,
      .files = {spellings("train", "images-idx3"), spellings("train", "labels-idx1"),
                spellings("t10k", "images-idx3"), spellings("t10k", "labels-idx1")}};
  const auto paths = locate(info.name, std::span(&layout, 1), data_dir).paths;
  DatasetSplits splits{.train = read_split(info, paths[0], paths[1]),
                       .validation = read_split(info, paths[2], paths[3]),
                       .augmentation = {}};
  const ImageShape& train = splits.train->info().image;
  const ImageShape& validation = splits.validation->info().image;
  if (train != validation) {
    throw Error(fmt::format("{} has images of {}, {} of {}", paths[0].string(), train.str(),
                            paths[2].string(), validation.str()));
  }
  return splits;
}

}  // namespace yoke
