#include <torch/utils.h>

#include "yoke/core/random.h"
#include "yoke/models/model.h"

namespace yoke {

#define MODEL(id, help) Model make_##id(const ModelInput& input, Options& options);
#include "yoke/models/models.def"
#undef MODEL

const Registry<MakeModel>& models() {
  static const Registry<MakeModel> registry("model", {
#define MODEL(id, help) {plugin_name(#id), help, &make_##id},
#include "yoke/models/models.def"
#undef MODEL
                                                     });
  return registry;
}

Model make_model(std::string_view text, const ModelInput& input, std::uint64_t seed) {
  Choice choice = Choice::parse(text, models().kind());
  const auto& entry = models().find(choice.name);
  torch::manual_seed(stream_seed(seed, 0, 0, Purpose::kInitialise));
  Model model = entry.make(input, choice.options);
  choice.options.finish();
  return model;
}

std::int64_t count_parameters(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace yoke
