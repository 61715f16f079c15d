#include "yoke/train/checkpoints/open_model.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/find_checkpoint.h"
#include "yoke/train/checkpoints/model_file.h"
#include "yoke/train/checkpoints/module_state.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

fs::path find_weights(const fs::path& path) {
  if (fs::is_regular_file(path)) return path;
  const fs::path final_weights = RunDirectory{path}.weights();
  const bool is_run = fs::exists(final_weights) && fs::exists(RunDirectory{path}.config());
  return is_run ? final_weights : find_checkpoint(path) / kWeightsFile;
}

Model load(const ModelDescription& description, const fs::path& weights) {
  const ModelInput input{.image = description.data.image,
                         .classes = description.data.classes(),
                         .file = kept_model_file(weights)};
  Model model = make_model(description.model, input, /*seed=*/0);
  if (model.input != description.input) {
    throw Error(fmt::format("{} says that its model '{}' takes {}, but this version's takes {}",
                            weights.string(), description.model, description.input.str(),
                            model.input.str()));
  }
  restore_module(*model.module, read_safetensors(weights), weights.string());
  return model;
}

}  // namespace

OpenedModel open_model(const fs::path& path) {
  OpenedModel opened{.weights = find_weights(path), .description = {}, .model = {}};
  opened.description = read_description(opened.weights);
  opened.model = load(opened.description, opened.weights);
  return opened;
}

}  // namespace yoke
