// apps/yoke/doctor.cpp: `yoke doctor` checks the machine and says what to do.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/yoke/commands.h"
#include "yoke/report/machine/hardware.h"
#include "yoke/report/machine/machine_checks.h"

namespace yoke {
namespace {

Variables environment() {
  Variables variables;
  for (const auto& name : checked_variables()) {
    if (const char* const value = std::getenv(name.c_str())) variables[name] = value;
  }
  return variables;
}

int doctor(bool as_json) {
  const auto checks = check_machine(std::filesystem::current_path(), environment());
  const bool good = std::none_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.level == CheckLevel::kFail;
  });
  for (const auto& check : checks) fmt::print("{}\n", str(check));
  if (as_json) {
    const nlohmann::json report = {
        {"ok", good}, {"checks", checks}, {"hardware", hardware()}, {"versions", versions()}};
    fmt::print("{}\n", report.dump());
  }
  return good ? 0 : 1;
}

}  // namespace

void add_doctor_command(CLI::App& program, Run& run) {
  auto* const command = program.add_subcommand(
      "doctor", "Checks this machine and says what to do; 1 if it cannot train");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print one JSON object as the last line");
  command->callback([&run, as_json] { run = [as_json] { return doctor(*as_json); }; });
}

}  // namespace yoke
