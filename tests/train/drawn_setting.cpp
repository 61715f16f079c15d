#include "tests/train/drawn_setting.h"

#include <fmt/format.h>

#include <vector>

#include "yoke/core/random.h"
#include "yoke/optim/optimizer.h"

namespace yoke::test {
namespace {

constexpr std::int64_t kSteps = 8;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, 0, 0, Purpose::kTest) {}

  DrawnSetting setting() {
    setting_.ranks = static_cast<int>(among(2, 4));
    setting_.save = among(2, 6);
    compiled_ = coin();
    optimizer_ = one_of(optimizers().available());
    model_ = one_of({"mlp", "lenet", "lab-cnn", "bn-cnn"});
    clipped_ = first_order() && coin();
    const std::string strategy = draw_strategy();
    // One by one, for the order of a call's arguments is the compiler's.
    const auto images = among(150, 300), batch = among(20, 120), seed = among(0, 9);
    const auto schedule =
        one_of({"constant", "cosine", "onecycle", "warmup", "plateau:patience=0"});
    const auto comm = one_of({"gloo", "shared-memory", "auto"});
    const std::string average = coin() ? fmt::format(" --ema 0.8,every={}", among(1, 3)) : "";
    const std::string weights = coin() ? " --sample-weights balanced" : "";
    const auto step = fmt::format(
        "--model {} --data glyphs:train={},validation=53 --max-steps {} --epochs 4 --batch-size {} "
        "--engine {} --optimizer {} --lr {} --schedule {} --seed {}{}{}",
        model_, images, kSteps, batch, compiled_ ? "compiled" : "eager",
        optimizer_ + (clipped_ ? ":clip=1" : ""), smooth() ? 0.01 : 1e-3, schedule, seed, average,
        weights);
    setting_.flags =
        fmt::format("{} --strategy {} --comm {} --threads {}", step, strategy, comm, among(1, 2));
    setting_.flags_of_one_rank = step + " --threads 1";
    setting_.equals_one_rank = sums_alike_ && smooth() && !normalises_alone();
    return setting_;
  }

 private:
  std::int64_t among(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  bool coin() { return among(0, 1) == 1; }
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[random_.below(choices.size())];
  }

  std::string draw_strategy() {
    if (coin()) return allreduce();
    return first_order() && coin() ? server() : averaging();
  }

  std::string allreduce() {
    const auto bucket = one_of({"0", "0.1", "25"});
    std::string text =
        fmt::format("allreduce:check_every=1,bucket_mib={},accumulate={}", bucket, among(1, 3));
    if (coin()) {
      const std::string compress = one_of({"bf16", "fp16", first_order() ? "powersgd" : "none"});
      sums_alike_ = compress == "none";
      text += ",compress=" + compress;
    } else if (coin()) {
      text += ",shard_state=true";
    }
    synchronised_ = !compiled_ && coin();
    return text + (synchronised_ ? ",sync_batchnorm=true" : "");
  }

  // Exact where ranks have met, and no state is a rank's own.
  std::string averaging() {
    const std::int64_t every = among(1, 3);
    setting_.save = every * among(1, (kSteps - 1) / every);
    sums_alike_ = false;
    const std::string momentum = first_order() && coin() ? "average" : "reset";
    return fmt::format("averaging:every={},momentum={}{}", every, momentum,
                       coin() ? ",outer=nesterov:lr=0.7+momentum=0.5" : "");
  }

  // A part of the parameters is enough for an optimizer without norms over all of them.
  std::string server() {
    clipped_ = false;
    const bool in_parts = optimizers().choose(optimizer_).traits.elementwise;
    const auto servers = in_parts ? among(0, setting_.ranks - 1) : 1;
    return fmt::format("parameter-server:servers={},bucket_mib={}", servers, one_of({"0", "25"}));
  }

  bool first_order() const { return optimizers().choose(optimizer_).traits.first_order; }
  /// Whether steps follow a gradient smoothly: others make much of the rounding of a small one.
  bool smooth() const { return optimizer_ == "sgd" || optimizer_ == "lars"; }
  bool normalises_alone() const { return model_ == "bn-cnn" && !synchronised_; }

  RandomStream random_;
  DrawnSetting setting_;
  std::string optimizer_, model_;
  bool clipped_ = false, compiled_ = false, synchronised_ = false, sums_alike_ = true;
};

}  // namespace

DrawnSetting draw_setting(std::uint64_t seed) { return Draw(seed).setting(); }

}  // namespace yoke::test
