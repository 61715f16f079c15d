#include "yoke/engine/compiled/layers/sum_over_images.h"

#include <algorithm>

#include "yoke/engine/compiled/kernels/add.h"

namespace yoke::compiled {

void sum_over_images(Builder& builder, const std::string& operation, const Tensor& gradient,
                     std::int64_t elements, ParameterId parameter) {
  const Tensor images = builder.use(gradient);
  const GradientTarget target =
      builder.gradient_of(parameter, {elements}, contiguous_desc({elements}));
  builder.add(operation, [images, elements, target,
                          &stream = builder.workspace().stream](const MicroBatch& micro) {
    auto* const sum = static_cast<float*>(target.memory(micro.accumulate).get_data_handle());
    std::fill_n(sum, elements, 0.0F);
    for (std::int64_t n = 0; n < images.batch; ++n) {
      add_to(images.data<float>() + n * images.shape.elements(), elements, sum);
    }
    target.finish(micro.accumulate, stream);
  });
}

}  // namespace yoke::compiled
