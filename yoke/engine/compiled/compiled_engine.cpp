#include "yoke/engine/compiled/compiled_engine.h"

#include <ATen/record_function.h>
#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/engine/compiled/check_step.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/handover.h"
#include "yoke/engine/compiled/layers/aten.h"
#include "yoke/engine/compiled/layers/winograd_choice.h"

namespace yoke::compiled {
namespace {

/// The `part`-th of `parts` nearly equal parts.
Range part_of(const Range& whole, std::int64_t part, std::int64_t parts) {
  return {whole.begin + whole.size() * part / parts,
          whole.begin + whole.size() * (part + 1) / parts};
}

}  // namespace

Compiled::Compiled(Model& model, FlatParameters& parameters, const CompiledOptions& options)
    : Compiled(model, parameters, options,
               {.training = traced_graph(model, true), .inference = traced_graph(model, false)}) {}

Compiled::Compiled(Model& model, FlatParameters& parameters, const CompiledOptions& options,
                   const Traces& traces)
    : model_(model),
      parameters_(parameters),
      options_(options),
      training_graph_(lower(traces.training, model)),
      inference_graph_(lower(traces.inference, model)),
      heavy_end_(heavy_end(training_graph_, parameters)),
      engine_(dnnl::engine::kind::cpu, 0),
      team_(options.replicas),
      weights_(engine_, parameters),
      statistics_(options.replicas),
      reducer_(engine_, parameters, options.replicas) {
  for (int i = 0; i < options.replicas; ++i) {
    replicas_.emplace_back(engine_, weights_, statistics_, i,
                           i == 0 ? nullptr : &replicas_.front());
  }
  for (const auto* const graph : {&training_graph_, &inference_graph_}) check_regions(*graph);
  PlanOptions checked = plan_options(true, 1, 1);
  check_step(model, parameters, traces.training, traces.inference, checked);
  if (options.convolution == ConvolutionAlgorithm::kAuto && has_winograd(training_graph_)) {
    checked.convolution = ConvolutionAlgorithm::kWinograd;  // as larger batches may be computed
    check_step(model, parameters, traces.training, traces.inference, checked);
  }
}

std::int64_t Compiled::classes() const {
  return training_graph_.values[static_cast<std::size_t>(training_graph_.output)].shape.channels;
}

PlanOptions Compiled::plan_options(bool training, std::int64_t batch, std::int64_t runs) const {
  return {.batch = batch,
          .runs = runs,
          .training = training,
          .type = options_.precision == Precision::kBf16 ? dnnl::memory::data_type::bf16
                                                         : dnnl::memory::data_type::f32,
          .convolution = options_.convolution,
          .loss = options_.loss};
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

std::string Compiled::describe(std::int64_t batch_size) {
  const std::string by_aten = operators_by_aten(training_graph_);
  return fmt::format("compiled, {}, {}, micro-batches of {}{}",
                     options_.precision == Precision::kBf16 ? "bf16" : "fp32",
                     format_count(static_cast<std::int64_t>(team_.size()), "replica"),
                     micro_batch(batch_size),
                     by_aten.empty() ? "" : fmt::format("; by LibTorch: {}", by_aten));
}

std::vector<Compiled::Part> Compiled::program(const Work& work, const Range& images,
                                              std::int64_t runs, Replica& replica) {
  std::vector<Part> program;
  const Cut cut = cut_of(work, images.size());
  const std::int64_t together = cut.joined * cut.size;
  const Range alone{images.begin, images.end - together};
  for (std::int64_t i = 0; i < cut.alone; ++i) {
    const Range part = part_of(alone, i, cut.alone);
    if (part.size() == 0) continue;
    PlanOptions options = plan_options(work.training, part.size(), runs);
    options.parts = section_parts(work.graph, part.size(), work.training);
    program.push_back({&replica.plan(work.graph, options), part});
  }
  if (cut.joined == 0) return program;
  PlanOptions options =
      plan_options(work.training, together, std::max<std::int64_t>(1, runs / cut.joined));
  options.parts = cut.joined;
  options.whole_from = heavy_end_.begin;
  program.push_back({&replica.plan(work.graph, options), {alone.end, images.end}});
  return program;
}

void Compiled::run(const Work& work, const std::vector<Range>& parts,
                   const std::function<void(Plan&, const MicroBatch&, int)>& run_plan) {
  const std::int64_t runs = runs_of(work.graph, parts, work.training);
  std::vector<std::vector<Part>> programs;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    programs.push_back(program(work, parts[r], runs, replicas_[r]));
  }
  const std::int64_t image_elements = model_.input.elements();
  team_.run([&](int member) {
    RECORD_USER_SCOPE("weights: reorder");
    weights_.refresh(member, team_.size(), replicas_[static_cast<std::size_t>(member)].stream());
  });
  team_.run([&](int member) {
    if (static_cast<std::size_t>(member) >= programs.size()) return;
    for (const auto& [plan, images] : programs[static_cast<std::size_t>(member)]) {
      MicroBatch micro = work.micro.from(images.begin, image_elements, classes());
      micro.accumulate = images.begin != parts[static_cast<std::size_t>(member)].begin;
      micro.last = images.end == parts[static_cast<std::size_t>(member)].end;
      run_plan(*plan, micro, member);
    }
  });
}

std::vector<const GradientStore*> Compiled::gradient_stores(const std::vector<Range>& parts) const {
  std::vector<const GradientStore*> stores;
  for (std::size_t r = 0; r < parts.size(); ++r) stores.push_back(&replicas_[r].gradients());
  return stores;
}

void Compiled::run_handing_over(const Work& work, const std::vector<Range>& parts,
                                const GradientReady& ready) {
  Handover handover(reducer_, parameters_, gradient_stores(parts), ready);
  run(work, parts, [&](Plan& plan, MicroBatch micro, int replica) {
    auto& stream = replicas_[static_cast<std::size_t>(replica)].stream();
    const std::function<void(ParameterId)> completed = [&](ParameterId id) {
      handover.completed(id, stream);
    };
    if (micro.last) micro.completed = &completed;
    plan.run(micro);
  });
  handover.finish(replicas_.front().stream());
}

void Compiled::update_statistics(const std::vector<Range>& parts) {
  std::vector<std::int64_t> images;
  for (const Range& part : parts) images.push_back(part.size());
  statistics_.update(images);
  for (auto& counter : training_graph_.counters) *counter.data_ptr<std::int64_t>() += 1;
}

Batch Compiled::check(const Batch& batch) const {
  Batch checked = batch;
  checked.input = check(batch.input);
  checked.target = batch.target.contiguous();
  check_target(checked.target, classes());
  if (!batch.mixed()) return checked;
  checked.other_target = batch.other_target.contiguous();
  checked.other_share = batch.other_share.contiguous();
  check_target(checked.other_target, classes());
  return checked;
}

Compiled::Work Compiled::training_work(const Batch& batch, torch::Tensor& scores,
                                       std::vector<double>& losses, const StepKey& key) const {
  Work work{.graph = training_graph_,
            .training = true,
            .micro = {.input = batch.input.data_ptr(),
                      .target = batch.target.data_ptr<std::int64_t>(),
                      .scores = scores.data_ptr<float>(),
                      .losses = losses.data(),
                      .first_image = batch.first_image,
                      .step_images = batch.whole(),
                      .key = key},
            .images = {0, batch.size()}};
  if (batch.mixed()) {
    work.micro.other_target = batch.other_target.data_ptr<std::int64_t>();
    work.micro.other_share = batch.other_share.data_ptr<float>();
  }
  return work;
}

Forward Compiled::gradient(const Batch& given, const StepKey& key, const GradientReady& ready) {
  const Batch batch = check(given);
  const std::int64_t n = batch.size();
  Forward forward{.loss = torch::zeros({}), .scores = torch::empty({n, classes()})};
  if (n == 0) {
    parameters_.gradients().zero_();
    if (ready) ready(0, parameters_.size());
    return forward;
  }
  std::vector<double> losses(static_cast<std::size_t>(n));
  const Work work = training_work(batch, forward.scores, losses, key);
  const auto parts = replica_parts(work);
  if (ready) {
    run_handing_over(work, parts, ready);
  } else {
    run(work, parts, [](Plan& plan, const MicroBatch& micro, int) { plan.run(micro); });
    const auto stores = gradient_stores(parts);
    team_.run([&](int member) {
      RECORD_USER_SCOPE("gradient: sum over replicas");
      reducer_.run(member, stores, replicas_[static_cast<std::size_t>(member)].stream());
    });
  }
  update_statistics(parts);
  double sum = 0;
  for (const double loss : losses) sum += loss;
  forward.loss.fill_(sum / static_cast<double>(batch.whole()));
  return forward;
}

void Compiled::synchronise_batch_norm(SumOverRanks) {
  if (!training_graph_.mixes_images()) return;  // there is none
  throw UsageError(
      "the compiled engine normalises per replica; with sync_batchnorm=true give "
      "--engine eager");
}

torch::Tensor Compiled::predict(const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor input = check(images);
  auto scores = torch::empty({input.size(0), classes()});
  if (input.size(0) == 0) return scores;
  const Work work{.graph = inference_graph_,
                  .training = false,
                  .micro = {.input = input.data_ptr(),
                            .target = nullptr,
                            .scores = scores.data_ptr<float>(),
                            .losses = nullptr,
                            .first_image = 0,
                            .step_images = input.size(0),
                            .key = {}},
                  .images = {0, input.size(0)}};
  run(work, replica_parts(work), [](Plan& plan, const MicroBatch& micro, int) { plan.run(micro); });
  return scores;
}

}  // namespace yoke::compiled

namespace yoke {

std::unique_ptr<CompiledEngine> make_compiled_engine(Model& model, FlatParameters& parameters,
                                                     const CompiledOptions& options) {
  if (options.precision != Precision::kFp32 && options.precision != Precision::kBf16) {
    throw UsageError(
        "the compiled engine computes in fp32 or bf16; use one of these, or --engine eager for "
        "o1 and o2");
  }
  if (const std::string why = why_not(options.precision); !why.empty()) throw UnavailableError(why);
  if (parameters.values().is_cuda()) {
    throw UsageError("the compiled engine is for processors; on a GPU use --engine eager");
  }
  return std::make_unique<compiled::Compiled>(model, parameters, options);
}

}  // namespace yoke
