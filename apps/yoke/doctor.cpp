// apps/yoke/doctor.cpp: `yoke doctor` checks the machine, or several, and says what to do.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/yoke/commands.h"
#include "apps/yoke/doctor_hosts.h"
#include "yoke/core/system/clock.h"
#include "yoke/engine/onednn_fault.h"
#include "yoke/report/machine/hardware.h"
#include "yoke/report/machine/machine_checks.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

Variables environment() {
  Variables variables;
  for (const auto& name : checked_variables()) {
    if (const char* const value = std::getenv(name.c_str())) variables[name] = value;
  }
  return variables;
}

/// What the command line gave.
struct GivenDoctor {
  bool as_json = false;
  std::string hosts;
  std::string reach;
  launch::SshOptions ssh = {};
};

std::vector<Check> check_here() {
  auto checks = check_machine(std::filesystem::current_path(), environment());
  checks.push_back(check_onednn(onednn_fault()));
  return checks;
}

int doctor(const GivenDoctor& given) {
  auto checks = given.hosts.empty() ? check_here() : check_hosts(given.hosts, given.ssh);
  if (!given.reach.empty()) checks.push_back(check_way(given.reach));
  const bool good = std::none_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.level == CheckLevel::kFail;
  });
  for (const auto& check : checks) fmt::print("{}\n", str(check));
  if (given.as_json) {
    const nlohmann::json report = {{"ok", good},
                                   {doctor_key::kTime, seconds_since_1970()},
                                   {doctor_key::kChecks, checks},
                                   {key::kHardware, hardware()},
                                   {key::kVersions, versions()}};
    fmt::print("{}\n", report.dump());
  }
  return good ? 0 : 1;
}

}  // namespace

void add_doctor_command(CLI::App& program, Run& run) {
  auto* const command =
      program.add_subcommand("doctor", "Check this machine, or several, and say what to do");
  command->footer("The exit status is 1 where this machine cannot train.");
  const auto given = std::make_shared<GivenDoctor>();
  command->add_flag("--json", given->as_json, "Print one JSON object as the last line");
  command
      ->add_option("-H," + as_flag(launch_flag::kHosts), given->hosts,
                   "Hosts that are to train together, over ssh: versions, processors, clocks, ways")
      ->type_name("A,B");
  command->add_option(as_flag(launch_flag::kSshPort), given->ssh.port, "Port of the ssh servers");
  command
      ->add_option(as_flag(launch_flag::kSshIdentityFile), given->ssh.identity_file, "Private key")
      ->type_name("FILE");
  command->add_option(as_flag(kReachFlag), given->reach, "An endpoint to connect to")->group("");
  command->callback([&run, given] { run = [given] { return doctor(*given); }; });
}

}  // namespace yoke
