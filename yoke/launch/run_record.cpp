#include "yoke/launch/run_record.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <iterator>
#include <utility>

#include "yoke/core/files/file.h"
#include "yoke/core/system/process_status.h"
#include "yoke/launch/home.h"

namespace yoke::launch {
namespace {

namespace fs = std::filesystem;

std::string value(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found != environment.end() ? found->second : std::string();
}

/// Whether this user alone can have put files there: a record names a process to be signalled.
bool is_own(const fs::path& directory) {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

fs::path records_directory(const Environment& environment) {
  if (const auto runtime = value(environment, "XDG_RUNTIME_DIR"); !runtime.empty()) {
    return fs::path(runtime) / "yoke" / "runs";
  }
  return home_folder(environment) / ".local" / "state" / "yoke" / "runs";
}

std::string process_start(int pid) {
  const auto status = process_status(pid);
  return status && !status->ended ? status->started : "";
}

bool is_running(const RunRecord& record) {
  return !record.started.empty() && process_start(record.pid) == record.started;
}

std::vector<RunRecord> running_records(const fs::path& directory) {
  std::vector<RunRecord> records;
  if (!is_own(directory)) return records;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(directory, absent)) {
    if (entry.path().extension() != ".json") continue;
    try {
      auto record = nlohmann::json::parse(read_file(entry.path())).get<RunRecord>();
      if (is_running(record)) {
        records.push_back(std::move(record));
        continue;
      }
    } catch (const std::exception&) {  // gone meanwhile, or never finished
      continue;
    }
    std::error_code ignored;
    fs::remove(entry.path(), ignored);
  }
  return records;
}

RecordedRun::RecordedRun(const fs::path& directory, RunRecord record)
    : path_(directory / (record.id + ".json")) {
  record.pid = ::getpid();
  record.started = process_start(record.pid);
  try {
    fs::create_directories(directory);
    fs::permissions(directory, fs::perms::owner_all);  // fails where it is another user's
    running_records(directory);                        // removes what killed runs left
    write_file(path_, nlohmann::json(record).dump(2) + "\n");
  } catch (const std::exception& error) {
    problem_ = fmt::format("yoke stop will not find this run: {}", error.what());
  }
}

RecordedRun::~RecordedRun() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace yoke::launch
