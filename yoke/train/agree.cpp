#include "yoke/train/agree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "yoke/comm/text.h"
#include "yoke/core/error.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

nlohmann::json settings(const std::vector<RecipeEntry>& entries) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& entry : entries) json[entry.key] = entry.value;
  return json;
}

/// Whether a run finds the flag's value out where it is not given.
bool may_be_left(const std::string& name) {
  const auto& flags = train_flags();
  return std::any_of(flags.begin(), flags.end(), [&](const TrainFlag& flag) {
    return flag.name == name && flag.resolved != nullptr;
  });
}

constexpr const char* kNotGiven = "not given";

std::vector<std::string> differences(const nlohmann::json& first, const nlohmann::json& other) {
  std::set<std::string> keys;
  for (const auto& item : first.items()) keys.insert(item.key());
  for (const auto& item : other.items()) keys.insert(item.key());
  std::vector<std::string> found;
  for (const auto& key : keys) {
    const auto a = first.value(key, kNotGiven), b = other.value(key, kNotGiven);
    const bool left = a == kNotGiven || b == kNotGiven;
    if (left && may_be_left(key)) continue;  // compared once it is known
    if (a != b) found.push_back(fmt::format("--{} is '{}', rank 0 has '{}'", key, b, a));
  }
  return found;
}

/// Names, dtypes and shapes: what is needed to make room for the tensors.
nlohmann::json list(const NamedTensors& tensors) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& [name, tensor] : tensors) {
    json.push_back({{"name", name},
                    {"type", static_cast<int>(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()}});
  }
  return json;
}

NamedTensors make_room(const nlohmann::json& json) {
  NamedTensors tensors;
  for (const auto& item : json) {
    const auto type = static_cast<torch::ScalarType>(item.at("type").get<int>());
    tensors.emplace_back(item.at("name"),
                         torch::empty(item.at("shape").get<std::vector<std::int64_t>>(), type));
  }
  return tensors;
}

Checkpoint broadcast_checkpoint(const std::optional<Checkpoint>& own, int root,
                                Communicator& communicator) {
  const bool gives = communicator.rank() == root;
  nlohmann::json header;
  if (gives) {
    header = {{"step", own->step},
              {"model", list(own->model)},
              {"optimizer", list(own->optimizer)},
              {"state", own->state}};
  }
  header = nlohmann::json::parse(broadcast_text(communicator, header.dump(), root));
  Checkpoint shared = gives ? *own
                            : Checkpoint{.step = header.at("step"),
                                         .model = make_room(header.at("model")),
                                         .optimizer = make_room(header.at("optimizer")),
                                         .state = header.at("state")};
  for (const auto* tensors : {&shared.model, &shared.optimizer}) {
    for (const auto& [name, tensor] : *tensors) communicator.broadcast(tensor.contiguous(), root);
  }
  return shared;
}

void agree_on(const nlohmann::json& settings, Communicator& communicator) {
  if (communicator.size() == 1) return;
  const auto all = gather_texts(communicator, settings.dump());
  const nlohmann::json first = nlohmann::json::parse(all.front());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const auto found = differences(first, nlohmann::json::parse(all[rank]));
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
