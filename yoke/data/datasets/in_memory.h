// yoke/data/datasets/in_memory.h: a data set whose images are one block of memory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/data/dataset.h"

namespace yoke {

/// Pixels, and what keeps them in memory.
struct PixelBlock {
  std::span<const std::uint8_t> bytes;
  std::shared_ptr<const void> owner;
};

/// Images [N, C, H, W] in one block, and their classes [N].
class InMemoryDataset final : public Dataset {
 public:
  /// @throws Error when the sizes do not fit together or a label is not in [0, classes).
  InMemoryDataset(DatasetInfo info, PixelBlock pixels, std::vector<std::int64_t> labels);
  InMemoryDataset(DatasetInfo info, std::vector<std::uint8_t> pixels,
                  std::vector<std::int64_t> labels);

  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  std::string name(std::int64_t index) const override;
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override;

 private:
  DatasetInfo info_;
  PixelBlock pixels_;
  std::vector<std::int64_t> labels_;
};

/// `source`, e.g. a file, names where the labels are from.
/// @throws Error that names the first label not in [0, classes) and its place.
void check_labels(std::span<const std::int64_t> labels, std::int64_t classes,
                  std::string_view source);

}  // namespace yoke
