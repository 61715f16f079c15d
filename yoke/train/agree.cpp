#include "yoke/train/agree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "yoke/comm/received.h"
#include "yoke/comm/text.h"
#include "yoke/core/error.h"
#include "yoke/train/checkpoints/checkpoint_header.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

using Settings = std::map<std::string, std::string>;

Settings settings(const std::vector<RecipeEntry>& entries) {
  Settings values;
  for (const auto& entry : entries) values[entry.key] = entry.value;
  for (const auto& flag : train_flags()) {
    const auto given = values.find(flag.name);
    if (flag.common && given != values.end()) given->second = flag.common(given->second);
  }
  return values;
}

/// Whether a run finds the flag's value out where it is not given.
bool may_be_left(const std::string& name) {
  const auto& flags = train_flags();
  return std::any_of(flags.begin(), flags.end(), [&](const TrainFlag& flag) {
    return flag.name == name && flag.resolved != nullptr;
  });
}

constexpr const char* kNotGiven = "not given";

std::string value_in(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? kNotGiven : found->second;
}

std::vector<std::string> differences(const Settings& first, const Settings& other) {
  Settings keys = first;
  keys.insert(other.begin(), other.end());
  std::vector<std::string> found;
  for (const auto& [key, value] : keys) {
    const auto a = value_in(first, key), b = value_in(other, key);
    const bool left = a == kNotGiven || b == kNotGiven;
    if (left && may_be_left(key)) continue;  // compared once it is known
    if (a != b) found.push_back(fmt::format("--{} is '{}', rank 0 has '{}'", key, b, a));
  }
  return found;
}

NamedTensors make_room(const std::vector<SafetensorsEntry>& entries) {
  NamedTensors tensors;
  for (const auto& entry : entries) {
    tensors.emplace_back(entry.name, torch::empty(entry.shape, entry.dtype));
  }
  return tensors;
}

Checkpoint receive_header(const std::string& text, int root) {
  CheckpointHeader header = parse_checkpoint_header(text, root);
  return {.step = header.step,
          .model = make_room(header.model),
          .optimizer = make_room(header.optimizer),
          .state = std::move(header.state)};
}

Checkpoint broadcast_checkpoint(const std::optional<Checkpoint>& own, int root,
                                Communicator& communicator) {
  const bool gives = communicator.rank() == root;
  const auto text = broadcast_text(communicator, gives ? header_of(*own) : "", root);
  Checkpoint shared = gives ? *own : receive_header(text, root);
  for (const auto* tensors : {&shared.model, &shared.optimizer}) {
    for (const auto& [name, tensor] : *tensors) communicator.broadcast(tensor.contiguous(), root);
  }
  return shared;
}

void agree_on(const Settings& settings, Communicator& communicator) {
  if (communicator.size() == 1) return;
  const auto all = gather_texts(communicator, nlohmann::json(settings).dump());
  const Settings first = parse_settings(all.front(), 0);
  for (int rank = 1; rank < communicator.size(); ++rank) {
    const auto found =
        differences(first, parse_settings(all[static_cast<std::size_t>(rank)], rank));
    if (found.empty()) continue;
    throw UsageError(
        fmt::format("rank {} was started with other flags than rank 0: {}; start all "
                    "ranks with the same",
                    rank, fmt::join(found, "; ")));
  }
}

}  // namespace

void agree_on_config(const TrainConfig& config, Communicator& communicator) {
  agree_on(settings(to_recipe(config, kHost)), communicator);
}

void agree_on_config(const TrainConfig& config, const Resolved& resolved,
                     Communicator& communicator) {
  agree_on(settings(to_recipe(config, resolved, kHost)), communicator);
}

Settings parse_settings(const std::string& text, int rank) {
  const auto what = fmt::format("rank {} does not send its flags to be compared", rank);
  return read_received(text, what, [](const nlohmann::json& json) { return json.get<Settings>(); });
}

std::optional<Checkpoint> share_checkpoint(std::optional<Checkpoint> found,
                                           Communicator& communicator) {
  const auto own = torch::tensor({found ? found->step : std::int64_t{-1}}, torch::kInt64);
  const auto steps = torch::empty({communicator.size()}, torch::kInt64);
  communicator.all_gather(own, steps);
  const auto* const first = steps.data_ptr<std::int64_t>();
  const auto* const newest = std::max_element(first, first + communicator.size());
  if (steps.eq(*newest).all().item<bool>()) return found;
  return broadcast_checkpoint(found, static_cast<int>(newest - first), communicator);
}

}  // namespace yoke
