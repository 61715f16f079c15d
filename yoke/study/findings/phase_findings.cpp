// yoke/study/findings/phase_findings.cpp: what a run used while it did one thing or another, and
// why.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "yoke/run/summary.h"
#include "yoke/study/findings/findings.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

constexpr std::size_t kKinds = 4;  // of phases that last

/// What the process of one rank used in all phases of a kind.
struct Use {
  double seconds = 0;
  int times = 0;
  double busy = 0, sampled = 0;  ///< Core seconds, of seconds that samples tell of.
  int samples = 0;               ///< Of memory.
  double memory = 0;             ///< Bytes, at the last sample.
  double memory_change = 0;
  double early_change = 0;  ///< Of these, those in the first quarter of its time.

  std::optional<double> cores() const {
    return sampled > 0 ? std::optional(busy / sampled) : std::nullopt;
  }
};

double overlap(const Phase& phase, double begin, double end) {
  return std::max(0.0, std::min(phase.end, end) - std::max(phase.begin, begin));
}

/// Seconds of [begin, end] in phases of each kind.
std::array<double, kKinds> split_by_kind(const std::vector<Phase>& phases, double begin,
                                         double end) {
  std::array<double, kKinds> seconds{};
  for (const Phase& phase : phases) {
    seconds[static_cast<std::size_t>(phase.kind)] += overlap(phase, begin, end);
  }
  return seconds;
}

/// The samples of the run's first rank, by kind of phase.
class Uses {
 public:
  explicit Uses(const RunResults& run) : phases_(run.phases) {
    for (const Phase& phase : phases_) {
      Use& use = of(phase.kind);
      use.seconds += phase.end - phase.begin;
      ++use.times;
    }
    double begin = 0, memory = 0;
    for (const auto& sample : run.resources) {
      if (sample.rank != run.resources.front().rank) continue;
      if (sample.seconds > begin) add(sample, begin, memory);
      begin = sample.seconds;
      memory = sample.rss_bytes.value_or(memory);
      peak_ = std::max(peak_, memory);
    }
  }

  Use& of(PhaseKind kind) { return uses_[static_cast<std::size_t>(kind)]; }
  double peak() const { return peak_; }

 private:
  /// A sample belongs to the kind that most of its time was spent in.
  void add(const ResourceSample& sample, double begin, double memory) {
    const double length = sample.seconds - begin;
    const auto seconds = split_by_kind(phases_, begin, sample.seconds);
    const auto most = std::max_element(seconds.begin(), seconds.end());
    if (*most < length / 2) return;
    const auto kind = static_cast<std::size_t>(most - seconds.begin());
    Use& use = uses_[kind];
    const double before = split_by_kind(phases_, 0, begin)[kind];
    const double change = sample.rss_bytes.value_or(memory) - memory;
    use.memory = memory + change;
    use.memory_change += change;
    ++use.samples;
    if (before < use.seconds / 4) use.early_change += change;
    // A second that is half another phase's says little of either; what is before the first sample
    // is not what its time of the processor was measured over.
    if (!sample.cpu_percent || begin == 0 || *most < 0.8 * length) return;
    use.busy += *sample.cpu_percent / 100 * length;
    use.sampled += length;
  }

  const std::vector<Phase>& phases_;
  std::array<Use, kKinds> uses_{};
  double peak_ = 0;
};

std::string in_bytes(double bytes) {
  const Unit unit = unit_of_bytes(std::abs(bytes));
  return fmt::format("{:.3g} {}", bytes / unit.divisor, unit.name);
}

/// ` (52.2 s)`, or ` (5 times, 1.07 s in all)`.
std::string lasted(const Use& use) {
  if (use.times == 1) return fmt::format(" ({})", in_seconds(use.seconds));
  return fmt::format(" ({} times, {} in all)", use.times, in_seconds(use.seconds));
}

std::string busy(const Use& use) {
  return use.cores() ? fmt::format(" {:.2f} cores were busy.", *use.cores()) : "";
}

/// Why threads that compute were not all busy, or more than they.
std::string why_so_busy(const RunResults& run, const Use& use) {
  const double threads = run.number(key::kThreads).value_or(0);
  const double steps = run.number(key::kTrainSeconds).value_or(0);
  if (!use.cores() || threads <= 0 || steps <= 0 || run.text(key::kDevice) != "cpu") return "";
  const std::string all = threads == 1 ? "the one thread that computes"
                                       : fmt::format("the {:g} threads that compute", threads);
  if (*use.cores() > 1.05 * threads) {
    return fmt::format(" That is more than {} can: others make batches beside.", all);
  }
  const double idle = 1 - *use.cores() / threads;
  if (idle < 0.1) return "";
  const double ranks = run.number(key::kCommunicationSeconds).value_or(0) / steps;
  const double data = run.number(key::kDataWaitSeconds).value_or(0) / steps;
  if (ranks + data > idle / 2) {
    return fmt::format(
        " That is less than {} could: {:.0f} % of the time went into waiting for other ranks and "
        "{:.0f} % into waiting for data.",
        all, 100 * ranks, 100 * data);
  }
  const auto quota =
      run.number(fmt::format("{}.{}", key::kHardware, hardware_key::kCoreQuota)).value_or(0);
  if (quota > 0 && quota < threads) {
    return fmt::format(" That is less than {} could: a quota allows {:g} cores.", all, quota);
  }
  return fmt::format(
      " That is less than {} could: {}other processes had the cores at times.", all,
      threads > 1 ? "some wait where parts of a step cannot be shared out, or " : "");
}

/// What is worth telling of a change in memory: a part of the most there was.
bool is_much(const Uses& uses, double change) { return std::abs(change) > 0.03 * uses.peak(); }

std::string of_loading(const RunResults& run, const Use& use) {
  const bool meets = run.number(key::kWorldSize).value_or(1) > 1;
  std::string text = fmt::format(
      "Loading{}: the program starts, {}reads data, makes the network and plans its step.",
      lasted(use), meets ? "meets other ranks, " : "");
  if (use.memory > 0) {
    text +=
        fmt::format(" Memory rose to {}: LibTorch, the weights, and images that stay in memory.",
                    in_bytes(use.memory));
  }
  return text;
}

std::string of_training(const RunResults& run, const Uses& uses, const Use& use) {
  const double parts = use.times;
  std::string text = fmt::format("Training ({}{}):{}{}", in_seconds(use.seconds),
                                 parts > 1 ? fmt::format(" in {:g} parts", parts) : "", busy(use),
                                 why_so_busy(run, use));
  if (use.samples == 0) return text;
  const double later = use.memory_change - use.early_change;
  const bool changed = is_much(uses, use.early_change);
  if (changed) {
    text += fmt::format(
        " Memory {} by {} in the first quarter of it: the first steps allocate activations, "
        "gradients and batches made ahead, which later ones use again.",
        use.early_change > 0 ? "rose" : "fell", in_bytes(std::abs(use.early_change)));
  }
  if (is_much(uses, later)) {
    return text + fmt::format(" {} {} by {} {}.", changed ? "Then it" : "Memory",
                              later > 0 ? "rose" : "fell", in_bytes(std::abs(later)),
                              changed ? "more" : "after the first quarter of it");
  }
  return text + (changed ? " Then it stayed so." : " Memory stayed as it was.");
}

std::string of_evaluating(const Uses& uses, const Use& use) {
  std::string text = fmt::format(
      "Evaluation{}: the validation images forward, without gradients.{}", lasted(use), busy(use));
  if (is_much(uses, use.memory_change)) {
    text += fmt::format(
        " Memory {} by {} in all: its batches have another size, and activations of their own.",
        use.memory_change > 0 ? "rose" : "fell", in_bytes(std::abs(use.memory_change)));
  }
  return text;
}

std::string of_checkpointing(const RunResults& run, const Use& use) {
  std::string text = fmt::format(
      "Checkpoints{}: the step waits while weights and the optimizer's state are copied; a thread "
      "writes the copy beside the next steps.{}",
      lasted(use), busy(use));
  double written = 0;
  for (const auto& sample : run.resources) {
    if (sample.rank == run.resources.front().rank) {
      written = std::max(written, sample.disk_write_bytes.value_or(0));
    }
  }
  if (written > 0) text += fmt::format(" The process wrote {} in all.", in_bytes(written));
  return text;
}

}  // namespace

std::vector<std::string> phase_findings(const RunResults& run) {
  if (run.resources.empty() || run.phases.empty()) return {};
  Uses uses(run);
  std::vector<std::string> found;
  const auto add = [&](PhaseKind kind, const auto& tell) {
    if (const Use& use = uses.of(kind); use.seconds > 0) found.push_back(tell(use));
  };
  add(PhaseKind::kLoading, [&](const Use& use) { return of_loading(run, use); });
  add(PhaseKind::kTraining, [&](const Use& use) { return of_training(run, uses, use); });
  add(PhaseKind::kEvaluating, [&](const Use& use) { return of_evaluating(uses, use); });
  add(PhaseKind::kCheckpointing, [&](const Use& use) { return of_checkpointing(run, use); });
  return found;
}

}  // namespace yoke::study
