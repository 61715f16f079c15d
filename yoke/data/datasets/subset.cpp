#include "yoke/data/datasets/subset.h"

#include <utility>

namespace yoke {
namespace {

class Subset final : public Dataset {
 public:
  Subset(std::shared_ptr<const Dataset> dataset, std::int64_t size)
      : dataset_(std::move(dataset)), size_(size) {}

  const DatasetInfo& info() const override { return dataset_->info(); }
  std::int64_t size() const override { return size_; }
  std::int64_t label(std::int64_t index) const override { return dataset_->label(index); }
  std::string name(std::int64_t index) const override { return dataset_->name(index); }
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override {
    return dataset_->pixels(index, scratch);
  }
  std::span<const std::uint8_t> drawn_pixels(std::int64_t index, RandomStream& random,
                                             std::vector<std::uint8_t>& scratch) const override {
    return dataset_->drawn_pixels(index, random, scratch);
  }
  bool draws() const override { return dataset_->draws(); }
  std::shared_ptr<const Dataset> decoded_to(std::int64_t height,
                                            std::int64_t width) const override {
    auto dataset = dataset_->decoded_to(height, width);
    return dataset ? std::make_shared<Subset>(std::move(dataset), size_) : nullptr;
  }

 private:
  std::shared_ptr<const Dataset> dataset_;
  std::int64_t size_;
};

}  // namespace

std::shared_ptr<const Dataset> first_images(std::shared_ptr<const Dataset> dataset,
                                            std::int64_t count) {
  if (count >= dataset->size()) return dataset;
  return std::make_shared<Subset>(std::move(dataset), count);
}

}  // namespace yoke
