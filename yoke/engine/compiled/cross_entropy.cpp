#include "yoke/engine/compiled/cross_entropy.h"

#include <cstring>

#include "yoke/engine/compiled/kernels/softmax.h"

namespace yoke::compiled {

void plan_scores(Builder& builder, ValueId output) {
  const Tensor last = builder.features(output);
  const Tensor scores = builder.converted(last, Format::kPlain, dnnl::memory::data_type::f32);
  builder.define_as(output, scores);
  builder.add("copy of scores", [scores](const MicroBatch& micro) {
    std::memcpy(micro.scores, scores.data<float>(),
                static_cast<std::size_t>(scores.elements()) * sizeof(float));
  });
}

void plan_cross_entropy(Builder& builder, ValueId output) {
  const Tensor scores = builder.use(builder.tensor(output));
  const Tensor gradient = builder.contribute(output, Format::kPlain, dnnl::memory::data_type::f32);
  const double smoothing = builder.options().label_smoothing;
  builder.add("cross-entropy", [scores, gradient, smoothing](const MicroBatch& micro) {
    const std::int64_t classes = scores.shape.channels;
    const float scale = 1.0F / static_cast<float>(micro.step_images);
    for (std::int64_t n = 0; n < scores.batch; ++n) {
      micro.losses[n] = cross_entropy(scores.data<float>() + n * classes, classes, micro.target[n],
                                      smoothing, scale, gradient.data<float>() + n * classes);
    }
  });
}

}  // namespace yoke::compiled
