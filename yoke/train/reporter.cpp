#include "yoke/train/reporter.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/engine/trace.h"
#include "yoke/report/tensorboard/graph.h"

namespace yoke {
namespace {

std::unique_ptr<Progress> progress_for(const TrainConfig& config, const Output& output) {
  if (output.stream == nullptr) return make_progress(ProgressKind::kNone, std::cout);
  const auto automatic = output.terminal ? ProgressKind::kBar : ProgressKind::kLines;
  return make_progress(config.progress == ProgressKind::kAuto ? automatic : config.progress,
                       *output.stream, output.columns);
}

}  // namespace

Reporter::Reporter(const TrainConfig& config, const Resolved& resolved, const Output& output,
                   int rank, std::optional<std::int64_t> resume_step, double seconds,
                   std::vector<std::string> gpus)
    : progress_(progress_for(config, rank == 0 ? output : Output())) {
  const RunDirectory& directory = resolved.directory;
  if (rank == 0) guarded([&] { console_.emplace(directory.console()); });
  if (rank == 0) metrics_.emplace(directory.metrics(), resume_step);
  if (rank == 0) phases_.emplace(directory.phases());
  if (rank == 0 && config.tensorboard) {
    tensorboard_ = std::make_unique<TensorBoardWriter>(
        directory.path, resume_step ? std::optional(*resume_step + 1) : std::nullopt);
  }
  if (resolved.resources) {
    resources_ = std::make_unique<ResourceSampler>(directory.resources(), rank,
                                                   std::chrono::milliseconds(500), seconds,
                                                   GpuCounters(std::move(gpus)));
  }
}

template <typename Write>
void Reporter::guarded(const Write& write) {
  try {
    write();
  } catch (const Error& error) {
    const bool first = !std::exchange(complained_, true);
    if (first) message(fmt::format("warning: {}; training goes on", error.what()));
  }
}

/// On the user's screen and into the log.
template <typename Tell>
void Reporter::tell(const Tell& tell) {
  tell(*progress_);
  guarded([&] {
    if (console_) console_->add(tell);
  });
}

void Reporter::message(const std::string& text) {
  tell([&](Progress& progress) { progress.message(text); });
}

void Reporter::graph(const Model& model) {
  if (!tensorboard_) return;
  guarded([&] {
    const auto device = model.module->parameters().at(0).device();
    const auto example = torch::zeros(
        {1, model.input.channels, model.input.height, model.input.width}, torch::device(device));
    tensorboard_->add_graph(graph_definition(*trace(model, example)));
  });
}

void Reporter::phase(PhaseKind phase, double seconds) {
  guarded([&] {
    if (phases_) phases_->begin(phase, seconds);
  });
}

void Reporter::training(const ProgressState& state, const Metrics& metrics,
                        const StepTimes& times) {
  tell([&](Progress& progress) { progress.training(state, metrics, times); });
  guarded([&] {
    if (metrics_) metrics_->write(metrics);
    if (!tensorboard_) return;
    tensorboard_->add_scalar("Loss/train", metrics.loss, metrics.step);
    tensorboard_->add_scalar("Accuracy/train", metrics.top1, metrics.step);
    tensorboard_->add_scalar("lr", metrics.lr, metrics.step);
    tensorboard_->add_scalar("throughput/images_per_second", metrics.images_per_second,
                             metrics.step);
  });
}

void Reporter::validation(const ProgressState& state, const Metrics& metrics) {
  tell([&](Progress& progress) { progress.validation(state, metrics); });
  guarded([&] {
    if (metrics_) metrics_->write(metrics);
    if (!tensorboard_) return;
    tensorboard_->add_scalar("Loss/val", metrics.loss, metrics.step);
    tensorboard_->add_scalar("Accuracy/val", metrics.top1, metrics.step);
    tensorboard_->flush();
  });
}

void Reporter::finish() {
  progress_->finish();
  guarded([&] {
    if (metrics_) metrics_->flush();
    if (tensorboard_) tensorboard_->flush();
  });
  resources_.reset();
}

}  // namespace yoke
