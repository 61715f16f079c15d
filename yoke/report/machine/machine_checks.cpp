#include "yoke/report/machine/machine_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "yoke/core/format.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/core/system/launch_variables.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

Check ok(std::string what, std::string detail) {
  return {CheckLevel::kOk, std::move(what), std::move(detail), ""};
}

Check warn(std::string what, std::string detail, std::string advice) {
  return {CheckLevel::kWarn, std::move(what), std::move(detail), std::move(advice)};
}

Check fail(std::string what, std::string detail, std::string advice) {
  return {CheckLevel::kFail, std::move(what), std::move(detail), std::move(advice)};
}

constexpr const char *kLevel = "level", *kWhat = "what", *kDetail = "detail", *kAdvice = "advice";

const char* level_name(CheckLevel level) {
  switch (level) {
    case CheckLevel::kOk:
      return "ok";
    case CheckLevel::kWarn:
      return "warn";
    case CheckLevel::kFail:
      return "fail";
  }
  return "fail";
}

constexpr std::array kThreadVariables = {variable::kOmpThreads, "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS", "OMP_PROC_BIND"};
constexpr std::array kMallocVariables = {"LD_PRELOAD", "GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_",
                                         "MALLOC_ARENA_MAX"};

/// `A=1, B=2` of those that are set.
std::string set_ones(std::span<const char* const> names, const Variables& variables) {
  std::vector<std::string> set;
  for (const char* const name : names) {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) continue;
    set.push_back(found->first + "=" + found->second);
  }
  return fmt::format("{}", fmt::join(set, ", "));
}

std::string find_program(const std::string& name, const std::string& path) {
  if (path.empty()) return "";
  for (const auto folder : split(path, ':')) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0) return file.string();
  }
  return "";
}

}  // namespace

std::vector<std::string> checked_variables() {
  std::vector<std::string> names = {"PATH"};
  for (const char* const name : kThreadVariables) names.emplace_back(name);
  for (const char* const name : kMallocVariables) names.emplace_back(name);
  return names;
}

Check check_cpu(const Hardware& hardware) {
  const auto detail = fmt::format("{} ({})", hardware.cpu, fmt::join(hardware.cpu_features, " "));
  const auto has = [&](const char* feature) {
    return std::count(hardware.cpu_features.begin(), hardware.cpu_features.end(), feature) > 0;
  };
  if (has("avx2") || has("asimd")) return ok("cpu", detail);
  return warn("cpu", detail, "training works but is slow without AVX2; use a newer machine");
}

Check check_cores(const CpuBudget& budget) {
  const int cores = static_cast<int>(budget.cores.size());
  if (budget.quota > 0 && budget.quota < cores) {
    return warn("cores", budget.str(),
                "the control group grants less time than there are cores: threads will wait; raise "
                "its CPU limit or expect this speed");
  }
  return ok("cores", budget.str());
}

Check check_memory(const Hardware& hardware) {
  constexpr std::int64_t kLeastBytes = 2'000'000'000;
  const std::int64_t limit = hardware.memory_limit_bytes;
  const bool limited = limit > 0 && limit < hardware.memory_bytes;
  std::string detail = format_bytes(hardware.memory_bytes);
  if (limited) detail += fmt::format(", the control group allows {}", format_bytes(limit));
  if ((limited ? limit : hardware.memory_bytes) >= kLeastBytes) return ok("memory", detail);
  return warn("memory", detail, "use a small --batch-size, or give the machine 2 GB or more");
}

Check check_blas(const Blas& blas) {
  const std::string install = "apt-get install libopenblas0-openmp";
  if (blas.name == "reference") {
    return warn("blas", describe(blas),
                "this one is several times slower than OpenBLAS: " + install);
  }
  if (blas.name == "unknown") {
    return warn("blas", describe(blas), "if training is slow: " + install);
  }
  if (blas.threads == BlasThreads::kOwn) {
    return warn("blas", describe(blas),
                "its threads would fight with LibTorch's, so yoke holds it to one: " + install +
                    ", and choose it by update-alternatives --config "
                    "libblas.so.3-$(uname -m)-linux-gnu");
  }
  return ok("blas", describe(blas));
}

Check check_libtorch(const std::map<std::string, std::string>& versions) {
  const auto version_of = [&](const char* name) {
    const auto found = versions.find(name);
    return found == versions.end() ? std::string("none") : found->second;
  };
  const auto detail = fmt::format("{}, oneDNN {}, CUDA {}, NCCL {}", version_of("libtorch"),
                                  version_of("onednn"), version_of("cuda"), version_of("nccl"));
  if (version_of("onednn") != "none") return ok("libtorch", detail);
  return warn(
      "libtorch", detail,
      "convolutions are slow without oneDNN: use Debian's LibTorch or one from pytorch.org");
}

Check check_onednn(const std::string& fault) {
  if (fault.empty()) return ok("onednn", "multiplies rightly here");
  return warn("onednn", fault,
              "yoke trains without it, slowly; use another version (docs/install.md)");
}

Check check_gpus(const Hardware& hardware, int usable) {
  const auto& gpus = hardware.gpus;
  const std::string driver =
      hardware.gpu_driver.empty() ? "" : fmt::format("; driver {}", hardware.gpu_driver);
  if (gpus.empty() && usable == 0) return ok("gpus", "none; training is on the CPU" + driver);
  const auto detail =
      fmt::format("{} here ({}{}), {} usable", gpus.size(), fmt::join(gpus, "; "), driver, usable);
  if (usable >= static_cast<int>(gpus.size())) return ok("gpus", detail);
  return warn("gpus", detail,
              "build against a LibTorch with CUDA (docs/gpu.md), and check the driver and "
              "CUDA_VISIBLE_DEVICES");
}

Check check_threads(const Variables& variables, int cores) {
  const std::string detail = set_ones(kThreadVariables, variables);
  if (detail.empty()) return ok("threads", "no variable set; yoke sizes its pools (--threads)");
  for (const auto& name : {variable::kOmpThreads, "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    const auto found = variables.find(name);
    if (found == variables.end()) continue;
    std::string_view text = found->second;  // "4,2" sets nested levels
    if (take_number<int>(text).value_or(0) > cores) {
      return warn("threads", detail,
                  fmt::format("{} is more than the {} cores allowed: unset it", name, cores));
    }
  }
  if (variables.contains("OMP_PROC_BIND")) {
    return warn("threads", detail,
                "ranks of one host would be bound to the same cores: unset OMP_PROC_BIND");
  }
  return ok("threads", detail);
}

Check check_allocator(const std::string& malloc_path, const Variables& variables) {
  std::string detail = fs::path(malloc_path).filename().string();
  const auto set = set_ones(kMallocVariables, variables);
  if (!set.empty()) detail += fmt::format(" ({})", set);
  if (detail.starts_with("libc.so") || detail.starts_with("libc-")) {
    return ok("allocator", detail + "; yoke makes it keep freed memory");
  }
  for (const char* known : {"jemalloc", "tcmalloc", "mimalloc"}) {
    if (detail.find(known) != std::string::npos) return ok("allocator", detail);
  }
  return warn("allocator", detail.empty() ? "unknown" : detail,
              "large blocks may go back to the system at each step: use glibc's malloc");
}

Check check_disk(const fs::path& directory) {
  constexpr std::int64_t kLeastBytes = 1'000'000'000;
  std::error_code error;
  const auto space = fs::space(directory, error);
  if (error)
    return fail("disk", directory.string() + ": " + error.message(), "choose another --out");
  const auto available = static_cast<std::int64_t>(
      std::min<std::uintmax_t>(space.available, std::numeric_limits<std::int64_t>::max()));
  const auto detail = fmt::format("{} free in {}", format_bytes(available), directory.string());
  if (::access(directory.c_str(), W_OK) != 0) {
    return fail("disk", detail + ", not writable",
                "change to a folder you may write, or give --out");
  }
  if (available >= kLeastBytes) return ok("disk", detail);
  return warn("disk", detail, "make room, or give --out and --data-dir on another disk");
}

Check check_interfaces(const std::vector<std::string>& interfaces) {
  const auto detail = fmt::format("{}", fmt::join(interfaces, ", "));
  if (!interfaces.empty()) return ok("network", detail);
  return warn("network", "no interface with an address",
              "ranks cannot reach each other: ip link set lo up");
}

Check check_program(const std::string& what, const std::string& name, const Variables& variables,
                    const std::string& advice) {
  const auto path = variables.find("PATH");
  const auto file = path == variables.end() ? "" : find_program(name, path->second);
  return file.empty() ? warn(what, name + " is not in PATH", advice) : ok(what, file);
}

std::string str(const Check& check) {
  auto text = fmt::format("{:<4}  {:<9}  {}", level_name(check.level), check.what, check.detail);
  return check.advice.empty() ? text : fmt::format("{}  -> {}", text, check.advice);
}

void to_json(nlohmann::json& json, const Check& check) {
  json = {{kLevel, level_name(check.level)},
          {kWhat, check.what},
          {kDetail, check.detail},
          {kAdvice, check.advice}};
}

void from_json(const nlohmann::json& json, Check& check) {
  const std::string level = json.at(kLevel);
  check.level = CheckLevel::kFail;
  for (const auto known : {CheckLevel::kOk, CheckLevel::kWarn}) {
    if (level == level_name(known)) check.level = known;
  }
  json.at(kWhat).get_to(check.what);
  json.at(kDetail).get_to(check.detail);
  json.at(kAdvice).get_to(check.advice);
}

}  // namespace yoke
