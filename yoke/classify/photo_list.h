// yoke/classify/photo_list.h: photos that nobody has sorted, as a data set to go through once.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "yoke/classify/photo_files.h"
#include "yoke/data/dataset.h"

namespace yoke {

/// The middle parts of photos, decoded when they are asked for. One that cannot be is black, and
/// its problem noted. All labels are 0.
class PhotoList final : public Dataset {
 public:
  /// `data` is as of Classifier::data(); `files` must outlive this.
  PhotoList(const PhotoFiles& files, DatasetInfo data)
      : files_(files), data_(std::move(data)), problems_(static_cast<std::size_t>(files.size())) {}

  /// Why a photo was not decoded; empty where it was, or has not been asked for.
  const std::string& problem(std::int64_t index) const {
    return problems_[static_cast<std::size_t>(index)];
  }

  const DatasetInfo& info() const override { return data_; }
  std::int64_t size() const override { return files_.size(); }
  std::int64_t label(std::int64_t /*index*/) const override { return 0; }
  std::string name(std::int64_t index) const override { return files_.name(index); }
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override;

 private:
  const PhotoFiles& files_;
  DatasetInfo data_;
  mutable std::vector<std::string> problems_;  // each is written by the one thread that decodes it
};

}  // namespace yoke
