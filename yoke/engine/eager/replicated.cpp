#include "yoke/engine/eager/replicated.h"

#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include <deque>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/core/system/team.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/model_copy.h"
#include "yoke/engine/eager/part_statistics.h"
#include "yoke/engine/eager/placed_dropout.h"
#include "yoke/engine/eager/replica_gradients.h"

namespace yoke {
namespace {

using torch::Tensor;

/// `images` in at most `most` parts that differ by at most one, none of them empty.
std::vector<BatchPart> share_out(std::int64_t images, std::int64_t most) {
  std::vector<BatchPart> parts;
  const std::int64_t count = std::min(images, most);
  for (std::int64_t i = 0, begin = 0; i < count; ++i) {
    const std::int64_t end = begin + images / count + (i < images % count ? 1 : 0);
    parts.push_back({begin, end, images});
    begin = end;
  }
  return parts;
}

/// A copy of the model on a device of its own.
struct Copy {
  explicit Copy(Model made) : model(std::move(made)), parameters(*model.module) {}

  Model model;
  FlatParameters parameters;
};

/// What one thread computes with.
struct Replica {
  torch::Device device;
  Tensor values, gradients;     // fp32 [P]
  std::vector<Tensor> buffers;  // of the module
  std::unique_ptr<Engine> engine;
};

class Replicated final : public Engine {
 public:
  Replicated(Model& model, FlatParameters& parameters, const ReplicatedOptions& options)
      : threads_(std::max(1, options.threads / static_cast<int>(options.devices.size()))),
        team_(static_cast<int>(options.devices.size())) {
    add(model, parameters, options.devices.front(), options);
    for (std::size_t r = 1; r < options.devices.size(); ++r) {
      copies_.emplace_back(copy_model(options.another, model, options.devices[r],
                                      {.wanted_by = "replicas need", .instead = "--replicas 1"}));
      add(copies_.back().model, copies_.back().parameters, options.devices[r], options);
    }
    team_.run([this](int) { at::set_num_threads(threads_); });
  }

  Forward gradient(const Batch& batch, const StepKey& key, const GradientReady& ready) override {
    const auto parts = share_out(batch.size(), team_.size());
    torch::manual_seed(dropout_seed(batch, key));  // once: the generators belong to the process
    if (parts.empty()) return replicas_.front().engine->gradient(batch, key, ready);
    refresh(parts.size());
    const auto gradients = gradients_of(parts.size());
    GradientHandover handover(gradients, ready);
    const GradientReady completed = [&](std::int64_t begin, std::int64_t end) {
      handover.completed(begin, end);
    };
    std::vector<Forward> found(parts.size());
    std::vector<std::vector<PartStatistics>> statistics(parts.size());
    run(parts.size(), [&](std::size_t r) {
      const PlacedDropout dropout(parts[r]);  // on GPUs; on the CPU an engine has its own
      const StatisticsRecorder recorder(statistics[r]);
      found[r] = replicas_[r].engine->gradient(batch.slice(parts[r].begin, parts[r].end), key,
                                               ready ? completed : GradientReady());
    });
    if (!ready) add_up(gradients);
    move_running_statistics(statistics);
    return gather(found);
  }

  void synchronise_batch_norm(SumOverRanks) override {
    throw UsageError(
        fmt::format("the eager engine with {} replicas normalises per replica; with "
                    "sync_batchnorm=true give --replicas 1, and a rank for each",
                    replicas_.size()));
  }

  Tensor predict(const Tensor& input) override {
    const auto parts = share_out(input.size(0), team_.size());
    if (parts.empty()) return replicas_.front().engine->predict(input);
    refresh(parts.size());
    std::vector<Tensor> scores(parts.size());
    run(parts.size(), [&](std::size_t r) {
      scores[r] = replicas_[r].engine->predict(input.slice(0, parts[r].begin, parts[r].end));
    });
    return cat(scores);
  }

  std::string describe(std::int64_t batch_size) override {
    const std::string each = replicas_.front().engine->describe(batch_size);
    if (replicas_.front().device.is_cpu()) {
      return fmt::format("{}, {} replicas on the CPU, {} each", each, replicas_.size(),
                         format_count(threads_, "thread"));
    }
    std::vector<std::string> devices;
    for (const auto& replica : replicas_) devices.push_back(replica.device.str());
    return fmt::format("{}, {} replicas on {}", each, replicas_.size(), fmt::join(devices, ", "));
  }

 private:
  void add(Model& model, FlatParameters& parameters, torch::Device device,
           const ReplicatedOptions& options) {
    replicas_.push_back({.device = device,
                         .values = parameters.values(),
                         .gradients = parameters.gradients(),
                         .buffers = model.module->buffers(),
                         .engine = make_eager_engine(model, parameters,
                                                     {.loss = options.loss,
                                                      .seeding = Seeding::kCaller,
                                                      .precision = options.precision,
                                                      .loss_scale = options.loss_scale,
                                                      .another = options.another})});
  }

  /// Calls work(r) in a thread for each of the first `count` replicas, on its device.
  void run(std::size_t count, const std::function<void(std::size_t)>& work) {
    team_.run([&](int member) {
      const auto r = static_cast<std::size_t>(member);
      if (r >= count) return;
      const c10::DeviceGuard guard(replicas_[r].device);
      work(r);
    });
  }

  /// The optimizer has moved the first replica's parameters, or a checkpoint or other ranks have.
  void refresh(std::size_t count) {
    const Replica& first = replicas_.front();
    run(count, [&](std::size_t r) {
      if (r == 0) return;
      const torch::NoGradGuard no_grad;
      Replica& replica = replicas_[r];
      replica.values.copy_(first.values, /*non_blocking=*/true);
      for (std::size_t i = 0; i < replica.buffers.size(); ++i) {
        replica.buffers[i].copy_(first.buffers[i], /*non_blocking=*/true);
      }
    });
  }

  std::vector<Tensor> gradients_of(std::size_t count) const {
    std::vector<Tensor> gradients;
    for (std::size_t r = 0; r < count; ++r) gradients.push_back(replicas_[r].gradients);
    return gradients;
  }

  /// Each thread a range of the elements.
  void add_up(const std::vector<Tensor>& gradients) {
    const std::int64_t elements = gradients.front().numel();
    const auto count = static_cast<std::int64_t>(gradients.size());
    run(gradients.size(), [&](std::size_t r) {
      const auto i = static_cast<std::int64_t>(r);
      add_gradients(gradients, elements * i / count, elements * (i + 1) / count);
    });
  }

  Tensor cat(const std::vector<Tensor>& parts) const {
    std::vector<Tensor> here;
    for (const auto& part : parts) here.push_back(part.to(replicas_.front().device));
    return here.size() == 1 ? here.front() : torch::cat(here);
  }

  Forward gather(const std::vector<Forward>& found) const {
    Forward whole{.loss = found.front().loss, .scores = {}};
    std::vector<Tensor> scores;
    for (std::size_t r = 0; r < found.size(); ++r) {
      if (r > 0) whole.loss = whole.loss + found[r].loss.to(whole.loss.device());
      scores.push_back(found[r].scores);
    }
    whole.scores = cat(scores);
    return whole;
  }

  const int threads_;        // LibTorch's in each replica's thread
  std::deque<Copy> copies_;  // of all replicas but the first
  std::vector<Replica> replicas_;
  Team team_;  // last: its threads use the rest
};

}  // namespace

std::unique_ptr<Engine> make_replicated_engine(Model& model, FlatParameters& parameters,
                                               const ReplicatedOptions& options) {
  return std::make_unique<Replicated>(model, parameters, options);
}

}  // namespace yoke
