#include "yoke/study/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/run/summary.h"

namespace yoke::study {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const RaceRun& run) {
  return {{"entry", run.entry},
          {"data", run.data},
          {key::kValImages, run.images},
          {key::kTargetAccuracy, run.target},
          {key::kTimeToTargetSeconds, run.seconds ? Json(*run.seconds) : Json()},
          {key::kWallSeconds, run.wall_seconds},
          {"epochs", run.epochs},
          {"claimed_top1", run.claimed},
          {"verified_top1", run.verified},
          {"hosts", run.hosts},
          {key::kWorldSize, run.ranks},
          {"cpu", run.cpu},
          {"seed", run.seed},
          {"yoke", run.yoke},
          {"date", run.date},
          {"run", run.run}};
}

RaceRun run_from(const Json& json) {
  const auto& seconds = json.at(key::kTimeToTargetSeconds);
  return {.entry = json.at("entry"),
          .data = json.at(key::kData),
          .images = json.at(key::kValImages),
          .target = json.at(key::kTargetAccuracy),
          .seconds = seconds.is_null() ? std::nullopt : std::optional(seconds.get<double>()),
          .wall_seconds = json.at(key::kWallSeconds),
          .epochs = json.at(key::kEpochs),
          .claimed = json.at("claimed_top1"),
          .verified = json.at("verified_top1"),
          .hosts = json.at("hosts"),
          .ranks = json.at(key::kWorldSize),
          .cpu = json.at("cpu"),
          .seed = json.at(key::kSeed),
          .yoke = json.at("yoke"),
          .date = json.at("date"),
          .run = json.at("run")};
}

}  // namespace

std::vector<RaceRun> read_scoreboard(const std::filesystem::path& path) {
  std::vector<RaceRun> runs;
  if (!std::filesystem::exists(path)) return runs;
  const std::string text = read_file(path);
  for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
    const auto end = std::min(text.find('\n', begin), text.size());
    try {
      if (end > begin) runs.push_back(run_from(Json::parse(text.substr(begin, end - begin))));
    } catch (const Json::exception& error) {
      throw UsageError(
          fmt::format("{}:{} is no run of a scoreboard ({}); mend or remove the line, "
                      "or give another --scoreboard",
                      path.string(), line, error.what()));
    }
    begin = end + 1;
  }
  return runs;
}

void add_run(std::vector<RaceRun>& runs, RaceRun run) {
  std::erase_if(runs,
                [&](const RaceRun& other) { return other.run == run.run && other.cpu == run.cpu; });
  runs.push_back(std::move(run));
}

std::string scoreboard_text(const std::vector<RaceRun>& runs) {
  std::string text;
  for (const auto& run : runs) text += to_json(run).dump() + "\n";
  return text;
}

}  // namespace yoke::study
