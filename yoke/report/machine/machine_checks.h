// yoke/report/machine/machine_checks.h: is this machine ready to train, and what to do where it is
// not.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "yoke/core/system/threads.h"
#include "yoke/report/machine/blas.h"
#include "yoke/report/machine/hardware.h"

namespace yoke {

enum class CheckLevel { kOk, kWarn, kFail };

/// What one check found.
struct Check {
  CheckLevel level = CheckLevel::kOk;
  std::string what;    ///< One or two words.
  std::string detail;  ///< What was found.
  std::string advice;  ///< What to do; empty when all is well.
};

/// Variables of the environment by name.
using Variables = std::map<std::string, std::string>;

/// Names of the variables that `check_threads`, `check_allocator` and `check_program` look at.
std::vector<std::string> checked_variables();

Check check_cpu(const Hardware& hardware);
Check check_cores(const CpuBudget& budget);
Check check_memory(const Hardware& hardware);
Check check_blas(const Blas& blas);
Check check_libtorch(const std::map<std::string, std::string>& versions);
/// Of what onednn_fault() says.
Check check_onednn(const std::string& fault);
/// `usable` is how many GPUs LibTorch can compute on.
Check check_gpus(const Hardware& hardware, int usable);
/// Variables that size thread pools, against the `cores` of the process.
Check check_threads(const Variables& variables, int cores);
/// `malloc_path` is the file that provides malloc.
Check check_allocator(const std::string& malloc_path, const Variables& variables);
/// Room for runs where they are written.
Check check_disk(const std::filesystem::path& directory);
Check check_interfaces(const std::vector<std::string>& interfaces);
/// `name` in the folders of PATH; `advice` is for when it is absent.
Check check_program(const std::string& what, const std::string& name, const Variables& variables,
                    const std::string& advice);

/// All of the above for this machine.
std::vector<Check> check_machine(const std::filesystem::path& directory,
                                 const Variables& variables);

/// `ok    blas      OpenBLAS (OpenMP threads)`, with `  -> advice` after it where there is one.
std::string str(const Check& check);

void to_json(nlohmann::json& json, const Check& check);
/// What to_json() wrote, perhaps on another host. @throws nlohmann::json::exception.
void from_json(const nlohmann::json& json, Check& check);

}  // namespace yoke
