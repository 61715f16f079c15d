#include "yoke/comm/communicators/collectives.h"

namespace yoke {

void Collectives::all_reduce_by_parts(const torch::Tensor& tensor, int ranks) {
  const std::int64_t part = (tensor.numel() + ranks - 1) / ranks;
  const auto padded = torch::zeros({part * ranks}, tensor.options());
  padded.narrow(0, 0, tensor.numel()).copy_(tensor.view(-1));
  const auto sum = torch::empty({part}, tensor.options());
  reduce_scatter(padded, sum);
  all_gather(sum, padded);
  torch::Tensor(tensor).view(-1).copy_(padded.narrow(0, 0, tensor.numel()));
}

}  // namespace yoke
