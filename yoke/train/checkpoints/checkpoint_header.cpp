#include "yoke/train/checkpoints/checkpoint_header.h"

#include <fmt/format.h>

#include <limits>

#include "yoke/comm/received.h"

namespace yoke {
namespace {

constexpr auto kMostNumber = std::numeric_limits<std::int64_t>::max();

std::uint64_t bytes_of(const std::vector<SafetensorsEntry>& entries) {
  std::uint64_t bytes = 0;
  for (const auto& entry : entries) bytes += entry.size_bytes();
  return bytes;
}

/// Names, dtypes and shapes, as a file of theirs would begin.
nlohmann::json tensor_list(const NamedTensors& tensors) {
  const auto entries = place_safetensors(tensors);
  return {{"header", safetensors_header(entries, {})}, {"bytes", bytes_of(entries)}};
}

std::vector<SafetensorsEntry> parse_tensor_list(const nlohmann::json& json) {
  const auto bytes = whole_number(json.at("bytes"), 0, kMostNumber);
  return parse_safetensors_header(json.at("header").get<std::string>(),
                                  static_cast<std::uint64_t>(bytes))
      .entries;
}

}  // namespace

std::string header_of(const Checkpoint& checkpoint) {
  return nlohmann::json{{"step", checkpoint.step},
                        {"model", tensor_list(checkpoint.model)},
                        {"optimizer", tensor_list(checkpoint.optimizer)},
                        {"state", checkpoint.state}}
      .dump();
}

CheckpointHeader parse_checkpoint_header(const std::string& text, int rank) {
  const auto what = fmt::format("rank {} does not say what its checkpoint holds", rank);
  return read_received(text, what, [](const nlohmann::json& json) {
    return CheckpointHeader{.step = whole_number(json.at("step"), 0, kMostNumber),
                            .model = parse_tensor_list(json.at("model")),
                            .optimizer = parse_tensor_list(json.at("optimizer")),
                            .state = json.at("state")};
  });
}

}  // namespace yoke
