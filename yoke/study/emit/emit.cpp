#include "yoke/study/emit/emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <sstream>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

using Emitter = Files (*)(const StudyPlan&, const std::vector<JobLeft>&, const EmitContext&);

const std::map<std::string, Emitter>& emitters() {
  static const std::map<std::string, Emitter> all = {{"kubernetes", kubernetes_files},
                                                     {"slurm", slurm_files}};
  return all;
}

std::vector<JobLeft> left_of(const std::vector<Job>& jobs) {
  std::vector<JobLeft> left;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!is_done(jobs[i])) left.push_back({.number = static_cast<int>(i) + 1, .job = &jobs[i]});
  }
  return left;
}

constexpr const char* kList = ".emitted";

std::string sum_of(const std::string& text) {
  return checksum("sha256", std::as_bytes(std::span(text)));
}

/// The sums of the files that the emission before has written into `folder`, by their names; as
/// sha256sum lists them.
std::map<std::string, std::string> emitted_before(const fs::path& folder) {
  std::map<std::string, std::string> sums;
  if (!fs::exists(folder / kList)) return sums;
  std::istringstream lines(read_file(folder / kList));
  std::string sum, name;
  while (lines >> sum && lines.ignore(2) && std::getline(lines, name)) {
    if (name.find('/') == std::string::npos) sums[name] = sum;
  }
  return sums;
}

/// The files in `folder` that are as the emission before has written them.
std::vector<fs::path> own_files(const fs::path& folder) {
  std::vector<fs::path> own;
  for (const auto& [name, sum] : emitted_before(folder)) {
    const fs::path path = folder / name;
    if (fs::is_regular_file(path) && sum_of(read_file(path)) == sum) own.push_back(path);
  }
  return own;
}

/// @throws UsageError where one of `files` would replace a file that is not one of `own`.
void check_replaces_only(const std::vector<fs::path>& own, const fs::path& folder,
                         const Files& files) {
  for (const auto& [name, text] : files) {
    const fs::path path = folder / name;
    if (!fs::exists(path) || std::find(own.begin(), own.end(), path) != own.end()) continue;
    throw UsageError(
        fmt::format("{} is not as --emit has written it, and is not replaced; move it away, or "
                    "remove it",
                    path.string()));
  }
}

/// Replaces `own` by `files`; other files in `folder` stay.
void replace(const std::vector<fs::path>& own, const fs::path& folder, const Files& files) {
  make_folder(folder);
  for (const auto& path : own) fs::remove(path);
  std::string list;
  for (const auto& [name, text] : files) list += fmt::format("{}  {}\n", sum_of(text), name);
  write_file(folder / kList, list);
  for (const auto& [name, text] : files) {
    write_file(folder / name, text);
    if (!name.ends_with(".sh")) continue;
    fs::permissions(folder / name, fs::perms::owner_exec | fs::perms::group_exec,
                    fs::perm_options::add);
  }
}

}  // namespace

std::vector<std::string> EmitContext::report_command(const std::string& yoke) const {
  std::vector<std::string> words = {yoke};
  words.insert(words.end(), report_words.begin(), report_words.end());
  return words;
}

std::string EmitContext::job_name() const {
  constexpr std::size_t kLongest = 40;  // of 63 that Kubernetes allows, with numbers behind it
  std::string name = "yoke-";
  for (const unsigned char letter : out.filename().string()) {
    if (name.size() == kLongest) break;
    const bool plain = letter < 128 && std::isalnum(letter) != 0;
    if (plain) {
      name += static_cast<char>(std::tolower(letter));
    } else if (name.back() != '-') {
      name += '-';
    }
  }
  while (name.back() == '-') name.pop_back();
  return name;
}

std::string EmitContext::job_name(const Job& job) const {
  constexpr std::size_t kDigits = 8;
  const std::string run = job.directory.filename().string() + "\n" + flags_text(job);
  return job_name() + "-" + checksum("md5", std::as_bytes(std::span(run))).substr(0, kDigits);
}

std::vector<std::string> schedulers() {
  std::vector<std::string> names;
  for (const auto& [name, emitter] : emitters()) names.push_back(name);
  return names;
}

int emit(const std::string& scheduler, const StudyPlan& plan, const std::vector<Job>& jobs,
         const EmitContext& context) {
  const auto emitter = emitters().find(scheduler);
  if (emitter == emitters().end()) {
    throw UsageError(
        fmt::format("--emit {} is given; allowed: {}", scheduler, fmt::join(schedulers(), ", ")));
  }
  const auto left = left_of(jobs);
  if (left.empty()) return 0;
  const Files files = emitter->second(plan, left, context);
  const fs::path folder = context.out / scheduler;
  const auto own = own_files(folder);
  check_replaces_only(own, folder, files);
  for (const auto& [number, job] : left) prepare_to_go_on(*job);
  replace(own, folder, files);
  return static_cast<int>(left.size());
}

}  // namespace yoke::study
