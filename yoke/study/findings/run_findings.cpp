// yoke/study/findings/run_findings.cpp: what can be said of one run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/run/ranks_alone.h"
#include "yoke/run/summary.h"
#include "yoke/study/findings/findings.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

using Sentences = std::vector<std::string>;

std::string how_it_ended(const RunResults& run) {
  if (run.status == run_status::kFailed) return fmt::format("failed ({})", run.text(key::kError));
  if (run.status == run_status::kStopped) return "was stopped";
  return run.status == run_status::kCompleted ? "completed" : "has not ended";
}

void add_outcome(const RunResults& run, Sentences& out) {
  std::string text = fmt::format("{} on {}: the run {}", run.text(key::kModel),
                                 run.text(key::kData), how_it_ended(run));
  const auto epochs = run.number(key::kEpochs), seconds = run.number(key::kTrainSeconds);
  if (epochs && seconds) {
    text +=
        fmt::format(", after {:.3g} epochs in {} of training steps", *epochs, in_seconds(*seconds));
  }
  if (const auto rate = run.number(key::kImagesPerSecond); rate && *rate > 0) {
    text += fmt::format(", {} images/s", in_thousands(*rate));
  }
  if (const auto ranks = run.number(key::kWorldSize); ranks && *ranks > 1) {
    text += fmt::format(" on {:g} ranks", *ranks);
  }
  out.push_back(text + ".");
}

/// Of ranks that train by themselves until they take a mean.
void add_each_rank(const RunResults& run, Sentences& out) {
  const auto& last = run.validation.back();
  if (last.rank_top1.size() < 2) return;
  const RanksAlone alone = ranks_alone(last.rank_top1);
  out.push_back(fmt::format(
      "The {} ranks by themselves had {} to {} then, and the mean of their parameters {}.",
      last.rank_top1.size(), in_percent(alone.least), in_percent(alone.most),
      in_percent(last.top1)));
}

void add_accuracy(const RunResults& run, Sentences& out) {
  if (run.validation.empty()) return;
  const auto& last = run.validation.back();
  out.push_back(fmt::format(
      "Accuracy on the validation images at the last evaluation: {} (cross-entropy {}).",
      in_percent(last.top1),
      std::isfinite(last.loss) ? fmt::format("{:.4f}", last.loss) : "not a finite number"));
  const auto best =
      std::min_element(run.validation.begin(), run.validation.end(),
                       [](const Metrics& a, const Metrics& b) { return a.loss < b.loss; });
  if (std::isfinite(last.loss) && best->loss < 0.98 * last.loss) {
    out.push_back(fmt::format(
        "The loss on the validation images was lowest, {:.4f}, at epoch {:.3g} and rose to {:.4f} "
        "at epoch {:.3g}.",
        best->loss, best->epoch, last.loss, last.epoch));
  }
  add_each_rank(run, out);
  const auto target = run.number(key::kTargetAccuracy);
  if (!target) return;
  const auto reached = run.number(key::kTimeToTargetSeconds);
  out.push_back(reached ? fmt::format("The target of {} was reached after {}.", in_percent(*target),
                                      in_seconds(*reached))
                        : fmt::format("The target of {} was not reached.", in_percent(*target)));
}

void add_time(const RunResults& run, Sentences& out) {
  const auto steps = run.number(key::kTrainSeconds);
  if (!steps || *steps <= 0 || run.training.empty()) return;
  const double communication = run.number(key::kCommunicationSeconds).value_or(0) / *steps;
  const double data = run.number(key::kDataWaitSeconds).value_or(0) / *steps;
  const double compute = std::max(0.0, 1 - communication - data);
  std::string most = "computing";
  if (communication > std::max(compute, data)) most = "waiting for other ranks";
  if (data > std::max(compute, communication)) most = "waiting for data";
  out.push_back(fmt::format(
      "Of the time in steps, rank 0 spent {:.1f} % computing, {:.1f} % waiting for other ranks and "
      "{:.1f} % waiting for data: most went into {}.",
      100 * compute, 100 * communication, 100 * data, most));
  const double evaluating = run.number(key::kEvaluateSeconds).value_or(0);
  const double saving = run.number(key::kCheckpointSeconds).value_or(0);
  out.push_back(fmt::format("Of {} in all, evaluation took {} and waiting for checkpoints {}.",
                            in_seconds(run.number(key::kWallSeconds).value_or(0)),
                            in_seconds(evaluating), in_seconds(saving)));
}

void add_classes(const RunResults& run, Sentences& out) {
  const auto& accuracy = run.per_class_accuracy;
  std::size_t worst = accuracy.size(), best = accuracy.size();
  for (std::size_t c = 0; c < accuracy.size(); ++c) {
    if (!std::isfinite(accuracy[c])) continue;
    if (worst == accuracy.size() || accuracy[c] < accuracy[worst]) worst = c;
    if (best == accuracy.size() || accuracy[c] > accuracy[best]) best = c;
  }
  if (worst == best) return;
  out.push_back(fmt::format("Of the classes, '{}' is recognised best ({}) and '{}' worst ({}).",
                            run.class_name(best), in_percent(accuracy[best]), run.class_name(worst),
                            in_percent(accuracy[worst])));
  double most = 0;
  std::size_t truth = 0, taken = 0;
  for (std::size_t row = 0; row < run.confusion.size(); ++row) {
    for (std::size_t column = 0; column < run.confusion[row].size(); ++column) {
      if (row == column || run.confusion[row][column] <= most) continue;
      most = run.confusion[row][column];
      truth = row;
      taken = column;
    }
  }
  if (most > 0) {
    out.push_back(fmt::format("The most frequent mistake takes '{}' for '{}': {:.0f} images.",
                              run.class_name(truth), run.class_name(taken), most));
  }
}

/// Where classes have different numbers of images, this is another thing than accuracy.
void add_class_scores(const RunResults& run, Sentences& out) {
  const auto accuracy = run.number(key::kValBalancedAccuracy), f1 = run.number(key::kValMacroF1);
  if (!accuracy || !f1) return;
  out.push_back(
      fmt::format("Where each class counts alike, balanced accuracy is {} and macro F1 {}.",
                  in_percent(*accuracy), in_percent(*f1)));
}

void add_confidence(const RunResults& run, Sentences& out) {
  const auto& bins = run.confidence_bins;
  const double error = expected_calibration_error(bins);
  if (!std::isfinite(error)) return;
  const double confidence =
      mean_over_images(bins, [](const ConfidenceBin& bin) { return bin.confidence; });
  const double accuracy =
      mean_over_images(bins, [](const ConfidenceBin& bin) { return bin.accuracy; });
  constexpr double kAlike = 0.005;
  const char* judgement = "about as sure as it is right";
  if (confidence > accuracy + kAlike) judgement = "surer than it is right";
  if (confidence < accuracy - kAlike) judgement = "less sure than it is right";
  out.push_back(fmt::format(
      "The network is {}: it gives the likeliest class a probability of {} on average and is right "
      "for {} of the images; the expected calibration error is {}.",
      judgement, in_percent(confidence), in_percent(accuracy), in_percent(error)));
}

void add_resources(const RunResults& run, Sentences& out) {
  double memory = 0, processor = 0;
  int samples = 0;
  for (const auto& sample : run.resources) {
    if (sample.rank != run.resources.front().rank) continue;
    memory = std::max(memory, sample.rss_bytes.value_or(0));
    if (sample.cpu_percent) {
      processor += *sample.cpu_percent;
      ++samples;
    }
  }
  if (samples == 0) return;
  const Unit unit = unit_of_bytes(memory);
  out.push_back(fmt::format(
      "Rank {} kept {:.2f} cores busy on average and held at most {:.3g} {} of memory.",
      run.resources.front().rank, processor / samples / 100, memory / unit.divisor, unit.name));
}

}  // namespace

std::vector<std::string> run_findings(const RunResults& run) {
  Sentences sentences;
  add_outcome(run, sentences);
  add_accuracy(run, sentences);
  add_time(run, sentences);
  add_classes(run, sentences);
  add_class_scores(run, sentences);
  add_confidence(run, sentences);
  add_resources(run, sentences);
  return sentences;
}

}  // namespace yoke::study
