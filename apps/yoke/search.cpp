#include "apps/yoke/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "apps/yoke/study_flags.h"
#include "apps/yoke/study_outcome.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/format.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/shell.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/study/report/report.h"
#include "yoke/study/search/search_report.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// A search as it goes on: its rungs one after the other.
class SearchCommand {
 public:
  explicit SearchCommand(const GivenStudy& given)
      : given_(given),
        search_(study::read_search(given.file, given.request, check_flags)),
        sizes_(study::rungs_of(search_)),
        out_(given.folder()) {}

  int run() {
    introduce();
    const StudyRuns runs(out_);
    study::RunnerResult all;
    while (all.left == 0 && all.wrong_usage.empty() && next_rung()) {
      all.add(run_rung(runs));
    }
    write(all.skipped);
    return study_status(all);
  }

  /// What there is, as far as runs tell.
  int report_only() {
    while (next_rung()) {
      const auto& jobs = rungs_.back().jobs();
      say(fmt::format("{}: {} of {} runs have completed", rung_name(),
                      std::count_if(jobs.begin(), jobs.end(), study::is_done), jobs.size()));
    }
    write({});
    return 0;
  }

 private:
  void introduce() const {
    say(fmt::format("{}: {} in {}, in {}", search_.study.title,
                    format_count(std::ssize(search_.study.points), "trial"),
                    format_count(std::ssize(sizes_), "rung"), out_.string()));
  }

  std::string rung_name() const {
    return fmt::format("rung {} of {}", rungs_.size(), sizes_.size());
  }

  /// Begins the next; false where there is none, or no trial that has come so far.
  bool next_rung() {
    if (rungs_.size() == sizes_.size()) return false;
    const auto& size = sizes_[rungs_.size()];
    std::vector<std::size_t> trials(size.trials);
    std::iota(trials.begin(), trials.end(), 0);
    if (!rungs_.empty()) trials = study::best_trials(search_, rungs_, size.trials);
    if (trials.empty()) return false;
    rungs_.emplace_back(search_, size, trials, out_ / kRunsFolder);
    return true;
  }

  study::RunnerResult run_rung(const StudyRuns& runs) {
    const auto& rung = rungs_.back();
    if (sizes_.size() > 1) {
      say(fmt::format("{}: {} of {}", rung_name(),
                      format_count(std::ssize(rung.study().points), "trial"), rung.length()));
    }
    study::StudyPlan plan = rung.study();
    if (plan.limit) *plan.limit -= std::chrono::duration<double>(clock_.seconds());
    return runs.run(plan, rung.jobs(), later());
  }

  /// Trainings of rungs to come, in those of this one.
  double later() const {
    double runs = 0;
    for (std::size_t i = rungs_.size(); i < sizes_.size(); ++i) {
      runs += static_cast<double>(sizes_[i].trials) * static_cast<double>(*sizes_[i].epochs) /
              static_cast<double>(*sizes_[rungs_.size() - 1].epochs);
    }
    return runs * search_.study.repetitions;
  }

  void write(const std::vector<study::Skipped>& skipped) const {
    make_folder(out_);
    const auto trials = study::trials_of(search_, rungs_);
    const std::string command = write_best(trials);
    Outcome outcome{.title = search_.study.title,
                    .jobs = {},
                    .compared = {},
                    .first = {study::search_section(search_, rungs_, trials, command)},
                    .skipped = skipped};
    for (const auto& rung : rungs_) {
      const auto& jobs = rung.jobs();
      outcome.jobs.insert(outcome.jobs.end(), jobs.begin(), jobs.end());
      if (std::any_of(jobs.begin(), jobs.end(), study::is_done)) outcome.compared = jobs;
    }
    write_outcome(outcome, out_, given_.formats);
    for (const auto& sentence : study::search_sentences(search_, rungs_, trials)) say(sentence);
    if (!command.empty()) say(fmt::format("Next:\n  {}", command));
  }

  /// Writes the recipe of the best trial; returns the command that trains by it.
  std::string write_best(const std::vector<study::Trial>& trials) const {
    const study::Trial& best = trials.front();
    if (!best.score()) return "";
    const fs::path path = out_ / "best.toml";
    write_file(path, study::trial_recipe(search_, best));
    auto words = study::launch_words(*best.point, "yoke", search_.study.hosts.front());
    words.insert(words.end(), {"train", as_flag(flag::kRecipe), path.string()});
    return shell_line(words);
  }

  const GivenStudy& given_;
  const study::SearchPlan search_;
  const std::vector<study::RungSize> sizes_;
  const fs::path out_;
  std::deque<study::Rung> rungs_;
  const Stopwatch clock_;
};

}  // namespace

void add_search_command(CLI::App& study, Run& run) {
  auto* const command = study.add_subcommand(
      "search", "Train trials drawn from ranges, the best of them longer, and report on them");
  const auto given = std::make_shared<GivenStudy>();
  add_study_flags(*command, *given).file->required();
  command->callback([given, &run] {
    given->request.elsewhere = given->report_only;
    run = [given] {
      study::check_formats(given->formats);
      SearchCommand search(*given);
      return given->report_only ? search.report_only() : search.run();
    };
  });
}

}  // namespace yoke
