#include "yoke/train/checkpoints/trained_model.h"

#include "yoke/core/files/safetensors.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/find_checkpoint.h"
#include "yoke/train/checkpoints/model_file.h"
#include "yoke/train/config/flags.h"
#include "yoke/train/run_directory.h"

namespace yoke {
namespace {

/// The configuration that a checkpoint holds.
TrainConfig saved_config(const nlohmann::json& saved, const std::string& where) {
  std::vector<RecipeEntry> entries;
  for (const auto& [key, value] : saved.items()) {
    entries.push_back({.key = key, .value = value.get<std::string>()});
  }
  TrainConfig config;
  apply_recipe(config, entries, where);
  return config;
}

}  // namespace

TrainedModel read_trained_model(const std::filesystem::path& path) {
  const RunDirectory run{path};
  TrainedModel trained;
  if (std::filesystem::exists(run.weights()) && std::filesystem::exists(run.config())) {
    trained.source = run.weights();
    trained.tensors = read_safetensors(run.weights());
    trained.metadata = read_safetensors_metadata(run.weights());
    apply_recipe(trained.config, read_recipe(run.config()), run.config().string());
    trained.config.model_file = kept_model_file(path);
    return trained;
  }
  trained.source = find_checkpoint(path);
  Checkpoint checkpoint = read_checkpoint(trained.source);
  trained.tensors = std::move(checkpoint.model);
  trained.metadata = read_safetensors_metadata(trained.source / kWeightsFile);
  trained.config = saved_config(checkpoint.state.at("config"), trained.source.string());
  trained.config.model_file = kept_model_file(trained.source);
  return trained;
}

}  // namespace yoke
