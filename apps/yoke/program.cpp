#include "apps/yoke/program.h"

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>

#include "apps/yoke/help.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  yoke train photos/ --out runs/mine    learn from a folder of photos per class\n"
    "  yoke classify runs/mine holiday/      name other photos\n\n"
    "'yoke COMMAND --help' explains a command and its flags.";

/// Adds commands below headings.
class Commands {
 public:
  Commands(CLI::App& program, Run& run) : program_(program), run_(run) {}

  using Add = void (*)(CLI::App&, Run&);
  void add(const char* heading, std::initializer_list<Add> commands) {
    for (const Add add : commands) add(program_, run_);
    set_heading(heading);
  }

  /// Of the commands that were added since it was last called.
  void set_heading(const char* heading) {
    const auto all = program_.get_subcommands([](CLI::App*) { return true; });
    for (; below_headings_ < all.size(); ++below_headings_) all[below_headings_]->group(heading);
  }

 private:
  CLI::App& program_;
  Run& run_;
  std::size_t below_headings_ = 0;
};

/// The flag for help comes last in the help.
void put_help_last(CLI::App& command) {
  command.set_help_flag("-h,--help", "Show this");
  for (CLI::App* sub : command.get_subcommands([](CLI::App*) { return true; })) {
    put_help_last(*sub);
  }
}

}  // namespace

std::unique_ptr<CLI::App> make_program(Run& run, const std::vector<std::string>& ranks_command) {
  auto program = std::make_unique<CLI::App>(
      "Yoke trains image classifiers together: on cores, on GPUs, on many machines.", "yoke");
  program->formatter(std::make_shared<Help>());
  program->set_version_flag("--version", fmt::format("yoke {}", kVersion), "Show the version");
  program->require_subcommand(1);
  Commands commands(*program, run);
  commands.add("Prepare",
               {add_doctor_command, add_list_command, add_data_command, add_weights_command});
  commands.add("Train", {add_train_command, add_find_lr_command});
  add_run_command(*program, run, ranks_command);
  add_stop_command(*program, run);
  commands.set_heading("Train");
  commands.add("Use a trained model",
               {add_evaluate_command, add_classify_command, add_export_command});
  commands.add("Compare and plan",
               {add_report_command, add_study_command, add_forecast_command, add_bench_command});
  commands.add("Shell", {add_completion_command, add_man_command});
  put_help_last(*program);
  program->footer(kExamples);  // now, for commands take over what there is when they are made
  return program;
}

}  // namespace yoke
