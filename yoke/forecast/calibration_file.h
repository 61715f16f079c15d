// yoke/forecast/calibration_file.h: calibrations kept in files, see docs/forecast.md.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "yoke/forecast/calibration.h"

namespace yoke::forecast {

nlohmann::ordered_json to_json(const Calibration& calibration);

/// @throws UsageError that names `where` when it is not what to_json() wrote, or
/// check_calibration() refuses it.
Calibration calibration_from_json(const nlohmann::json& json, const std::string& where);

/// Nothing where there is no file. @throws UsageError when it is no calibration.
std::optional<Calibration> read_calibration(const std::filesystem::path& path);

/// Makes the folder, too.
void write_calibration(const std::filesystem::path& path, const Calibration& calibration);

/// Where a calibration with this host, processor, versions and flags is kept below `cache`, a
/// user's folder for such files.
std::filesystem::path cached_path(const std::filesystem::path& cache,
                                  const Calibration& calibration);

/// Why `found` cannot stand for `wanted`, of which host, cpu, cores, versions and flags are set:
/// `it was measured with --model lenet, not lab-cnn`; empty when it can. Another machine is no
/// reason where `any_machine`.
std::string why_not_same(const Calibration& found, const Calibration& wanted, bool any_machine);

}  // namespace yoke::forecast
