#include "yoke/comm/shared/in_place.h"

#include <cstring>

#include "yoke/comm/shared/span.h"
#include "yoke/comm/shared/sum.h"

namespace yoke::shared {
namespace {

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

}  // namespace

// In all of these the first meeting says that every rank's tensor is there, the second that it
// may be written again.

void all_reduce_in_place(SharedRegion& region, const torch::Tensor& tensor, const Places& places) {
  const Span own = part_of({0, tensor.nbytes()}, region.rank(), region.size());
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> targets = {places[index(region.rank())] + own.begin};
  for (int rank = 0; rank < region.size(); ++rank) {
    sources.push_back(places[index(rank)] + own.begin);
    if (rank != region.rank()) targets.push_back(places[index(rank)] + own.begin);
  }
  region.barrier();
  sum(tensor.scalar_type(), sources, elements(tensor, own), targets);
  region.barrier();
}

void reduce_scatter_in_place(SharedRegion& region, const Places& places,
                             const torch::Tensor& output) {
  std::vector<const std::byte*> sources;
  for (std::byte* const place : places) {
    sources.push_back(place + index(region.rank()) * output.nbytes());
  }
  region.barrier();
  sum(output.scalar_type(), sources, output.numel(), {bytes_of(output)});
  region.barrier();
}

void all_gather_in_place(SharedRegion& region, const torch::Tensor& input,
                         const torch::Tensor& output, const Places& places) {
  const std::size_t part = input.nbytes();
  std::byte* const own = bytes_of(output) + index(region.rank()) * part;
  if (own != bytes_of(input)) std::memcpy(own, bytes_of(input), part);
  region.barrier();
  for (int rank = 0; rank < region.size(); ++rank) {
    const std::size_t begin = index(rank) * part;
    if (rank == region.rank()) continue;
    std::memcpy(bytes_of(output) + begin, places[index(rank)] + begin, part);
  }
  region.barrier();
}

}  // namespace yoke::shared
