#include "yoke/study/study_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/study/emit/cluster_tables.h"
#include "yoke/study/table_reader.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

toml::table parse(const fs::path& path) {
  try {
    return toml::parse(read_file(path), path.string());
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", path.string(), error.source().begin.line, error.description()));
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}; give a study file that exists", error.what()));
  }
}

/// Later values of a key take the place of earlier ones.
void merge(std::vector<Axis>& axes, const std::vector<Axis>& more) {
  for (const auto& axis : more) {
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const Axis& other) { return other.key == axis.key; });
    if (found == axes.end()) {
      axes.push_back(axis);
    } else {
      *found = axis;
    }
  }
}

/// [flags], [axes], [[cases]] and [search] of the file or of its [short].
void take_points(const toml::table& table, const TableReader& reader, StudyFile& file) {
  if (const auto* const flags = reader.table_of(table, "flags")) {
    for (const auto& [name, node] : *flags) {
      file.flags.push_back(reader.value(std::string(name.str()), node));
    }
  }
  if (const auto* const axes = reader.table_of(table, "axes")) {
    merge(file.axes, reader.axes(*axes));
  }
  if (const auto* const cases = reader.cases_of(table)) {
    file.cases = reader.cases(*cases);
  }
  if (const auto* const search = reader.table_of(table, "search")) {
    if (!file.search) file.search.emplace();
    reader.search(*search, *file.search);
  }
}

}  // namespace

StudyFile read_study_file(const fs::path& path, bool short_form) {
  const toml::table table = parse(path);
  const TableReader reader(path.string());
  const std::set<std::string> settings = {"title", "recipe",    "repetitions", "warm-up",
                                          "seed",  "run-limit", "limit",       "hosts"};
  reader.allow(table,
               {"study", "flags", "axes", "cases", "search", "short", "slurm", "kubernetes"});
  StudyFile file;
  file.settings.title = path.stem().string();
  if (table.contains("search")) {
    file.settings.repetitions = 1;
    file.settings.warm_ups = 0;
  }
  if (const auto* const study = reader.table_of(table, "study")) {
    reader.allow(*study, settings);
    reader.settings(*study, file);
  }
  if (const auto* const slurm = reader.table_of(table, "slurm")) {
    file.settings.slurm = read_slurm(*slurm, path.string());
  }
  if (const auto* const kubernetes = reader.table_of(table, "kubernetes")) {
    file.settings.kubernetes = read_kubernetes(*kubernetes, path.string());
  }
  take_points(table, reader, file);
  const auto* const shorter = reader.table_of(table, "short");
  if (!short_form) return file;
  if (shorter == nullptr) {
    throw UsageError(
        fmt::format("{} has no [short] tables, so there is no short form of it", path.string()));
  }
  std::set<std::string> allowed = settings;
  allowed.insert({"flags", "axes", "cases", "search"});
  reader.allow(*shorter, allowed);
  reader.settings(*shorter, file);
  take_points(*shorter, reader, file);
  return file;
}

}  // namespace yoke::study
