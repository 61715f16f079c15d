#include "yoke/train/epoch_pace.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/format.h"

namespace yoke {

void EpochPace::add(double compute, double data_wait, double communication) {
  compute_ += compute;
  data_wait_ += data_wait;
  communication_ += communication;
}

std::optional<std::string> EpochPace::compare(Communicator& communicator) {
  if (communicator.size() == 1) return std::nullopt;
  const std::int64_t bytes = communicator.traffic().bytes;
  const auto own = torch::tensor({compute_ + data_wait_, communication_}, torch::kFloat64);
  const auto all = torch::empty({communicator.size() * own.numel()}, torch::kFloat64);
  communicator.all_gather(own, all);
  const auto table = all.view({communicator.size(), own.numel()});
  const auto busy = table.select(1, 0), waited = table.select(1, 1);
  const auto slowest = busy.argmax().item<std::int64_t>();
  const Peer& peer = communicator.group().peers[static_cast<std::size_t>(slowest)];
  std::string text = fmt::format(
      "pace       rank {} on {} was slowest: {:.2f} s of its own work, the median {:.2f} s; ranks "
      "waited {:.2f} to {:.2f} s for each other; {} of tensors went over each",
      peer.rank, peer.host, busy[slowest].item<double>(), busy.median().item<double>(),
      waited.min().item<double>(), waited.max().item<double>(),
      format_bytes(bytes - bytes_before_));
  bytes_before_ = bytes;
  compute_ = data_wait_ = communication_ = 0;
  if (communicator.rank() != 0) return std::nullopt;
  return text;
}

}  // namespace yoke
