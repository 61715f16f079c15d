// tests/study/emitted.h: studies as files for a scheduler, and programs that stand in for its own.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/study/emit/emit.h"

namespace yoke::test {

/// A study file and its folder, whose names need quotes in a shell.
class EmittedStudy {
 public:
  explicit EmittedStudy(const std::string& text) {
    std::filesystem::create_directories(folder());
    write_file(folder() / "s.toml", text);
    plan_ = study::read_study(folder() / "s.toml", {.elsewhere = true},
                              [](const auto&, const auto&) {});
    jobs_ = study::jobs_of(plan_, out() / "runs");
  }

  std::filesystem::path folder() const { return directory_.path() / "it's a folder"; }
  std::filesystem::path out() const { return folder() / "My study"; }
  const std::vector<study::Job>& jobs() const { return jobs_; }
  std::string name(std::size_t job) const { return context().job_name(jobs_.at(job)); }
  study::EmitContext context() const {
    return {.file = folder() / "s.toml",
            .out = out(),
            .directory = folder(),
            .program = "/y o/yoke",
            .report_words = {"study", "s.toml", "--report-only"}};
  }

  int emit(const std::string& scheduler) const {
    return study::emit(scheduler, plan_, jobs_, context());
  }
  std::string text(const std::string& scheduler, const std::string& name) const {
    return read_file(out() / scheduler / name);
  }

  /// Puts a program of bash into the PATH of run(). What it appends to $told is what told() gives.
  void stand_in(const std::string& name, const std::string& body) const {
    const auto path = directory_.path() / "bin" / name;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, "#!/bin/bash\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  std::string told() const {
    const auto path = directory_.path() / "told";
    return std::filesystem::exists(path) ? read_file(path) : "";
  }
  /// Runs a script of the study, from elsewhere; `words` go between env and bash.
  ProgramResult run(const std::string& script, std::vector<std::string> words = {},
                    const std::vector<std::string>& arguments = {}) const {
    words.insert(words.begin(),
                 {"env", "told=" + (directory_.path() / "told").string(),
                  "PATH=" + (directory_.path() / "bin").string() + ":/usr/bin:/bin"});
    words.insert(words.end(), {"bash", (out() / script).string()});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(words);
  }

 private:
  TemporaryDirectory directory_;
  study::StudyPlan plan_;
  std::vector<study::Job> jobs_;
};

}  // namespace yoke::test
