#include "yoke/engine/compiled.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "yoke/core/clock.h"
#include "yoke/engine/compiled/cache.h"
#include "yoke/engine/compiled/lowering.h"
#include "yoke/engine/compiled/reduce.h"
#include "yoke/engine/compiled/replica.h"
#include "yoke/engine/compiled/team.h"

namespace yoke {
namespace {

using namespace compiled;

/// Images [begin, end) of a batch.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// The `part`-th of `parts` nearly equal parts.
Range part_of(const Range& whole, std::int64_t part, std::int64_t parts) {
  return {whole.begin + whole.size() * part / parts,
          whole.begin + whole.size() * (part + 1) / parts};
}

/// While it lives, this thread takes numbers too small to be normal, which are slow, for zero.
class FlushDenormals {
 public:
  FlushDenormals() { at::globalContext().setFlushDenormal(true); }
  ~FlushDenormals() { at::globalContext().setFlushDenormal(false); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

class Compiled final : public CompiledEngine {
 public:
  Compiled(Model& model, FlatParameters& parameters, const CompiledOptions& options);

  Forward gradient(const Batch& batch, const StepKey& key) override;
  torch::Tensor predict(const torch::Tensor& input) override;

  std::string describe(std::int64_t batch_size) override;
  double flops_per_image() const override;
  std::vector<StepCost> profile(const Batch& batch, int repetitions) override;
  void run_primitives(const Batch& batch) override;

 private:
  /// What a pass over a batch works on; one of gradient(), predict().
  struct Work {
    const LayerGraph& graph;
    bool training = true;
    Micro micro;  // of the first image
    Range images;
  };

  PlanOptions plan_options(bool training, std::int64_t batch) const;
  const LayerGraph& inference_graph();
  Work training_work(const torch::Tensor& input, const torch::Tensor& target, torch::Tensor& scores,
                     std::vector<double>& losses, const StepKey& key) const;
  torch::Tensor check(const torch::Tensor& input) const;
  /// How many parts a replica computes `images` in.
  std::int64_t micro_batches(const LayerGraph& graph, std::int64_t images, bool training);
  /// Images whose pass fits a core's own cache.
  std::int64_t fit_to_cache(const LayerGraph& graph, bool training);
  std::vector<Range> replica_parts(const Work& work) const;
  void run(const Work& work, const std::vector<Range>& parts,
           const std::function<void(Plan&, const Micro&)>& run_plan);
  void reduce(const std::vector<Range>& parts);
  std::int64_t micro_batch(std::int64_t batch_size);
  std::int64_t classes() const;

  Model& model_;
  FlatParameters& parameters_;
  CompiledOptions options_;
  LayerGraph training_graph_;
  std::optional<LayerGraph> inference_graph_;
  dnnl::engine engine_;
  Team team_;
  WeightStore weights_;
  StatisticsStore statistics_;
  GradientReducer reducer_;
  std::deque<Replica> replicas_;
  std::array<std::int64_t, 2> most_images_{};  // at once, in evaluation and in training; 0 unknown
};

Compiled::Compiled(Model& model, FlatParameters& parameters, const CompiledOptions& options)
    : model_(model),
      parameters_(parameters),
      options_(options),
      training_graph_(lower(model, true)),
      engine_(dnnl::engine::kind::cpu, 0),
      team_(options.replicas),
      weights_(engine_, parameters),
      statistics_(options.replicas),
      reducer_(engine_, parameters, options.replicas) {
  for (int i = 0; i < options.replicas; ++i) {
    replicas_.emplace_back(engine_, weights_, statistics_, i,
                           i == 0 ? nullptr : &replicas_.front());
  }
}

std::int64_t Compiled::classes() const {
  return training_graph_.values[static_cast<std::size_t>(training_graph_.output)].shape.channels;
}

const LayerGraph& Compiled::inference_graph() {
  if (!inference_graph_) inference_graph_ = lower(model_, false);
  return *inference_graph_;
}

PlanOptions Compiled::plan_options(bool training, std::int64_t batch) const {
  return {.batch = batch,
          .training = training,
          .type = options_.precision == Precision::kBf16 ? dnnl::memory::data_type::bf16
                                                         : dnnl::memory::data_type::f32,
          .label_smoothing = options_.label_smoothing};
}

torch::Tensor Compiled::check(const torch::Tensor& input) const {
  const auto& [channels, height, width] = model_.input;
  const auto n = input.size(0);
  if (input.sizes() != torch::IntArrayRef{n, channels, height, width} ||
      input.scalar_type() != torch::kFloat32) {
    throw Error(fmt::format("the model was compiled for fp32 images of {}; given: {} of {}",
                            model_.input.str(), c10::str(input.sizes()),
                            c10::str(input.scalar_type())));
  }
  return input.contiguous();
}

std::vector<Range> Compiled::replica_parts(const Work& work) const {
  // A network that normalises over the batch in evaluation, too, must see all of it at once.
  const bool whole = !work.training && work.graph.mixes_images();
  const std::int64_t parts = whole ? 1 : team_.size();
  std::vector<Range> ranges;
  for (std::int64_t i = 0; i < parts; ++i) {
    const Range range = part_of(work.images, i, parts);
    if (range.size() > 0) ranges.push_back(range);
  }
  return ranges;
}

// Larger ones read weights and write their gradients less often, smaller ones keep activations
// near. Measured: a few times the core's own cache is best, and as much again as the weights weigh.
std::int64_t Compiled::fit_to_cache(const LayerGraph& graph, bool training) {
  constexpr std::int64_t kLeast = 16, kCaches = 4;
  WeightStore weights(engine_, parameters_);  // of its own: formats may depend on the batch
  StatisticsStore statistics(1);
  GradientStore gradients(engine_);
  Workspace workspace{engine_, dnnl::stream(engine_), weights, gradients, statistics, 0};
  const auto plan = Builder(graph, workspace, plan_options(training, kLeast)).build();
  const auto per_image = static_cast<std::int64_t>(plan->bytes()) / kLeast + 1;
  const std::int64_t weight_bytes = parameters_.size() * std::int64_t{sizeof(float)};
  const std::int64_t room =
      kCaches * static_cast<std::int64_t>(core_cache_bytes()) + 2 * weight_bytes;
  return std::max(kLeast, room / per_image);
}

std::int64_t Compiled::micro_batches(const LayerGraph& graph, std::int64_t images, bool training) {
  if (graph.mixes_images()) return 1;
  auto& most = most_images_[training ? 1 : 0];
  if (options_.micro_batch > 0) most = options_.micro_batch;
  if (most == 0) most = fit_to_cache(graph, training);
  return (images + most - 1) / most;
}

std::int64_t Compiled::micro_batch(std::int64_t batch_size) {
  const std::int64_t images = (batch_size + team_.size() - 1) / team_.size();
  const std::int64_t parts = micro_batches(training_graph_, images, true);
  return (images + parts - 1) / parts;
}

std::string Compiled::describe(std::int64_t batch_size) {
  return fmt::format("compiled, {}, {} replica{}, micro-batches of {}",
                     options_.precision == Precision::kBf16 ? "bf16" : "fp32", team_.size(),
                     team_.size() == 1 ? "" : "s", micro_batch(batch_size));
}

void Compiled::run(const Work& work, const std::vector<Range>& parts,
                   const std::function<void(Plan&, const Micro&)>& run_plan) {
  struct Part {
    Plan* plan;
    Range images;
  };
  std::vector<std::vector<Part>> programs;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const std::int64_t count = micro_batches(work.graph, parts[r].size(), work.training);
    auto& program = programs.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) {
      const Range images = part_of(parts[r], i, count);
      program.push_back(
          {&replicas_[r].plan(work.graph, plan_options(work.training, images.size())), images});
    }
  }
  const std::int64_t image_elements = model_.input.elements();
  team_.run([&](int member) {
    weights_.refresh(member, team_.size(), replicas_[static_cast<std::size_t>(member)].stream());
  });
  team_.run([&](int member) {
    if (static_cast<std::size_t>(member) >= programs.size()) return;
    for (const auto& [plan, images] : programs[static_cast<std::size_t>(member)]) {
      Micro micro = work.micro;
      micro.input = static_cast<const float*>(micro.input) + images.begin * image_elements;
      if (micro.target != nullptr) micro.target += images.begin;
      if (micro.losses != nullptr) micro.losses += images.begin;
      micro.scores += images.begin * classes();
      micro.first_image = images.begin;
      micro.accumulate = images.begin != parts[static_cast<std::size_t>(member)].begin;
      run_plan(*plan, micro);
    }
  });
}

void Compiled::reduce(const std::vector<Range>& parts) {
  std::vector<const GradientStore*> stores;
  for (std::size_t r = 0; r < parts.size(); ++r) stores.push_back(&replicas_[r].gradients());
  team_.run([&](int member) {
    reducer_.run(member, stores, replicas_[static_cast<std::size_t>(member)].stream());
  });
  std::vector<std::int64_t> images;
  for (const Range& part : parts) images.push_back(part.size());
  statistics_.update(images);
  for (auto& counter : training_graph_.counters) *counter.data_ptr<std::int64_t>() += 1;
}

Compiled::Work Compiled::training_work(const torch::Tensor& input, const torch::Tensor& target,
                                       torch::Tensor& scores, std::vector<double>& losses,
                                       const StepKey& key) const {
  return {.graph = training_graph_,
          .training = true,
          .micro = {.input = input.data_ptr(),
                    .target = target.data_ptr<std::int64_t>(),
                    .scores = scores.data_ptr<float>(),
                    .losses = losses.data(),
                    .first_image = 0,
                    .rank_images = input.size(0),
                    .key = key,
                    .accumulate = false},
          .images = {0, input.size(0)}};
}

Forward Compiled::gradient(const Batch& batch, const StepKey& key) {
  const torch::Tensor input = check(batch.input), target = batch.target.contiguous();
  const std::int64_t n = batch.size();
  Forward forward{.loss = torch::zeros({}), .scores = torch::empty({n, classes()})};
  if (n == 0) {
    parameters_.gradients().zero_();
    return forward;
  }
  std::vector<double> losses(static_cast<std::size_t>(n));
  const Work work = training_work(input, target, forward.scores, losses, key);
  const auto parts = replica_parts(work);
  run(work, parts, [](Plan& plan, const Micro& micro) { plan.run(micro); });
  reduce(parts);
  double sum = 0;
  for (const double loss : losses) sum += loss;
  forward.loss.fill_(sum / static_cast<double>(n));
  return forward;
}

torch::Tensor Compiled::predict(const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor input = check(images);
  auto scores = torch::empty({input.size(0), classes()});
  if (input.size(0) == 0) return scores;
  const Work work{.graph = inference_graph(),
                  .training = false,
                  .micro = {.input = input.data_ptr(),
                            .target = nullptr,
                            .scores = scores.data_ptr<float>(),
                            .losses = nullptr,
                            .first_image = 0,
                            .rank_images = input.size(0),
                            .key = {},
                            .accumulate = false},
                  .images = {0, input.size(0)}};
  run(work, replica_parts(work), [](Plan& plan, const Micro& micro) { plan.run(micro); });
  return scores;
}

void Compiled::run_primitives(const Batch& batch) {
  const torch::Tensor input = check(batch.input), target = batch.target.contiguous();
  auto scores = torch::empty({batch.size(), classes()});
  std::vector<double> losses(static_cast<std::size_t>(batch.size()));
  const Work work = training_work(input, target, scores, losses, {});
  run(work, replica_parts(work), [](Plan& plan, const Micro& micro) {
    const FlushDenormals flush;  // what the other steps would have written may be anything
    plan.set_input(micro.input);
    for (const Step& step : plan.steps()) {
      if (step.primitive) step.run(micro);
    }
  });
}

std::vector<StepCost> Compiled::profile(const Batch& batch, int repetitions) {
  const torch::Tensor input = check(batch.input), target = batch.target.contiguous();
  auto scores = torch::empty({batch.size(), classes()});
  std::vector<double> losses(static_cast<std::size_t>(batch.size()));
  const Work work = training_work(input, target, scores, losses, {});
  Plan& plan =
      replicas_.front().plan(training_graph_, plan_options(true, micro_batch(batch.size())));
  std::vector<StepCost> costs;
  for (const Step& step : plan.steps()) {
    static constexpr std::array kPasses = {"forward", "backward", "other"};
    costs.push_back({.layer = step.layer,
                     .operation = step.operation,
                     .pass = kPasses[static_cast<std::size_t>(step.pass)],
                     .milliseconds = 0,
                     .flops = step.flops,
                     .primitive = step.primitive});
  }
  plan.set_input(work.micro.input);
  for (int i = 0; i <= repetitions; ++i) {  // the first one warms up
    for (std::size_t s = 0; s < costs.size(); ++s) {
      const Stopwatch watch;
      plan.steps()[s].run(work.micro);
      if (i > 0) costs[s].milliseconds += 1e3 * watch.seconds() / repetitions;
    }
  }
  return costs;
}

double Compiled::flops_per_image() const {
  double flops = 0;
  const auto& wants = wanted_gradients(training_graph_);
  for (const auto& layer : training_graph_.layers) {
    const bool data = wants[static_cast<std::size_t>(layer->inputs.front())];
    flops += layer->flops() * (data ? 3 : 2);
  }
  return flops;
}

}  // namespace

std::unique_ptr<CompiledEngine> make_compiled_engine(Model& model, FlatParameters& parameters,
                                                     const CompiledOptions& options) {
  if (const std::string why = why_not(options.precision); !why.empty()) throw UsageError(why);
  if (parameters.values().is_cuda()) {
    throw UsageError("the compiled engine is for processors; on a GPU use --engine eager");
  }
  return std::make_unique<Compiled>(model, parameters, options);
}

}  // namespace yoke
