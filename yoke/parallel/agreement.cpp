#include "yoke/parallel/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// FNV-1a over words of 8 bytes, which is no slower than reading them.
std::int64_t hash(const torch::Tensor& values) {
  const torch::Tensor here = values.cpu();
  const auto* const bytes = static_cast<const unsigned char*>(here.data_ptr());
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t at = 0; at < here.nbytes(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof word, here.nbytes() - at));
    hash = (hash ^ word) * 0x100000001b3;
  }
  return static_cast<std::int64_t>(hash);
}

}  // namespace

void broadcast_model(FlatParameters& parameters, const std::vector<torch::Tensor>& buffers,
                     Communicator& communicator) {
  communicator.broadcast(parameters.values(), 0);
  for (const auto& buffer : buffers) communicator.broadcast(buffer, 0);
}

void average_buffers(const std::vector<torch::Tensor>& buffers, Communicator& communicator,
                     int first) {
  if (communicator.size() == 1) return;
  for (const auto& buffer : buffers) {
    if (!buffer.is_floating_point()) continue;
    if (communicator.rank() < first) buffer.zero_();
    communicator.all_reduce(buffer);
    buffer.div_(communicator.size() - first);
  }
}

void check_agreement(const torch::Tensor& values, Communicator& communicator) {
  const auto own = torch::tensor({hash(values)}, torch::kInt64);
  const auto all = torch::empty({communicator.size()}, torch::kInt64);
  communicator.all_gather(own, all);
  std::vector<int> others;
  for (int rank = 1; rank < communicator.size(); ++rank) {
    if (all[rank].item<std::int64_t>() != all[0].item<std::int64_t>()) others.push_back(rank);
  }
  if (others.empty()) return;
  throw Error(fmt::format(
      "the parameters of rank {} are not those of rank 0: a fault of memory or of the network, or "
      "processors that round differently; --comm check finds the operation",
      fmt::join(others, ", ")));
}

}  // namespace yoke
