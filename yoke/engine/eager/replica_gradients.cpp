#include "yoke/engine/eager/replica_gradients.h"

namespace yoke {

void add_gradients(const std::vector<torch::Tensor>& replicas, std::int64_t begin,
                   std::int64_t end) {
  const torch::NoGradGuard no_grad;
  auto sum = replicas.front().narrow(0, begin, end - begin);
  for (std::size_t r = 1; r < replicas.size(); ++r) {
    sum.add_(replicas[r].narrow(0, begin, end - begin).to(sum.device(), /*non_blocking=*/true));
  }
}

void GradientHandover::completed(std::int64_t begin, std::int64_t end) {
  {
    const std::lock_guard lock(counting_);
    if (++done_[{begin, end}] < replicas_.size()) return;
  }
  add_gradients(replicas_, begin, end);
  const std::lock_guard lock(telling_);
  ready_(begin, end);
}

}  // namespace yoke
