#include "yoke/core/batch.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {

void check_target(const torch::Tensor& target, std::int64_t classes) {
  const torch::Tensor contiguous = target.contiguous();
  const auto* const labels = contiguous.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < contiguous.numel(); ++i) {
    if (labels[i] >= 0 && labels[i] < classes) continue;
    throw Error(fmt::format("image {} of a batch is of class {}, but the classes are 0 to {}", i,
                            labels[i], classes - 1));
  }
}

}  // namespace yoke
