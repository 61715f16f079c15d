#include "yoke/train/evaluation/views.h"

namespace yoke {
namespace {

torch::Tensor flipped_too(Engine& engine, const torch::Tensor& input) {
  return (engine.predict(input) + engine.predict(input.flip(3))) / 2;
}

/// The images moved by (1 - row, 1 - column) pixels; what comes in repeats the border.
torch::Tensor window(const torch::Tensor& padded, std::int64_t row, std::int64_t column) {
  return padded.slice(2, row, row + padded.size(2) - 2)
      .slice(3, column, column + padded.size(3) - 2)
      .contiguous();
}

torch::Tensor shifted_too(Engine& engine, const torch::Tensor& input) {
  const auto padded = torch::replication_pad2d(input, {1, 1, 1, 1});
  return flipped_too(engine, input) / 2 + flipped_too(engine, window(padded, 0, 0)) / 4 +
         flipped_too(engine, window(padded, 2, 2)) / 4;
}

}  // namespace

torch::Tensor mean_scores(Engine& engine, const torch::Tensor& input, Views views) {
  if (views == Views::kOne) return engine.predict(input);
  return views == Views::kFlip ? flipped_too(engine, input) : shifted_too(engine, input);
}

}  // namespace yoke
