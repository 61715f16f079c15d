// yoke/study/findings/scaling_findings.cpp: what more workers and larger batches bring.
#include <fmt/format.h>

#include <algorithm>

#include "yoke/run/summary.h"
#include "yoke/study/findings/findings.h"
#include "yoke/study/report/words.h"
#include "yoke/study/scaling.h"

namespace yoke::study {
namespace {

std::string of(const Line& line) { return line.label.empty() ? "" : line.label + ": "; }

std::string explanation(const std::string& cause) {
  if (cause == "computing") {
    return "computing itself (ranks share cores or memory, or their shares of a batch are too "
           "small to be fast)";
  }
  if (cause == "communication") return "communication: the link, or waiting for slower ranks";
  return "waiting for data: the loader does not keep up";
}

void add_workers(const Line& line, const std::string& axis, std::vector<std::string>& out) {
  const auto scaling = scaling_of(line);
  if (!scaling) return;
  const auto& last = scaling->steps.back();
  std::string text = fmt::format(
      "{}From {:g} to {:g} {}, images per second {} {:.2f} times: {:.0f} % of the ideal.", of(line),
      line.base.x, last.x, axis, last.speed_up < 1 ? "fall to" : "grow", last.speed_up,
      100 * last.efficiency);
  if (scaling->stops_at) {
    text += fmt::format(" More {} than {:g} bring no more speed.", axis,
                        scaling->steps[*scaling->stops_at].x);
  }
  if (last.efficiency < 0.9 && !scaling->cause.empty()) {
    text += fmt::format(" Most of what is lost at {:g} goes into {}.", last.x,
                        explanation(scaling->cause));
  }
  out.push_back(text);
}

void add_batch(const Line& line, std::vector<std::string>& out) {
  const auto &small = line.places.front(), &large = line.places.back();
  const Sample time_small = small.group->sample(key::kTrainSeconds);
  const Sample time_large = large.group->sample(key::kTrainSeconds);
  const Sample top1_small = small.group->sample(key::kValTop1);
  const Sample top1_large = large.group->sample(key::kValTop1);
  if (time_small.n == 0 || time_large.n == 0 || time_small.median <= 0) return;
  std::string text =
      fmt::format("{}A batch of {:g} trains in {}, one of {:g} in {}: {:.2f} times", of(line),
                  small.x, in_seconds(time_small.median), large.x, in_seconds(time_large.median),
                  time_large.median / time_small.median);
  if (const auto p = compare(time_small, time_large).p) {
    text += fmt::format(" ({} without correction, n = {} and {})", in_words(*p), time_small.n,
                        time_large.n);
  }
  if (top1_small.n > 0 && top1_large.n > 0) {
    text += fmt::format("; accuracy {} and {}", in_percent(top1_small.median),
                        in_percent(top1_large.median));
    if (const auto p = compare(top1_small, top1_large).p) {
      text += fmt::format(" ({})", in_words(*p));
    }
  }
  out.push_back(text + ".");
}

}  // namespace

std::vector<std::string> scaling_findings(const Comparison& comparison) {
  constexpr std::size_t kMostSentences = 8;  // of an axis
  std::vector<std::string> sentences;
  for (const auto& axis : worker_axes(comparison)) {
    const auto lines = lines_over(comparison, axis);
    for (std::size_t i = 0; i < std::min(kMostSentences, lines.size()); ++i) {
      add_workers(lines[i], axis, sentences);
    }
  }
  for (const auto& axis : batch_axes(comparison)) {
    const auto lines = lines_over(comparison, axis);
    for (std::size_t i = 0; i < std::min(kMostSentences, lines.size()); ++i) {
      add_batch(lines[i], sentences);
    }
  }
  return sentences;
}

}  // namespace yoke::study
