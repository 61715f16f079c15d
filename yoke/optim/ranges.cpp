#include "yoke/optim/ranges.h"

#include <ATen/TensorIterator.h>

namespace yoke {

void for_each_range(const std::vector<torch::Tensor>& vectors, const RangeKernel& kernel) {
  at::TensorIteratorConfig config;
  config.set_check_mem_overlap(false).resize_outputs(false);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    TORCH_CHECK(vectors[i].is_contiguous() && vectors[i].dim() == 1, "flat vectors are contiguous");
    if (i == 0) {
      config.add_output(vectors[i]);
    } else {
      config.add_input(vectors[i]);
    }
  }
  at::TensorIterator iterator = config.build();
  iterator.for_each([&kernel](char** data, const std::int64_t*, std::int64_t size) {
    kernel(reinterpret_cast<float**>(data), size);
  });
}

}  // namespace yoke
