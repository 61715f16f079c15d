#include "yoke/core/batch.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {

std::vector<torch::Tensor*> Batch::tensors() {
  std::vector<torch::Tensor*> defined;
  for (torch::Tensor* each : {&input, &target, &other_target, &other_share}) {
    if (each->defined()) defined.push_back(each);
  }
  return defined;
}

Batch Batch::alone() const {
  Batch batch = *this;
  batch.step_images = size() == 0 ? step_images : -1;
  return batch;
}

Batch Batch::slice(std::int64_t begin, std::int64_t end) const {
  Batch part = *this;
  for (torch::Tensor* each : part.tensors()) *each = each->slice(0, begin, end);
  part.first_image = first_image + begin;
  part.step_images = whole();
  return part;
}

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
