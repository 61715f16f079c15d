#include "yoke/train/lr_scales.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/models/module_parts.h"

namespace yoke {
namespace {

constexpr double kMostScale = 1000;

struct PartScale {
  std::string_view parts;
  double scale = 1;
};

PartScale parse_scale(std::string_view item, std::string_view text) {
  const auto sign = item.rfind('=');
  const auto scale = sign == std::string_view::npos || sign == 0
                         ? std::nullopt
                         : parse_number<double>(item.substr(sign + 1), 0, kMostScale);
  if (!scale) {
    throw UsageError(
        fmt::format("--lr-scale {}: '{}' is no NAME=X with X a number from 0 to {}; give e.g. "
                    "backbone=0.1, or layer1+layer2=0.1,layer3=0.3",
                    text, item, kMostScale));
  }
  return {item.substr(0, sign), *scale};
}

}  // namespace

void scale_rates_of(FlatParameters& parameters, const torch::nn::Module& module,
                    std::string_view text) {
  std::vector<bool> given(parameters.slices().size(), false);
  for (const auto item : split(text, ',')) {
    const auto [parts, scale] = parse_scale(item, text);
    const auto meant = parameters_of(module, parts, "lr-scale");
    for (std::size_t i = 0; i < meant.size(); ++i) {
      if (!meant[i]) continue;
      if (given[i]) {
        throw UsageError(fmt::format("--lr-scale {}: {} is named twice; name each part once", text,
                                     parameters.slices()[i].name));
      }
      given[i] = true;
      parameters.set_lr_scale(i, scale);
    }
  }
}

}  // namespace yoke
