#include "yoke/train/evaluation/evaluate.h"

#include <torch/nn/functional/loss.h>

#include <algorithm>
#include <limits>

#include "yoke/train/evaluation/accuracy.h"
#include "yoke/train/evaluation/class_scores.h"
#include "yoke/train/evaluation/confidences.h"

namespace yoke {
namespace {

/// Sums over images, as vectors that add up over ranks.
struct Sums {
  explicit Sums(std::int64_t classes)
      : scalars(torch::zeros({4}, torch::kFloat64)),
        confusion(torch::zeros({classes, classes}, torch::kInt64)) {}

  torch::Tensor scalars;  // images, loss, top-1, top-5
  torch::Tensor confusion;
  Confidences confidences;

  void add(const torch::Tensor& scores, const torch::Tensor& target, const Likeliest& likeliest) {
    const auto ranks = ranks_of_target(scores, target);
    const auto right = ranks.lt(1);
    confidences.add(likeliest, right);
    const auto loss = torch::nn::functional::cross_entropy(
        scores, target, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
    scalars += torch::tensor({static_cast<double>(target.size(0)), loss.item<double>(),
                              right.sum().item<double>(), ranks.lt(5).sum().item<double>()},
                             torch::kFloat64);
    const std::int64_t classes = confusion.size(0);
    const auto cells = target * classes + scores.argmax(1);
    confusion += cells.cpu().bincount({}, classes * classes).view({classes, classes});
  }
};

std::vector<double> per_class_accuracy(const torch::Tensor& confusion) {
  const auto right = confusion.diagonal().to(torch::kFloat64);
  const auto accuracy = (right / confusion.sum(1).to(torch::kFloat64)).contiguous();
  const auto* const values = accuracy.data_ptr<double>();
  return {values, values + accuracy.numel()};
}

Evaluation summarise(const Sums& sums) {
  const auto* const scalars = sums.scalars.data_ptr<double>();
  const double images = scalars[0];
  const auto accuracy = per_class_accuracy(sums.confusion);
  return {.images = static_cast<std::int64_t>(images),
          .loss = scalars[1] / images,
          .top1 = scalars[2] / images,
          .top5 = scalars[3] / images,
          .balanced_accuracy = balanced_accuracy(accuracy),
          .macro_f1 = macro_f1(sums.confusion),
          .per_class_accuracy = accuracy,
          .confusion = sums.confusion,
          .confidence_bins = {},
          .sightings = {},
          .rank_top1 = {}};
}

}  // namespace

std::vector<std::vector<std::int64_t>> confusion_rows(const Evaluation& evaluation) {
  const auto classes = evaluation.confusion.size(0);
  const auto* const cells = evaluation.confusion.data_ptr<std::int64_t>();
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < classes; ++row) {
    rows.emplace_back(cells + row * classes, cells + (row + 1) * classes);
  }
  return rows;
}

Evaluation evaluate(Engine& engine, Communicator& communicator,
                    std::shared_ptr<const Dataset> dataset, std::int64_t batch_size,
                    const LoaderOptions& options, Views views) {
  const torch::NoGradGuard no_grad;
  const Sampler sampler(dataset->size(), std::min(batch_size, dataset->size()), communicator.rank(),
                        communicator.size(), 0, false);
  const Transform transform(dataset->info(), Augmentation{});
  const std::int64_t steps = sampler.epochs().steps(0);
  Sums sums(dataset->info().classes());
  Sightings sightings;
  Loader loader(dataset, sampler, transform, 0, 0, steps, options);
  for (std::int64_t step = 0; step < steps; ++step) {
    const Batch batch = loader.next();
    if (batch.size() == 0) continue;
    const auto scores = mean_scores(engine, batch.input, views);
    const auto likeliest = likeliest_classes(scores);
    sums.add(scores, batch.target.to(scores.device()), likeliest);
    sightings.add(likeliest, batch.target, sampler.indices(/*epoch=*/0, step));
  }
  communicator.all_reduce(sums.scalars);
  communicator.all_reduce(sums.confusion);
  Evaluation result = summarise(sums);
  result.confidence_bins = sums.confidences.gather(communicator);
  result.sightings = sightings.gather(communicator);
  return result;
}

}  // namespace yoke
