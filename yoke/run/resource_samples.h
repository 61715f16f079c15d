// yoke/run/resource_samples.h: the lines of resources.csv.
#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "yoke/run/lines.h"

namespace yoke {

/// What one rank used; nothing where the system does not tell, an empty field of the line.
struct ResourceSample {
  double seconds = 0;  ///< Of the run.
  int rank = 0;
  std::optional<double> cpu_percent = {};  ///< Since the sample before; 100 for each busy core.
  std::optional<double> rss_bytes = {};
  std::optional<double> disk_read_bytes = {}, disk_write_bytes = {};  ///< Since the start.
  std::optional<double> network_receive_bytes = {},
                        network_send_bytes = {};  ///< Of the host, likewise.
  std::optional<double> gpu_percent = {}, gpu_memory_bytes = {};
};

/// A column after `seconds` and `rank`.
struct ResourceColumn {
  const char* name;
  std::optional<double> ResourceSample::*field;
  int decimals;
};

/// In the order of the file.
inline constexpr std::array<ResourceColumn, 8> kResourceColumns = {
    {{"cpu_percent", &ResourceSample::cpu_percent, 1},
     {"rss_bytes", &ResourceSample::rss_bytes, 0},
     {"disk_read_bytes", &ResourceSample::disk_read_bytes, 0},
     {"disk_write_bytes", &ResourceSample::disk_write_bytes, 0},
     {"network_receive_bytes", &ResourceSample::network_receive_bytes, 0},
     {"network_send_bytes", &ResourceSample::network_send_bytes, 0},
     {"gpu_percent", &ResourceSample::gpu_percent, 0},
     {"gpu_memory_bytes", &ResourceSample::gpu_memory_bytes, 0}}};

/// The first line of resources.csv, with its end.
std::string resources_header();

/// `sample` as a line, with its end.
std::string to_line(const ResourceSample& sample);

/// Reads resources.csv; earlier versions wrote fewer columns. @throws Error when it cannot be read.
Lines<ResourceSample> read_resources(const std::filesystem::path& path);

}  // namespace yoke
