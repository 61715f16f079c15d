#include "yoke/data/datasets/split_cache.h"

#include <fmt/format.h>

#include <cstring>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/mapped_file.h"
#include "yoke/data/datasets/cache_file.h"
#include "yoke/data/datasets/in_memory.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

std::string fingerprint(std::span<const fs::path> files) {
  Checksum sum("sha256");
  for (const auto& file : files) {
    const std::string line =
        fmt::format("{} {} {}\n", fs::absolute(file).string(), fs::file_size(file),
                    fs::last_write_time(file).time_since_epoch().count());
    sum.update(std::as_bytes(std::span(line)));
  }
  return sum.finish();
}

void write_split(FileDescriptor& out, std::span<const fs::path> files, const ReadImages& read) {
  std::vector<std::int64_t> labels;
  for (const auto& file : files) {
    ImageBatch batch;
    read(file, batch);
    out.write(std::as_bytes(std::span(batch.pixels)));
    labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
  }
  out.write(std::as_bytes(std::span(labels)));
}

}  // namespace

std::shared_ptr<const Dataset> cached_split(const fs::path& cache, std::span<const fs::path> files,
                                            const DatasetInfo& info, const ReadImages& read) {
  const fs::path path = cache / fmt::format("{}-{}.split", info.image.str(), fingerprint(files));
  make_cache_file(path,
                  [&](FileDescriptor& file, const fs::path&) { write_split(file, files, read); });
  const auto mapped = std::make_shared<const MappedFile>(path);
  const std::span<const std::uint8_t> bytes = mapped->bytes();
  const auto elements = static_cast<std::size_t>(info.image.elements());
  const std::size_t images = bytes.size() / (elements + sizeof(std::int64_t));
  if (images * (elements + sizeof(std::int64_t)) != bytes.size()) {
    throw Error(
        fmt::format("the cache of images {} has {} bytes, no whole number of images of {}; "
                    "remove it",
                    path.string(), bytes.size(), info.image.str()));
  }
  std::vector<std::int64_t> labels(images);
  std::memcpy(labels.data(), bytes.data() + images * elements, images * sizeof(std::int64_t));
  check_labels(labels, info.classes(), path.string());
  return std::make_shared<InMemoryDataset>(
      info, PixelBlock{.bytes = bytes.first(images * elements), .owner = mapped},
      std::move(labels));
}

}  // namespace yoke
