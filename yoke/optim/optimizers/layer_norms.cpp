#include "yoke/optim/optimizers/layer_norms.h"

#include "yoke/optim/optimizers/slice_dots.h"

namespace yoke {

std::vector<LayerNorms> layer_norms(const Shard& shard, const torch::Tensor& first,
                                    const torch::Tensor& second) {
  const auto& slices = shard.parameters.slices();
  const torch::Tensor squares =
      torch::stack({slice_dots(slices, first, first), slice_dots(slices, second, second)});
  if (shard.sum) shard.sum(squares);
  const torch::Tensor roots = squares.sqrt().cpu();
  const auto norm = roots.accessor<double, 2>();
  std::vector<LayerNorms> norms(slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto slice = static_cast<std::int64_t>(i);
    norms[i] = {.first = norm[0][slice], .second = norm[1][slice]};
  }
  return norms;
}

bool has_layer_rate(const ParameterSlice& slice) { return slice.shape.size() > 1; }

}  // namespace yoke
