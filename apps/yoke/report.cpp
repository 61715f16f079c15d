// apps/yoke/report.cpp: `yoke report`, a page of graphs and text on runs.
#include "yoke/study/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/stop_signal.h"
#include "yoke/study/report/live.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRefresh = "<meta http-equiv=\"refresh\" content=\"5\">\n";

struct GivenReport {
  std::vector<std::string> runs;
  std::string out;
  std::string title;
  std::vector<std::string> formats = {"html"};
  bool live = false;
  int port = 0;
};

std::string title_of(const GivenReport& given) {
  if (!given.title.empty()) return given.title;
  if (given.runs.size() > 1) return fmt::format("{} runs", given.runs.size());
  return (fs::absolute(fs::path(given.runs.front()) / "").lexically_normal())
      .parent_path()
      .filename()
      .string();
}

fs::path out_of(const GivenReport& given) {
  if (!given.out.empty()) return given.out;
  return given.runs.size() == 1 ? fs::path(given.runs.front()) / "report.html"
                                : fs::path("report.html");
}

study::Comparison read_runs(const std::vector<std::string>& paths) {
  std::vector<study::NamedRun> runs;
  for (const auto& path : paths) runs.push_back({read_run(path)});
  return study::compare_runs(std::move(runs));
}

/// Serves the page until a signal comes.
int serve(const GivenReport& given) {
  hold_stop_signals();
  catch_stop_signals();
  study::serve_live({.port = given.port,
                     .page =
                         [&] {
                           return study::report_page(title_of(given), read_runs(given.runs),
                                                     whole_environment(), kRefresh);
                         },
                     .ready =
                         [](const std::string& address) {
                           fmt::print("{}    Ctrl-C ends it\n", address);
                           std::fflush(stdout);
                         },
                     .stop = &stop_requested()});
  return 0;
}

int report_command(const GivenReport& given) {
  if (given.live) return serve(given);
  const auto written =
      study::write_report(read_runs(given.runs), {.title = title_of(given),
                                                  .out = out_of(given),
                                                  .formats = given.formats,
                                                  .environment = whole_environment()});
  for (const auto& path : written) fmt::print("{}\n", path.string());
  return 0;
}

}  // namespace

void add_report_command(CLI::App& program, Run& run) {
  auto* const command = program.add_subcommand(
      "report", "Make a page of graphs and text on runs, also on one that goes on");
  const auto given = std::make_shared<GivenReport>();
  command->add_option("RUN", given->runs, "Run directories, side by side")
      ->type_name("DIR")
      ->required();
  command->add_option("-o,--out", given->out, "Page to write (RUN/report.html, or ./report.html)")
      ->type_name("FILE");
  command->add_option("--title", given->title, "Heading of the page")->type_name("TEXT");
  command
      ->add_option("--format", given->formats, "What to write, beside --out; several with commas")
      ->type_name(fmt::format("{}[,...]", fmt::join(study::kReportFormats, "/")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_flag("--live", given->live,
                    "Write nothing, but serve a page that follows the runs, to this machine alone");
  command->add_option("--port", given->port, "Port for --live; 0 is any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->callback([given, &run] { run = [given] { return report_command(*given); }; });
}

}  // namespace yoke
