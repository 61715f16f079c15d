#include "yoke/data/datasets/subset.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "yoke/data/statistics.h"

namespace yoke {
namespace {

class Subset final : public Dataset {
 public:
  Subset(std::shared_ptr<const Dataset> dataset, std::vector<std::int64_t> images)
      : dataset_(std::move(dataset)), images_(std::move(images)) {}

  const DatasetInfo& info() const override { return dataset_->info(); }
  std::int64_t size() const override { return static_cast<std::int64_t>(images_.size()); }
  std::int64_t label(std::int64_t index) const override { return dataset_->label(image(index)); }
  std::string name(std::int64_t index) const override { return dataset_->name(image(index)); }
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override {
    return dataset_->pixels(image(index), scratch);
  }
  std::span<const std::uint8_t> drawn_pixels(std::int64_t index, RandomStream& random,
                                             std::vector<std::uint8_t>& scratch) const override {
    return dataset_->drawn_pixels(image(index), random, scratch);
  }
  bool draws() const override { return dataset_->draws(); }
  std::shared_ptr<const Dataset> decoded_to(std::int64_t height,
                                            std::int64_t width) const override {
    auto dataset = dataset_->decoded_to(height, width);
    return dataset ? std::make_shared<Subset>(std::move(dataset), images_) : nullptr;
  }

 private:
  std::int64_t image(std::int64_t index) const { return images_[static_cast<std::size_t>(index)]; }

  std::shared_ptr<const Dataset> dataset_;
  std::vector<std::int64_t> images_;  // Of dataset_, ascending.
};

/// How many images of each of `classes` classes a long tail has at most, if the first has `most`.
std::vector<std::int64_t> tail_sizes(std::size_t classes, std::int64_t most, double imbalance) {
  const double factor =
      classes > 1 ? std::pow(imbalance, -1.0 / static_cast<double>(classes - 1)) : 1.0;
  std::vector<std::int64_t> sizes(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    const double size = static_cast<double>(most) * std::pow(factor, static_cast<double>(c));
    sizes[c] = std::max<std::int64_t>(1, std::llround(size));
  }
  return sizes;
}

/// How many of `count` images each class has, in proportion to `counts`: rounded down, and one more
/// for those of which most is left (Hamilton's method), the first of equals.
std::vector<std::int64_t> shares(const std::vector<std::int64_t>& counts, std::int64_t count) {
  const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  std::vector<std::int64_t> found, order(counts.size());
  for (const std::int64_t images : counts) found.push_back(images * count / all);
  std::iota(order.begin(), order.end(), 0);
  const auto left = [&](std::int64_t c) {
    return counts[static_cast<std::size_t>(c)] * count % all;
  };
  std::ranges::stable_sort(order, std::greater(), left);
  const std::int64_t missing = count - std::accumulate(found.begin(), found.end(), std::int64_t{0});
  for (std::int64_t i = 0; i < missing; ++i)
    ++found[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  return found;
}

/// Of each class the first so many images of `dataset`.
std::shared_ptr<const Dataset> first_of_classes(std::shared_ptr<const Dataset> dataset,
                                                std::vector<std::int64_t> sizes) {
  std::vector<std::int64_t> images;
  for (std::int64_t i = 0; i < dataset->size(); ++i)
    if (sizes[static_cast<std::size_t>(dataset->label(i))]-- > 0) images.push_back(i);
  return std::make_shared<Subset>(std::move(dataset), std::move(images));
}

}  // namespace

std::shared_ptr<const Dataset> limited(std::shared_ptr<const Dataset> dataset, std::int64_t count) {
  if (count >= dataset->size()) return dataset;
  std::vector<std::int64_t> sizes = shares(class_counts(*dataset), count);
  return first_of_classes(std::move(dataset), std::move(sizes));
}

std::shared_ptr<const Dataset> long_tailed(std::shared_ptr<const Dataset> dataset,
                                           double imbalance) {
  if (imbalance == 1 || dataset->size() == 0) return dataset;
  const std::vector<std::int64_t> counts = class_counts(*dataset);
  return first_of_classes(std::move(dataset),
                          tail_sizes(counts.size(), *std::ranges::max_element(counts), imbalance));
}

}  // namespace yoke
