#include "apps/yoke/image_flag.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/models/model.h"

namespace yoke {

ImageShape parse_image(const std::string& text, const std::string& model) {
  if (text.empty()) return models().choose(model).traits.usual_image;
  const auto parts = split(text, 'x');
  std::vector<std::int64_t> sizes;
  for (const auto part : parts)
    sizes.push_back(parse_number<std::int64_t>(part, 1, 999'999).value_or(0));
  if (sizes.size() != 3 || std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    throw UsageError(
        fmt::format("--image is '{}'; give channels, height and width as in 3x32x32", text));
  }
  return {sizes[0], sizes[1], sizes[2]};
}

}  // namespace yoke
