#include "yoke/data/datasets/pickled_batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/datasets/in_memory.h"
#include "yoke/data/formats/gzip.h"
#include "yoke/data/formats/pickle.h"

namespace yoke {
namespace {

constexpr std::int64_t kMostPickleBytes = std::int64_t{1} << 32;

}  // namespace

void append_pickled_batch(const std::filesystem::path& path, const ImageShape& shape,
                          std::int64_t classes, const PickledLabels& where, ImageBatch& batch) {
  const Pickle pickle(read_plain_or_gzip(path, kMostPickleBytes), path.string());
  const PickleValue data = pickle.root().at("data");
  const PickleArray& array = data.array();
  if (array.kind != 'u' || array.item_bytes != 1 || array.shape.size() != 2 ||
      array.shape[1] != shape.elements()) {
    throw Error(fmt::format(
        "{}: an array '{}{}' of shape [{}] found, 'u1' of shape [N, {}] expected", path.string(),
        array.kind, array.item_bytes, fmt::join(array.shape, ", "), shape.elements()));
  }
  auto labels = pickle.root().at(where.key).integers();
  if (std::cmp_not_equal(labels.size(), array.shape[0])) {
    throw Error(fmt::format("{} has {} labels for {} images", path.string(), labels.size(),
                            array.shape[0]));
  }
  for (auto& label : labels) {
    if (__builtin_sub_overflow(label, where.first, &label)) label = -1;
  }
  check_labels(labels, classes, path.string());
  batch.pixels.insert(batch.pixels.end(), array.bytes.begin(), array.bytes.end());
  batch.labels.insert(batch.labels.end(), labels.begin(), labels.end());
}

}  // namespace yoke
