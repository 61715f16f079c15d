#include "apps/yoke/study_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/yoke/number_flag.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/study/report/report.h"

namespace yoke {

std::filesystem::path GivenStudy::folder() const {
  if (!out.empty()) return out;
  const std::string name = std::filesystem::path(file).stem().string();
  return std::filesystem::path(kRunsFolder) / (request.short_form ? name + "-short" : name);
}

StudyFlags add_study_flags(CLI::App& command, GivenStudy& given) {
  StudyFlags flags{};
  flags.file =
      command.add_option("FILE", given.file, "TOML file that says what to run; see docs/study.md")
          ->type_name("FILE");
  command.add_option("-o,--out", given.out, "Folder of its runs and results (runs/<name of FILE>)")
      ->type_name("DIR");
  command.add_flag(study_flag::kShort, given.request.short_form,
                   "The short form that the file's [short] tables describe");
  flags.hosts = command
                    .add_option("--hosts", given.request.hosts,
                                "A set of hosts for one run at a time; once for each set")
                    ->type_name("a,b")
                    ->take_all()
                    ->allow_extra_args(false);
  flags.jobs =
      command
          .add_option("-j,--jobs", given.request.jobs,
                      "Runs at a time on each set of hosts, which share their cores and GPUs")
          ->type_name("N")
          ->check(above_zero())
          ->capture_default_str();
  command.add_option(as_flag(flag::kDataDir), given.request.data_dir, "Where data sets are")
      ->type_name("DIR");
  command.add_option(study_flag::kFormat, given.formats, "Of the report; several with commas")
      ->type_name(fmt::format("{}[,...]", fmt::join(study::kReportFormats, "/")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  flags.report_only =
      command.add_flag(study_flag::kReportOnly, given.report_only,
                       "Run nothing, but write tables and report of what has completed");
  return flags;
}

}  // namespace yoke
