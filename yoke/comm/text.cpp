#include "yoke/comm/text.h"

#include <fmt/format.h>

#include <cstring>

#include "yoke/comm/received.h"

namespace yoke {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

}  // namespace

std::string broadcast_text(Communicator& communicator, const std::string& text, int root) {
  const auto size = torch::tensor({static_cast<std::int64_t>(text.size())}, torch::kInt64);
  communicator.broadcast(size, root);
  const auto count = size.item<std::int64_t>();
  if (count < 0 || count > kMostBytes) {
    throw Garbled(fmt::format("rank {} is about to send a text of {} bytes; allowed: 0 to {}", root,
                              count, kMostBytes));
  }
  const auto bytes = torch::zeros({count}, torch::kUInt8);
  if (communicator.rank() == root) std::memcpy(bytes.data_ptr(), text.data(), text.size());
  communicator.broadcast(bytes, root);
  return {static_cast<const char*>(bytes.data_ptr()), bytes.nbytes()};
}

std::vector<std::string> gather_texts(Communicator& communicator, const std::string& text) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    texts.push_back(broadcast_text(communicator, text, rank));
  }
  return texts;
}

}  // namespace yoke
