#include "yoke/comm/text.h"

#include <cstring>

namespace yoke {

std::string broadcast_text(Communicator& communicator, const std::string& text, int root) {
  const auto size = torch::tensor({static_cast<std::int64_t>(text.size())}, torch::kInt64);
  communicator.broadcast(size, root);
  const auto bytes = torch::zeros({size.item<std::int64_t>()}, torch::kUInt8);
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
