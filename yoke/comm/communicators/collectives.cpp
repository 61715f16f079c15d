#include "yoke/comm/communicators/collectives.h"

#include <algorithm>

namespace yoke {

void Collectives::all_reduce_by_parts(const torch::Tensor& tensor, int ranks) {
  constexpr std::int64_t kAtOnce = 512 << 10;  // numbers, of which there is a copy meanwhile
  const torch::Tensor flat = tensor.view(-1);
  for (std::int64_t begin = 0; begin < flat.numel(); begin += kAtOnce) {
    all_reduce_slice(flat.narrow(0, begin, std::min(kAtOnce, flat.numel() - begin)), ranks);
  }
}

void Collectives::all_reduce_slice(torch::Tensor slice, int ranks) {
  const std::int64_t part = (slice.numel() + ranks - 1) / ranks;
  const bool fits = part * ranks == slice.numel();
  const auto all = fits ? slice : torch::zeros({part * ranks}, slice.options());
  if (!fits) all.narrow(0, 0, slice.numel()).copy_(slice);
  const auto sum = torch::empty({part}, slice.options());
  reduce_scatter(all, sum);
  all_gather(sum, all);
  if (!fits) slice.copy_(all.narrow(0, 0, slice.numel()));
}

}  // namespace yoke
