// apps/yoke/data.cpp: `yoke data`, the data sets: what there is, to fetch them, what is in them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/yoke/commands.h"
#include "apps/yoke/data_info.h"
#include "apps/yoke/download_display.h"
#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/data/dataset.h"
#include "yoke/data/download/catalog.h"
#include "yoke/data/download/fetch.h"
#include "yoke/run/flag_names.h"

namespace yoke {
namespace {

struct DataOptions {
  std::string name;
  std::filesystem::path data_dir = "data";
  std::string mirror;
  std::uint64_t seed = 1;
  bool json = false;
};

std::string source_of(const std::string& name) {
  if (const RemoteFiles* const remote = find_remote_dataset(name)) {
    return "fetch " + format_bytes(remote->size_bytes());
  }
  return is_built_in(name) ? "built in" : "your files";
}

int list_data() {
  std::size_t name_width = 0, source_width = 0;
  for (const auto& entry : datasets().entries()) {
    name_width = std::max(name_width, entry.name.size());
    source_width = std::max(source_width, source_of(entry.name).size());
  }
  for (const auto& entry : datasets().entries()) {
    fmt::print("{:<{}}  {:<{}}  {}\n", entry.name, name_width, source_of(entry.name), source_width,
               entry.help);
  }
  return 0;
}

int fetch_data(const DataOptions& options) {
  datasets().find(options.name);  // an unknown name is an error that lists the known ones
  if (is_built_in(options.name)) {
    fmt::print("{}: built in, nothing to fetch\n", options.name);
    return 0;
  }
  const RemoteFiles* const remote = find_remote_dataset(options.name);
  if (remote == nullptr) {
    throw UsageError(
        fmt::format("data set '{}' cannot be fetched: it reads your own files; put them into {}",
                    options.name, options.data_dir.string()));
  }
  DownloadDisplay display(::isatty(STDOUT_FILENO) != 0);
  const FetchInput input{.data_dir = options.data_dir, .mirror = options.mirror, .policy = {}};
  const auto folder = fetch(*remote, input, display.observer());
  fmt::print("{} is in {}; next: yoke train --data {} --data-dir {}\n", options.name,
             folder.string(), options.name, options.data_dir.string());
  return 0;
}

int show_data(const DataOptions& options) {
  print_data_info(options.name, {.data_dir = options.data_dir, .seed = options.seed}, options.json);
  return 0;
}

void add_name(CLI::App& command, DataOptions& options, const char* help) {
  command.add_option("NAME", options.name, help)->type_name("DATASET")->required();
  command.add_option(as_flag(flag::kDataDir), options.data_dir, "Folder that holds the data sets")
      ->type_name("DIR")
      ->capture_default_str();
}

}  // namespace

void add_data_command(CLI::App& program, Run& run) {
  auto* const data = program.add_subcommand("data", "Data sets: list, fetch, inspect");
  data->require_subcommand(1);
  const auto options = std::make_shared<DataOptions>();

  data->add_subcommand("list", "Show every data set, where it comes from and its size to download")
      ->callback([&run] { run = list_data; });

  auto* const fetching = data->add_subcommand(
      "fetch", "Download a data set, checked; goes on with a download that was broken");
  add_name(*fetching, *options, "The data set; see 'yoke data list'");
  fetching
      ->add_option("--mirror", options->mirror,
                   "Folder or address (http://, https:// or file:///) to try first: a file is "
                   "looked for right in it, then in the folder it has under --data-dir")
      ->type_name("DIR/URL");
  fetching->callback([&run, options] { run = [options] { return fetch_data(*options); }; });

  auto* const info = data->add_subcommand(
      "info", "Read a data set: images, classes, mean and deviation of its pixels");
  add_name(*info, *options, "The data set, NAME or NAME:option=value,...");
  info->add_option("--seed", options->seed, "Seed of data that is drawn, not read")
      ->capture_default_str();
  info->add_flag("--json", options->json, "Print one JSON object as the last line");
  info->callback([&run, options] { run = [options] { return show_data(*options); }; });
}

}  // namespace yoke
