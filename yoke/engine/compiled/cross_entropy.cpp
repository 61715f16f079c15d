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
  const LossOptions options = builder.options().loss;
  builder.add("cross-entropy", [scores, gradient, options](const MicroBatch& micro) {
    const std::int64_t classes = scores.shape.channels;
    const float scale = 1.0F / static_cast<float>(micro.step_images);
    WantedScores wanted{.smoothing = options.label_smoothing};
    if (options.class_weights.defined()) {
      wanted.class_weights = options.class_weights.data_ptr<float>();
    }
    for (std::int64_t n = 0; n < scores.batch; ++n) {
      wanted.target = micro.target[n];
      if (micro.other_target != nullptr) {
        wanted.other = micro.other_target[n];
        wanted.other_share = micro.other_share[n];
      }
      micro.losses[n] = cross_entropy(scores.data<float>() + n * classes, classes, wanted, scale,
                                      gradient.data<float>() + n * classes);
    }
  });
}

}  // namespace yoke::compiled
