// tests/cluster/training.h: trainings over ranks that tests start, watch, hurt and compare.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/support.h"
#include "tests/train/run.h"

namespace yoke::test {

/// The words `train ...` of a run over 600 glyphs in batches of 60, the same for any number of
/// ranks but for rounding; `more` flags follow.
std::string training(const std::filesystem::path& out, int epochs, const std::string& more = "");

/// `yoke` with `arguments`, words of a shell, in `folder`; all it starts can be told by
/// rank_processes(folder). It finds programs in `tools` before others.
std::vector<std::string> yoke_in(const std::filesystem::path& folder, const std::string& arguments,
                                 const std::string& tools = "/usr/local/bin");

/// Ends with status 124 what would hang.
std::vector<std::string> limited(int seconds, std::vector<std::string> arguments);

/// A process that is one rank.
struct RankProcess {
  int rank = 0;
  int ranks = 0;   ///< Of its run.
  int pid = 0;     ///< As this process sees it, also on simulated hosts.
  int parent = 0;  ///< The agent that started it.
};

/// The ranks that yoke_in(folder, ...) has started and that are there now, ascending.
std::vector<RankProcess> rank_processes(const std::filesystem::path& folder);

/// Whether any of them is there still.
bool alive(const std::vector<RankProcess>& processes);

/// The last step in the metrics of a run; 0 while there is none.
std::int64_t steps_reported(const std::filesystem::path& run);

/// All steps were reported once, and all images seen that many epochs have.
void expect_whole(const std::filesystem::path& run, int epochs, int ranks);

/// Bit for bit: metrics but for times, weights, accuracy.
void expect_same_runs(const std::filesystem::path& expected, const std::filesystem::path& found);

/// But for the order in which numbers are added up.
void expect_close_runs(const std::filesystem::path& expected, const std::filesystem::path& found);

}  // namespace yoke::test
