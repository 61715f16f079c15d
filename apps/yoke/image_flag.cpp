#include "apps/yoke/image_flag.h"

#include <fmt/format.h>

#include <cstdio>

#include "yoke/core/error.h"

namespace yoke {

ImageShape parse_image(const std::string& text, const std::string& model) {
  const std::string name = model.substr(0, model.find(':'));
  if (text.empty()) {
    if (name == "mlp") return {1, 28, 28};
    return name == "lenet" || name == "lab-cnn" ? ImageShape{1, 32, 32} : ImageShape{3, 32, 32};
  }
  long long channels = 0, height = 0, width = 0;
  int end = 0;
  const int found =
      std::sscanf(text.c_str(), "%4lldx%6lldx%6lld%n", &channels, &height, &width, &end);
  const bool is_whole = found == 3 && static_cast<std::size_t>(end) == text.size();
  if (!is_whole || channels < 1 || height < 1 || width < 1) {
    throw UsageError(
        fmt::format("--image is '{}'; give channels, height and width as in 3x32x32", text));
  }
  return {channels, height, width};
}

}  // namespace yoke
