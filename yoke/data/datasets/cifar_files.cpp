#include "yoke/data/datasets/cifar_files.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/data/datasets/in_memory.h"
#include "yoke/data/datasets/pickled_batch.h"
#include "yoke/data/formats/gzip.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostBinaryBytes = std::int64_t{1} << 30;

/// Records of labels and the red, green and blue plane.
void append_binary(const fs::path& path, const DatasetInfo& info, std::size_t label_bytes,
                   ImageBatch& batch) {
  const std::string bytes = read_plain_or_gzip(path, kMostBinaryBytes);
  const auto elements = static_cast<std::size_t>(info.image.elements());
  const std::size_t record = label_bytes + elements;
  if (bytes.empty() || bytes.size() % record != 0) {
    throw Error(
        fmt::format("{} has {} bytes, no whole number of records of {}; it is cut short or "
                    "no file of {}",
                    path.string(), bytes.size(), record, info.name));
  }
  std::vector<std::int64_t> labels;
  batch.pixels.reserve(batch.pixels.size() + bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    labels.push_back(static_cast<unsigned char>(bytes[at + label_bytes - 1]));
    const auto image = std::string_view(bytes).substr(at + label_bytes, elements);
    batch.pixels.insert(batch.pixels.end(), image.begin(), image.end());
  }
  check_labels(labels, info.classes(), path.string());
  batch.labels.insert(batch.labels.end(), labels.begin(), labels.end());
}

}  // namespace

DatasetSplits read_cifar(const DatasetInput& input, const DatasetInfo& info,
                         const CifarFiles& files) {
  const std::vector<DatasetLayout> layouts = {files.binary, files.pickled};
  const auto found = locate(info.name, layouts, input.data_dir);
  const auto read = [&](std::span<const fs::path> paths) {
    ImageBatch batch;
    for (const auto& path : paths) {
      if (found.layout == 0) {
        append_binary(path, info, files.label_bytes, batch);
      } else {
        append_pickled_batch(path, info.image, info.classes(), {.key = files.labels, .first = 0},
                             batch);
      }
    }
    return std::make_shared<InMemoryDataset>(info, std::move(batch.pixels),
                                             std::move(batch.labels));
  };
  const std::span<const fs::path> paths = found.paths;
  return {.train = read(paths.first(paths.size() - 1)), .validation = read(paths.last(1))};
}

}  // namespace yoke
