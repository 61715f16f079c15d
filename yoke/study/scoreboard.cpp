#include "yoke/study/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/file.h"

namespace yoke::study {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const RaceRun& run) {
  return {{"entry", run.entry},
          {"data", run.data},
          {"val_images", run.images},
          {"target_accuracy", run.target},
          {"time_to_target_seconds", run.seconds ? Json(*run.seconds) : Json()},
          {"wall_seconds", run.wall_seconds},
          {"epochs", run.epochs},
          {"claimed_top1", run.claimed},
          {"verified_top1", run.verified},
          {"hosts", run.hosts},
          {"world_size", run.ranks},
          {"cpu", run.cpu},
          {"seed", run.seed},
          {"yoke", run.yoke},
          {"date", run.date},
          {"run", run.run}};
}

RaceRun run_from(const Json& json) {
  const auto& seconds = json.at("time_to_target_seconds");
  return {.entry = json.at("entry"),
          .data = json.at("data"),
          .images = json.at("val_images"),
          .target = json.at("target_accuracy"),
          .seconds = seconds.is_null() ? std::nullopt : std::optional(seconds.get<double>()),
          .wall_seconds = json.at("wall_seconds"),
          .epochs = json.at("epochs"),
          .claimed = json.at("claimed_top1"),
          .verified = json.at("verified_top1"),
          .hosts = json.at("hosts"),
          .ranks = json.at("world_size"),
          .cpu = json.at("cpu"),
          .seed = json.at("seed"),
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
