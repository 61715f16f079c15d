#include "yoke/forecast/calibration_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/forecast/calibration_check.h"

namespace yoke::forecast {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;

/// What two calibrations must have alike.
Json identity(const Calibration& calibration) {
  return {{"host", calibration.host},
          {"cpu", calibration.cpu},
          {"cores", calibration.cores},
          {"versions", calibration.versions},
          {"flags", calibration.flags}};
}

Json to_json(const BatchTimes& times) {
  return {{"images", times.images},
          {"samples", times.samples},
          {"mean_seconds", times.mean},
          {"lower_quartile_seconds", times.lower},
          {"upper_quartile_seconds", times.upper},
          {"spread", times.spread},
          {"data_wait_seconds", times.data_wait},
          {"gradient_seconds", times.gradient},
          {"memory_bytes", times.memory_bytes}};
}

BatchTimes batch_from(const nlohmann::json& json) {
  BatchTimes times;
  json.at("images").get_to(times.images);
  json.at("samples").get_to(times.samples);
  json.at("mean_seconds").get_to(times.mean);
  json.at("lower_quartile_seconds").get_to(times.lower);
  json.at("upper_quartile_seconds").get_to(times.upper);
  json.at("spread").get_to(times.spread);
  json.at("data_wait_seconds").get_to(times.data_wait);
  json.at("gradient_seconds").get_to(times.gradient);
  json.at("memory_bytes").get_to(times.memory_bytes);
  return times;
}

Layout layout_from(const nlohmann::json& json) {
  Layout layout{.ranks = json.at("ranks"), .threads = json.at("threads")};
  json.at("ready").get_to(layout.ready);
  for (const auto& batch : json.at("batches")) layout.batches.push_back(batch_from(batch));
  return layout;
}

Calibration parse(const nlohmann::json& json) {
  if (json.at("format") != kFormat) throw Error(fmt::format("its format is not {}", kFormat));
  Calibration found{.date = json.at("date"), .host = json.at("host"), .cpu = json.at("cpu")};
  json.at("cores").get_to(found.cores);
  json.at("versions").get_to(found.versions);
  json.at("flags").get_to(found.flags);
  json.at("train_images").get_to(found.train_images);
  json.at("parameters").get_to(found.parameters);
  json.at("optimizer_state_bytes").get_to(found.optimizer_state_bytes);
  json.at("loader_images_per_second").get_to(found.loader_images_per_second);
  const auto& checkpoint = json.at("checkpoint");
  found.checkpoint = {.pause = checkpoint.at("pause_seconds"),
                      .write = checkpoint.at("write_seconds"),
                      .bytes = checkpoint.at("bytes")};
  for (const auto& layout : json.at("layouts")) found.layouts.push_back(layout_from(layout));
  for (const auto& times : json.at("communicators")) {
    found.communicators.push_back({.name = times.at("name"),
                                   .ranks = times.at("ranks"),
                                   .points = times.at("points").get<std::vector<Point>>(),
                                   .least = times.at("least").get<std::vector<Point>>()});
  }
  check_calibration(found);
  return found;
}

std::string difference(const std::map<std::string, std::string>& found,
                       const std::map<std::string, std::string>& wanted) {
  auto both = found;
  both.insert(wanted.begin(), wanted.end());
  for (const auto& [name, unused] : both) {
    const auto value = [&name = name](const auto& map) {
      const auto at = map.find(name);
      return at == map.end() ? std::string("none") : at->second;
    };
    if (value(found) == value(wanted)) continue;
    return fmt::format("it was measured with {} {}, not {}", name, value(found), value(wanted));
  }
  return {};
}

}  // namespace

Json to_json(const Calibration& calibration) {
  Json json = {{"format", kFormat}, {"date", calibration.date}};
  json.update(identity(calibration));
  json["train_images"] = calibration.train_images;
  json["parameters"] = calibration.parameters;
  json["optimizer_state_bytes"] = calibration.optimizer_state_bytes;
  json["loader_images_per_second"] = calibration.loader_images_per_second;
  json["checkpoint"] = {{"pause_seconds", calibration.checkpoint.pause},
                        {"write_seconds", calibration.checkpoint.write},
                        {"bytes", calibration.checkpoint.bytes}};
  json["layouts"] = Json::array();
  for (const Layout& layout : calibration.layouts) {
    Json batches = Json::array();
    for (const auto& batch : layout.batches) batches.push_back(to_json(batch));
    json["layouts"].push_back({{"ranks", layout.ranks},
                               {"threads", layout.threads},
                               {"batches", batches},
                               {"ready", layout.ready}});
  }
  json["communicators"] = Json::array();
  for (const auto& times : calibration.communicators) {
    json["communicators"].push_back({{"name", times.name},
                                     {"ranks", times.ranks},
                                     {"points", times.points},
                                     {"least", times.least}});
  }
  return json;
}

Calibration calibration_from_json(const nlohmann::json& json, const std::string& where) {
  try {
    return parse(json);
  } catch (const std::exception& error) {
    throw UsageError(fmt::format(
        "{} holds no calibration of this yoke ({}); give another file, or --calibrate to measure "
        "again",
        where, error.what()));
  }
}

std::optional<Calibration> read_calibration(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const auto json = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  return calibration_from_json(json, path.string());
}

void write_calibration(const std::filesystem::path& path, const Calibration& calibration) {
  make_folder(folder_of(path));
  write_file(path, to_json(calibration).dump(1) + "\n");
}

std::filesystem::path cached_path(const std::filesystem::path& cache,
                                  const Calibration& calibration) {
  const std::string text = fmt::format("{} {}", kFormat, identity(calibration).dump());
  const auto sum = checksum("sha256", std::as_bytes(std::span(text)));
  constexpr std::size_t kDigits = 16;
  return cache / "yoke" / "predict" / (sum.substr(0, kDigits) + ".json");
}

std::string why_not_same(const Calibration& found, const Calibration& wanted, bool any_machine) {
  if (auto flags = difference(found.flags, wanted.flags); !flags.empty()) return flags;
  if (any_machine) return {};
  if (found.host != wanted.host || found.cpu != wanted.cpu || found.cores != wanted.cores) {
    return fmt::format("it was measured on {} ({} cores), not on {} ({} cores)", found.host,
                       found.cores, wanted.host, wanted.cores);
  }
  return difference(found.versions, wanted.versions);
}

}  // namespace yoke::forecast
