#include "yoke/train/announce.h"

#include <fmt/format.h>

namespace yoke {
namespace {

void announce_data(Reporter& reporter, const TrainConfig& config, const DatasetSplits& data) {
  const Dataset& train = *data.train;
  reporter.message(fmt::format(
      "data       {}, {} training and {} validation images, {} in {} classes", config.data,
      train.size(), data.validation->size(), train.info().image.str(), train.info().classes()));
  if (!data.held_out.empty()) {
    reporter.message(fmt::format("held out   {}", data.held_out));
  }
  if (!data.left_out.empty()) {
    reporter.message(fmt::format("left out   {}", data.left_out));
  }
}

/// `128 images`, `128 images, 512 from epoch 30 on`.
std::string images_of(const SizesByEpoch& sizes) {
  std::string text = fmt::format("{} images", sizes.first());
  for (const auto& stage : sizes.stages()) {
    if (stage.epoch > 0) text += fmt::format(", {} from epoch {} on", stage.size, stage.epoch);
  }
  return text;
}

}  // namespace

void announce(Reporter& reporter, const TrainConfig& config, const Resolved& resolved,
              Workload& workload, Trainer& trainer, const std::string& weights,
              const std::string& threads) {
  reporter.message(
      fmt::format("model      {}, {} parameters", config.model, workload.parameters.size()));
  if (!weights.empty()) reporter.message(fmt::format("weights    {}", weights));
  announce_data(reporter, config, workload.data);
  reporter.message(fmt::format("step       {}, {}, lr {:g}, schedule {}; {} steps",
                               images_of(trainer.batch_sizes()), config.optimizer, resolved.lr,
                               config.schedule, trainer.total_steps()));
  if (const auto& average = trainer.average()) {
    reporter.message(fmt::format("average    {}", average->describe()));
  }
  if (const auto images = trainer.resident_images(workload.data.train)) {
    reporter.message(fmt::format("images     {}", images->describe()));
  }
  auto& engine = workload.engine;
  if (!engine.note.empty()) reporter.message(engine.note);
  reporter.message(fmt::format("engine     {}", engine.engine->describe(trainer.batch_size())));
  reporter.message(fmt::format("machine    {}, {}", workload.device.str(), threads));
  const Communicator& ranks = trainer.communicator();
  if (ranks.size() > 1) {
    reporter.message(fmt::format("ranks      {} over {}", ranks.size(), ranks.describe()));
  }
  for (const auto& warning : trainer.warnings()) reporter.message(warning);
  reporter.message(fmt::format("results    {}", resolved.directory.path.string()));
  if (trainer.state().step > 0) {
    reporter.message(
        fmt::format("resumed    at step {} of {}", trainer.state().step, trainer.total_steps()));
  }
}

}  // namespace yoke
