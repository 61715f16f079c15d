// apps/yoke/bench_step.cpp: `yoke bench step`, the speed of one training step on images in memory.
#include <fmt/format.h>
#include <torch/cuda.h>

#include <memory>

#include "apps/yoke/bench.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/image_flag.h"
#include "apps/yoke/number_flag.h"
#include "apps/yoke/random_batch.h"
#include "apps/yoke/samples.h"
#include "yoke/core/error.h"
#include "yoke/core/system/threads.h"
#include "yoke/engine/compiled.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/engine/eager/step_graph.h"
#include "yoke/engine/make_engine.h"
#include "yoke/engine/peak.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/scaled.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"
#include "yoke/train/config/config.h"

namespace yoke {
namespace {

struct GivenStep {
  std::string model = TrainConfig().model;
  std::string image;
  std::int64_t classes = 10;
  std::int64_t batch_size = 256;
  std::string engine = "auto";
  std::string precision = "fp32";
  std::string device = "cpu";
  std::string tf32 = "auto";
  bool cuda_graph = false;
  std::string optimizer = "sgd:momentum=0.9";
  int replicas = 0;
  std::int64_t micro_batch = 0;
  std::string convolution = "auto";
  int threads = 0;
  double seconds = 5;
  bool layers = false;
  bool primitives = false;
  bool json = false;
};

/// A model with an engine and an optimizer, and one batch of random images.
struct Bench {
  explicit Bench(const GivenStep& given);

  /// So many steps; on a GPU until they are done.
  void run(int steps) {
    const Objective objective = [this] {
      return choice.engine->gradient(batch, {.seed = 1, .step = next++}).loss;
    };
    for (int i = 0; i < steps; ++i) optimizer->step(objective, {.lr = 1e-4});
    if (parameters.values().is_cuda()) torch::cuda::synchronize();
  }
  /// Of one training step per image, of the matrix kind; 0 where the engine cannot tell.
  double flops_per_image() const { return compiled == nullptr ? 0 : compiled->flops_per_image(); }

  Model model;
  FlatParameters parameters;
  std::unique_ptr<LossScaler> scaler;  // null where losses are not scaled
  EngineChoice choice;
  CompiledEngine* compiled;
  std::unique_ptr<Optimizer> optimizer;
  Batch batch;
  std::int64_t next = 0;
};

Precision precision_of(const GivenStep& given) {
  return parse_word<Precision>("--precision", given.precision);
}

torch::Device device_of(const GivenStep& given) {
  if (given.device == "cpu") return torch::kCPU;
  if (given.device != "cuda") {
    throw UsageError(fmt::format("--device is '{}'; allowed: cpu, cuda", given.device));
  }
  if (!torch::cuda::is_available()) {
    throw UnavailableError(
        "--device is 'cuda', but LibTorch sees no GPU; give --device cpu, or run 'yoke doctor'");
  }
  return {torch::kCUDA, 0};
}

Model build_model(const GivenStep& given) {
  Model model = make_model(given.model, {parse_image(given.image, given.model), given.classes}, 1);
  model.module->to(device_of(given));
  return model;
}

std::unique_ptr<LossScaler> make_scaler(const GivenStep& given) {
  const bool scales = scales_loss(precision_of(given), device_of(given));
  return scales ? std::make_unique<LossScaler>() : nullptr;
}

EngineOptions engine_options(const GivenStep& given, const LossScaler* scaler) {
  EngineOptions options{.kind = parse_word<EngineKind>("--engine", given.engine),
                        .precision = precision_of(given),
                        .replicas = given.replicas,
                        .threads = given.threads,
                        .micro_batch = given.micro_batch,
                        .convolution = parse_word<ConvolutionAlgorithm>(as_flag(flag::kConvolution),
                                                                        given.convolution),
                        .another = [&given] { return build_model(given); },
                        .cuda_graph = given.cuda_graph};
  if (scaler != nullptr) options.loss_scale = [scaler] { return scaler->scale(); };
  return options;
}

std::unique_ptr<Optimizer> make_optimizer(const GivenStep& given, FlatParameters& parameters,
                                          LossScaler* scaler) {
  Shard all(parameters);
  if (given.cuda_graph) all.graph = make_step_graph;
  return make_optimizer(given.optimizer, all, scaler);
}

Bench::Bench(const GivenStep& given)
    : model(build_model(given)),
      parameters(*model.module),
      scaler(make_scaler(given)),
      choice(make_engine(model, parameters, engine_options(given, scaler.get()))),
      compiled(dynamic_cast<CompiledEngine*>(choice.engine.get())),
      optimizer(make_optimizer(given, parameters, scaler.get())),
      batch(random_batch(given.batch_size, model.input, given.classes)) {
  batch.input = batch.input.to(parameters.values().device());
  batch.target = batch.target.to(parameters.values().device());
  if (compiled == nullptr && (given.layers || given.primitives)) {
    throw UsageError("--layers and --primitives tell of the compiled engine; this one is eager");
  }
}

void print_layers(Bench& bench) {
  constexpr int kRepetitions = 20;
  const auto costs = bench.compiled->profile(bench.batch, kRepetitions);
  double total = 0;
  for (const auto& cost : costs) total += cost.milliseconds;
  fmt::print(
      "\nOne run of the plan on one thread, mean of {}\n{:>9} {:>6} {:>9}  {:<8}  {:<26} {}\n",
      kRepetitions, "ms", "%", "GFLOP/s", "pass", "layer", "operation");
  for (const auto& cost : costs) {
    const std::string speed =
        cost.flops > 0 ? fmt::format("{:.1f}", cost.flops / cost.milliseconds / 1e6) : "";
    fmt::print("{:9.4f} {:6.1f} {:>9}  {:<8}  {:<26} {}\n", cost.milliseconds,
               100 * cost.milliseconds / total, speed, cost.pass, cost.layer, cost.operation);
  }
  fmt::print("{:9.4f}  all\n", total);
}

int bench_step(GivenStep given) {
  if (given.threads == 0) given.threads = static_cast<int>(threads_from_environment());
  if (given.threads == 0) given.threads = cpu_budget().threads(1);
  set_threads(given.threads);
  apply(GpuSettings{.tf32 = parse_word<Tf32>("--tf32", given.tf32)});
  Bench bench(given);
  // The next step is given to a GPU while it is at this one, as in training.
  const int together = given.device == "cuda" ? 10 : 1;
  const int cores = bench.compiled == nullptr ? given.threads : bench.choice.replicas;
  if (!bench.choice.note.empty()) fmt::print("{}\n", bench.choice.note);
  fmt::print("model   {}, {} parameters, {} images, batch {}\nengine  {}\n", given.model,
             bench.parameters.size(), bench.model.input.str(), given.batch_size,
             bench.choice.engine->describe(given.batch_size));
  std::vector<std::function<void()>> works{[&] { bench.run(together); }};
  if (given.primitives) works.emplace_back([&] { bench.compiled->run_primitives(bench.batch); });
  const auto measured = Samples::measure_by_turns(works, given.seconds);
  const Samples samples = measured.front().each(together);
  const auto per_second = [&](const Samples& of) {
    return 1e3 * static_cast<double>(given.batch_size) / of.p50();
  };
  nlohmann::ordered_json json = {{"model", given.model},
                                 {key::kBatchSize, given.batch_size},
                                 {"engine", word_of(bench.choice.kind)},
                                 {"precision", given.precision},
                                 {"device", given.device},
                                 {"tf32", given.tf32},
                                 {"cuda_graph", given.cuda_graph},
                                 {"replicas", bench.choice.replicas},
                                 {"threads", given.threads},
                                 {"parameters", bench.parameters.size()}};
  fmt::print("step    {}\nspeed   {:.0f} images_per_second\n", samples.str(), per_second(samples));
  json[key::kImagesPerSecond] = per_second(samples);
  samples.add_to(json);
  if (bench.compiled != nullptr) {
    const double peak = measure_peak_flops(precision_of(given), cores);
    const double speed = bench.flops_per_image() * per_second(samples);
    fmt::print("peak    {:.0f} of {:.0f} GFLOP/s, {:.0f} %{}\n", speed / 1e9, peak / 1e9,
               100 * speed / peak,
               speed > peak ? " (Winograd's convolutions count as direct ones)" : "");
    json["flops_per_second"] = speed;
    json["peak_flops_per_second"] = peak;
  }
  if (given.primitives) {
    const Samples& bare = measured.back();
    fmt::print(
        "bare    {}\n        {:.0f} images_per_second of oneDNN's primitives alone; the step "
        "reaches {:.0f} %\n",
        bare.str(), per_second(bare), 100 * bare.p50() / samples.p50());
    json["primitives_images_per_second"] = per_second(bare);
  }
  if (given.layers) print_layers(bench);
  if (given.json) fmt::print("{}\n", json.dump());
  return 0;
}

}  // namespace

void add_bench_step_command(CLI::App& bench, Run& run) {
  auto* command =
      bench.add_subcommand("step", "Measure a training step on random images in memory");
  const auto given = std::make_shared<GivenStep>();
  command->add_option("--model", given->model, "Model; see 'yoke list models'")
      ->type_name("MODEL[:k=v,...]")
      ->capture_default_str();
  command->add_option("--image", given->image, "Shape of the images (what the model is usual for)")
      ->type_name("CxHxW");
  command->add_option("--classes", given->classes, "Classes")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option(as_flag(flag::kBatchSize), given->batch_size, "Images per step")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option(as_flag(flag::kEngine), given->engine, "What computes the step")
      ->type_name(words_of<EngineKind>("/"))
      ->capture_default_str();
  command->add_option("--precision", given->precision, "Number format of the step")
      ->type_name(words_of<Precision>("/"))
      ->capture_default_str();
  command->add_option("--device", given->device, "Where the step is computed")
      ->type_name("cpu/cuda")
      ->capture_default_str();
  command->add_option("--tf32", given->tf32, "Which fp32 products GPUs compute in TF32")
      ->type_name(words_of<Tf32>("/"))
      ->capture_default_str();
  command->add_flag(as_flag(flag::kCudaGraph), given->cuda_graph,
                    "On a GPU, record the step and replay it");
  command->add_option("--optimizer", given->optimizer, "Optimizer; see 'yoke list optimizers'")
      ->type_name("OPTIMIZER[:k=v,...]")
      ->capture_default_str();
  command
      ->add_option(
          "--replicas", given->replicas,
          "Copies of the step, a thread each; 0 is one per thread (compiled) or one (eager)")
      ->check(from_zero())
      ->capture_default_str();
  command
      ->add_option(as_flag(flag::kMicroBatch), given->micro_batch,
                   "Images a replica computes at once; 0 is what fits its core's cache")
      ->check(from_zero())
      ->capture_default_str();
  command
      ->add_option(as_flag(flag::kConvolution), given->convolution,
                   "How the compiled engine computes convolutions of 3x3 and 5x5 with stride 1")
      ->type_name(words_of<ConvolutionAlgorithm>("/"))
      ->capture_default_str();
  command
      ->add_option("--threads", given->threads,
                   "Threads; 0 is OMP_NUM_THREADS, or one per core allowed")
      ->check(from_zero())
      ->capture_default_str();
  command->add_option("--seconds", given->seconds, "How long to measure")
      ->check(above_zero())
      ->capture_default_str();
  command->add_flag("--layers", given->layers, "Also a table of what each layer costs");
  command->add_flag("--primitives", given->primitives,
                    "Also the speed of oneDNN's primitives of the same step run alone");
  command->add_flag("--json", given->json, "Print one JSON object as the last line");
  command->callback([given, &run] { run = [given] { return bench_step(*given); }; });
}

}  // namespace yoke
