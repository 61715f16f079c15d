#include "yoke/train/step_profile.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "yoke/comm/received.h"
#include "yoke/comm/text.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/set_aside.h"
#include "yoke/core/format.h"
#include "yoke/core/system/network.h"
#include "yoke/report/profile/trace_events.h"

namespace yoke {
namespace {

/// What rank 0 gets of each rank that records; others get nothing.
std::vector<std::string> gather_events(Communicator& communicator, const std::string& own) {
  std::vector<std::string> all;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    auto events = broadcast_text(communicator, own, rank);  // of one rank at a time: they are large
    if (communicator.rank() != 0 || events.empty()) continue;
    if (!are_trace_events(events)) {
      throw Garbled(fmt::format("the profile of rank {} is none: {}", rank, excerpt(events)));
    }
    all.push_back(std::move(events));
  }
  return all;
}

void meet(Communicator& communicator) { communicator.all_reduce(torch::zeros({1})); }

}  // namespace

std::optional<std::string> check_profile(StepRange steps, std::int64_t done, std::int64_t total) {
  if (steps.first > total) {
    throw UsageError(fmt::format("--profile {}: the run has {}; give steps from 1 to {}",
                                 steps.str(), format_count(total, "step"), total));
  }
  if (done < steps.last) return std::nullopt;
  return fmt::format("warning: --profile {}: the run goes on after step {}, and records nothing",
                     steps.str(), done);
}

StepProfile::StepProfile(StepRange steps, std::filesystem::path path, Communicator& communicator,
                         bool records)
    : steps_(steps), path_(std::move(path)), communicator_(communicator), records_(records) {}

std::optional<std::string> StepProfile::after(std::int64_t step, bool ended) {
  if (begun_ && (step >= steps_.last || ended)) return write(step);
  const bool begins = !begun_ && step + 1 >= steps_.first && step < steps_.last;
  if (!begins || ended) return std::nullopt;
  begun_ = step;
  meet(communicator_);
  if (records_) profiler_.emplace();
  meet(communicator_);  // none begins a step before the one that records for it does
  return std::nullopt;
}

std::optional<std::string> StepProfile::write(std::int64_t last) {
  const Profile profile = profiler_ ? profiler_->stop() : Profile();
  const std::int64_t first = *std::exchange(begun_, std::nullopt) + 1;
  const auto events = gather_events(
      communicator_,
      records_ ? trace_events(profile, {.rank = communicator_.rank(), .host = host_name()}) : "");
  if (communicator_.rank() != 0) return std::nullopt;
  try {
    if (std::filesystem::exists(path_)) set_aside(path_, "earlier");
    write_file(path_, trace_file(events));
  } catch (const Error& error) {
    return fmt::format("warning: the profile is lost: {}", error.what());
  }
  const std::string less =
      profile.left_out == 0
          ? ""
          : fmt::format("; without the last {} of rank 0, which are too many: profile fewer steps",
                        format_count(profile.left_out, "span"));
  return fmt::format(
      "profile    steps {} to {} in {}; open it in ui.perfetto.dev or chrome://tracing{}", first,
      last, path_.string(), less);
}

}  // namespace yoke
