#include "yoke/parallel/server/roster.h"

#include <algorithm>
#include <iterator>

namespace yoke {

using torch::Tensor;

Tensor agree_on_workers(Communicator& ranks, int servers, std::int64_t workers, Serving* serving,
                        Pushing* pushing) {
  const Tensor alive =
      serving != nullptr ? serving->alive() : torch::empty({workers}, torch::kInt64);
  if (serving == nullptr) {
    pushing->hear(alive);
    return alive;
  }
  if (ranks.rank() == 0) {
    const Tensor theirs = torch::empty_like(alive);
    for (int server = 1; server < servers; ++server) {
      ranks.receive(theirs, server);
      alive.mul_(theirs);
    }
    for (int server = 1; server < servers; ++server) ranks.send(alive, server);
  } else {
    ranks.send(alive, 0);
    ranks.receive(alive, 0);
  }
  serving->keep(alive);
  if (ranks.rank() == 0) serving->tell(alive);
  return alive;
}

std::vector<int> left_of(const std::vector<int>& workers, const Tensor& alive) {
  std::vector<int> left;
  std::copy_if(workers.begin(), workers.end(), std::back_inserter(left),
               [&](int number) { return alive[number].item<std::int64_t>() != 0; });
  return left;
}

}  // namespace yoke
