#include <torch/utils.h>

#include "yoke/core/random.h"
#include "yoke/models/model.h"

namespace yoke {

#define MODEL(id, help) ModelPlugin id##_model();
#include "yoke/models/models.def"
#undef MODEL

const Registry<ModelPlugin>& models() {
  static const Registry<ModelPlugin> registry("model", {
#define MODEL(id, help) {plugin_name(#id), help, id##_model()},
#include "yoke/models/models.def"
#undef MODEL
                                                       });
  return registry;
}

Model make_model(std::string_view text, const ModelInput& input, std::uint64_t seed) {
  const auto chosen = models().choose(text);
  torch::manual_seed(stream_seed(seed, 0, 0, Purpose::kInitialise));
  return chosen.make(input);
}

std::int64_t count_parameters(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace yoke
