#include "yoke/train/workload.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/system/threads.h"
#include "yoke/data/transforms/resize.h"
#include "yoke/engine/sized.h"
#include "yoke/models/module_parts.h"
#include "yoke/run/flag_names.h"
#include "yoke/train/checkpoints/model_description.h"
#include "yoke/train/class_weights.h"
#include "yoke/train/lr_scales.h"

namespace yoke {
namespace {

torch::Device choose_device(DeviceKind kind) {
  const bool available = torch::cuda::is_available();
  if (kind == DeviceKind::kCuda && !available) {
    throw UnavailableError(
        "--device is 'cuda', but LibTorch sees no GPU; give --device cpu, or run 'yoke doctor'");
  }
  if (kind == DeviceKind::kCpu || !available) return torch::kCPU;
  return c10::impl::VirtualGuardImpl(torch::kCUDA).getDevice();  // that this rank has taken
}

DatasetSplits load_data(const TrainConfig& config, const TrainParts& parts) {
  const DatasetInput input{.data_dir = config.data_dir, .seed = config.seed};
  return parts.data ? parts.data(input) : make_dataset(config.data, input);
}

/// Images for which the model is made.
ImageShape image_of(const TrainConfig& config, const DatasetInfo& data) {
  if (!config.image_size.given()) return data.image;
  return {data.image.channels, config.image_size.last(), config.image_size.last()};
}

Model build_model(const TrainConfig& config, const TrainParts& parts, const DatasetInfo& info,
                  torch::Device device) {
  const ModelInput input{
      .image = image_of(config, info), .classes = info.classes(), .file = config.model_file};
  Model model = parts.model ? parts.model(input) : make_model(config.model, input, config.seed);
  if (!config.freeze.empty()) freeze(*model.module, config.freeze);
  model.module->to(device);
  return model;
}

/// Before images are scaled to what the model takes.
std::map<std::string, std::string> describe(const TrainConfig& config, const TrainParts& parts,
                                            DatasetInfo data, const Model& model) {
  const bool is_photo = data.image.channels == 1 || data.image.channels == 3;
  if (parts.model || !is_photo) return {};
  data.image = image_of(config, data);
  return to_metadata({.model = config.model, .data = data, .input = model.input});
}

FlatParameters with_lr_scales(const TrainConfig& config, torch::nn::Module& module,
                              const FlatParameters::Allocate& gradients,
                              const FlatParameters::Allocate& values) {
  FlatParameters parameters(module, gradients, values);
  if (!config.lr_scale.empty()) scale_rates_of(parameters, module, config.lr_scale);
  return parameters;
}

/// Where sizes are given, they end with the one that the model takes.
void check_sizes(const SizesByEpoch& sizes, const ImageShape& input) {
  if (!sizes.given() || (input.height == sizes.last() && input.width == sizes.last())) return;
  throw UsageError(
      fmt::format("--image-size {} ends with images of {}, and the model takes {}; end it with "
                  "what the model takes, or choose another model",
                  sizes.str(), sizes.last(), input.str()));
}

/// One that takes images of all sizes that the run has.
EngineChoice make_engines(const TrainConfig& config, Model& model, FlatParameters& parameters,
                          const EngineOptions& options) {
  check_sizes(config.image_size, model.input);
  const auto make = [&](Model& sized, const EngineOptions& same) {
    return make_engine(sized, parameters, same);
  };
  if (!config.image_size.given()) return make(model, options);
  return make_sized_engine(model, config.image_size.all(), options, make);
}

void fit_images(DatasetSplits& data, const ImageShape& input) {
  const ImageShape& image = data.train->info().image;
  if (image.channels != input.channels) {
    throw UsageError(
        fmt::format("the model takes {} images, but data set '{}' has {}; choose "
                    "another model or data set",
                    input.str(), data.train->info().name, image.str()));
  }
  data.train = resized(data.train, input.height, input.width);
  data.validation = resized(data.validation, input.height, input.width);
}

EngineOptions engine_options(const TrainConfig& config, const Dataset& train, std::int64_t threads,
                             const std::function<Model()>& another, const LossScaler* scaler,
                             bool early_gradients) {
  std::function<double()> loss_scale;
  if (scaler != nullptr) loss_scale = [scaler] { return scaler->scale(); };
  return {
      .kind = config.engine,
      .precision = config.precision,
      .replicas = static_cast<int>(config.replicas),
      .threads = static_cast<int>(threads),
      .micro_batch = config.micro_batch,
      .convolution = config.convolution,
      .loss = {.label_smoothing = config.label_smoothing,
               .class_weights = class_weights_of(flag::kClassWeights, config.class_weights, train)},
      .early_gradients = early_gradients,
      .another = another,
      .loss_scale = loss_scale,
      .cuda_graph = config.cuda_graph};
}

/// How often images come, null where each comes once an epoch.
std::shared_ptr<const WeightedOrder> order_of(const TrainConfig& config, const Dataset& train) {
  if (config.sample_weights.empty()) return nullptr;
  const auto weights = class_weights_of(flag::kSampleWeights, config.sample_weights, train);
  return std::make_shared<const WeightedOrder>(weights_of_images(weights, train));
}

}  // namespace

Workload::Workload(const TrainConfig& config, std::int64_t threads, const TrainParts& parts,
                   const FlatParameters::Allocate& gradients,
                   const FlatParameters::Allocate& values, bool early_gradients)
    : device(choose_device(config.device)),
      data(load_data(config, parts)),
      model(build_model(config, parts, data.train->info(), device)),
      metadata(describe(config, parts, data.train->info(), model)),
      parameters(with_lr_scales(config, *model.module, gradients, values)),
      scaler(scales_loss(config.precision, device) ? std::make_unique<LossScaler>() : nullptr),
      engine(make_engines(
          config, model, parameters,
          engine_options(
              config, *data.train, threads,
              [&] { return build_model(config, parts, data.train->info(), torch::kCPU); },
              scaler.get(), early_gradients))),
      order(order_of(config, *data.train)) {
  if (config.image_size.all().size() > 1) stored_train = data.train;
  fit_images(data, model.input);
  const auto spare = device.is_cpu() ? threads / 4 : threads;  // the rest computes the step
  loader.threads = static_cast<int>(config.loader_threads > 0 ? config.loader_threads
                                                              : std::max<std::int64_t>(1, spare));
  loader.pinned = device.is_cuda();
  if (engine.replicas == 1) loader.device = device;  // more share each batch out over their GPUs
}

std::shared_ptr<const Dataset> Workload::train_images(const SizesByEpoch& sizes,
                                                      std::int64_t epoch) const {
  if (!stored_train || sizes.at(epoch) == sizes.last()) return data.train;
  return resized(stored_train, sizes.at(epoch), sizes.at(epoch));
}

std::shared_ptr<ResidentImages> Workload::resident_images(
    const std::shared_ptr<const Dataset>& train) {
  if (resident_ && &resident_->dataset() == train.get()) return resident_;
  const Transform transform(train->info(), data.augmentation);
  const bool stay = loader.device.is_cuda() && ResidentImages::can_keep(*train, transform);
  resident_.reset();  // before there are two
  if (stay) resident_ = std::make_shared<ResidentImages>(train, transform, loader.device);
  return resident_;
}

}  // namespace yoke
