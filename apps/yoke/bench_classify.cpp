// apps/yoke/bench_classify.cpp: `yoke bench classify`, the speed at which photos are labelled.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/yoke/bench.h"
#include "apps/yoke/number_flag.h"
#include "apps/yoke/samples.h"
#include "apps/yoke/scoring.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

struct GivenLabelling {
  GivenScoring scoring;
  double seconds = 5;
  bool json = false;
};

void decode(const Scoring& scoring) {
  const auto loader = scoring.load();
  for (std::int64_t batch = 0; batch < scoring.batches(); ++batch) loader->next();
}

void decode_and_score(const Scoring& scoring) {
  const auto loader = scoring.load();
  for (std::int64_t batch = 0; batch < scoring.batches(); ++batch) {
    scoring.classifier().probabilities(loader->next().input);
  }
}

/// Images per second: of the median, and of the slowest and the fastest round.
struct Speed {
  double median, least, most;

  Speed(const Samples& samples, std::int64_t images)
      : median(1e3 * static_cast<double>(images) / samples.p50()),
        least(1e3 * static_cast<double>(images) / samples.max()),
        most(1e3 * static_cast<double>(images) / samples.min()) {}

  std::string str() const { return fmt::format("{:.0f} ({:.0f} to {:.0f})", median, least, most); }
};

int bench_classify(const GivenLabelling& given) {
  const Scoring scoring(given.scoring);
  const auto first = scoring.load()->next();
  const auto score = [&] {
    for (std::int64_t batch = 0; batch < scoring.batches(); ++batch) {
      scoring.classifier().probabilities(first.input);
    }
  };
  const auto samples = Samples::measure_by_turns(
      {[&] { decode(scoring); }, score, [&] { decode_and_score(scoring); }}, given.seconds,
      /*warm_up=*/1);
  const std::int64_t scored = scoring.batches() * first.input.size(0);
  const Speed decoding(samples[0], scoring.files().size()), scores(samples[1], scored);
  const Speed both(samples[2], scoring.files().size());
  const double reached = both.median / std::min(decoding.median, scores.median);
  fmt::print("model   {}, {}\nphotos  {}, batch {}, {} threads, {} to decode; n = {}\n",
             scoring.classifier().model(), scoring.classifier().describe(), scoring.files().size(),
             first.input.size(0), scoring.threads(), scoring.loader_threads(), samples[0].count());
  fmt::print("decode  {} images/s\nscore   {}\nboth    {}, {:.0f} % of the slower\n",
             decoding.str(), scores.str(), both.str(), 100 * reached);
  if (!given.json) return 0;
  const nlohmann::ordered_json json = {{"decode_images_per_second", decoding.median},
                                       {"score_images_per_second", scores.median},
                                       {key::kImagesPerSecond, both.median},
                                       {"rounds", samples[0].count()}};
  fmt::print("{}\n", json.dump());
  return 0;
}

}  // namespace

void add_bench_classify_command(CLI::App& bench, Run& run) {
  auto* command = bench.add_subcommand(
      "classify",
      "Measure how fast photos are labelled: decoding alone, scoring alone, and both at once");
  const auto given = std::make_shared<GivenLabelling>();
  add_scoring_flags(*command, given->scoring);
  command->add_option("--seconds", given->seconds, "How long to measure, five times at least")
      ->check(above_zero())
      ->capture_default_str();
  command->add_flag("--json", given->json, "Print one JSON object as the last line");
  command->callback([given, &run] { run = [given] { return bench_classify(*given); }; });
}

}  // namespace yoke
