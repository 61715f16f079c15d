// apps/yoke/weights.cpp: `yoke weights`, weights to begin a training with: what there is, to fetch
// them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/yoke/commands.h"
#include "apps/yoke/download_display.h"
#include "yoke/core/format.h"
#include "yoke/data/download/fetch.h"
#include "yoke/data/download/published_weights.h"
#include "yoke/run/flag_names.h"

namespace yoke {
namespace {

struct WeightsOptions {
  std::vector<std::string> names;
  std::filesystem::path data_dir = "data";
  std::string mirror;
};

/// Whether there is something to fetch, and how much.
std::string state_of(const PublishedWeights& weights, const std::filesystem::path& data_dir) {
  if (std::filesystem::exists(weights.path(data_dir))) return "there";
  return "fetch " + format_bytes(weights.size_bytes);
}

int list_weights(const WeightsOptions& options) {
  std::size_t name_width = 0, state_width = 0;
  for (const auto& weights : published_weights()) {
    name_width = std::max(name_width, weights.full_name().size());
    state_width = std::max(state_width, state_of(weights, options.data_dir).size());
  }
  for (const auto& weights : published_weights()) {
    fmt::print("{:<{}}  {:<{}}  ImageNet, top-1 {:.2f} %\n", weights.full_name(), name_width,
               state_of(weights, options.data_dir), state_width, weights.top1);
  }
  return 0;
}

int fetch_weights(const WeightsOptions& options) {
  std::vector<PublishedWeights> wanted;  // all names are looked up before anything is fetched
  for (const auto& name : options.names) wanted.push_back(find_published_weights(name));
  DownloadDisplay display(::isatty(STDOUT_FILENO) != 0);
  const FetchInput input{.data_dir = options.data_dir, .mirror = options.mirror, .policy = {}};
  for (const auto& weights : wanted) {
    const auto folder = fetch(weights.remote(), input, display.observer());
    fmt::print("{} is in {}; next: yoke train PHOTOS --model {} --weights {} --data-dir {}\n",
               weights.full_name(), folder.string(), weights.model, weights.name,
               options.data_dir.string());
  }
  return 0;
}

void add_data_dir(CLI::App& command, WeightsOptions& options) {
  command
      .add_option(as_flag(flag::kDataDir), options.data_dir,
                  "Folder that holds the data sets, and in its folder 'weights' the weights")
      ->type_name("DIR")
      ->capture_default_str();
}

}  // namespace

void add_weights_command(CLI::App& program, Run& run) {
  auto* const weights =
      program.add_subcommand("weights", "Trained weights to begin with: list, fetch");
  weights->require_subcommand(1);
  const auto options = std::make_shared<WeightsOptions>();

  auto* const list = weights->add_subcommand(
      "list", "Show all weights that have a name, their size to download and published accuracy");
  add_data_dir(*list, *options);
  list->callback([&run, options] { run = [options] { return list_weights(*options); }; });

  auto* const fetching = weights->add_subcommand(
      "fetch", "Download weights, checked; goes on with a download that was broken");
  fetching
      ->add_option("NAME", options->names, "Which, as resnet50:imagenet; see 'yoke weights list'")
      ->type_name("NAME")
      ->required();
  add_data_dir(*fetching, *options);
  fetching
      ->add_option("--mirror", options->mirror,
                   "Folder or address (http://, https:// or file:///) to try first: a file is "
                   "looked for right in it, then in its folder 'weights'")
      ->type_name("DIR/URL")
      ->envname("YOKE_WEIGHTS");
  fetching->callback([&run, options] { run = [options] { return fetch_weights(*options); }; });
}

}  // namespace yoke
