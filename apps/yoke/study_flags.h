// apps/yoke/study_flags.h: the flags that `yoke study` and `yoke study search` share.
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/study/plan.h"

namespace yoke {

namespace study_flag {
inline constexpr const char* kShort = "--short";
inline constexpr const char* kFormat = "--format";
inline constexpr const char* kReportOnly = "--report-only";
}  // namespace study_flag

/// Which study, and what is to be made of it.
struct GivenStudy {
  std::string file;
  std::string out;
  study::StudyRequest request;
  std::vector<std::string> formats = {"html"};
  bool report_only = false;

  /// `runs/<name of the file>` where none is given.
  std::filesystem::path folder() const;
};

/// What add_study_flags() made, for flags that exclude one of them.
struct StudyFlags {
  CLI::Option* file;
  CLI::Option* hosts;
  CLI::Option* jobs;
  CLI::Option* report_only;
};

/// Adds FILE and the flags; `given` outlives the command.
StudyFlags add_study_flags(CLI::App& command, GivenStudy& given);

}  // namespace yoke
