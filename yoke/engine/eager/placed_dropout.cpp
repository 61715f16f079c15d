#include "yoke/engine/eager/placed_dropout.h"

namespace yoke {

torch::Tensor PlacedDropout::draw(const torch::Tensor& input, Unit unit, double p) {
  std::vector<std::int64_t> shape = mask_shape(input, unit);
  const bool by_image = !shape.empty() && shape.front() % part_.size() == 0;
  const std::int64_t rows = by_image ? shape.front() / part_.size() : 0;  // of an image
  if (by_image) shape.front() = rows * part_.whole;
  torch::Tensor all = torch::empty(shape, input.options());
  if (input.is_cuda() && unit == Unit::kElement) {  // as LibTorch does there
    all = std::get<1>(torch::native_dropout(all, p, true)).to(input.scalar_type());
  } else {
    all.bernoulli_(1 - p);
  }
  if (!by_image || part_.size() == part_.whole) return all;
  return all.narrow(0, rows * part_.begin, rows * part_.size()).clone();  // lets the rest go
}

}  // namespace yoke
