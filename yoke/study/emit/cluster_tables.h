// yoke/study/emit/cluster_tables.h: the tables [slurm] and [kubernetes] of a study file.
#pragma once
#include <toml++/toml.h>

#include <string>

#include "yoke/study/emit/cluster_settings.h"

namespace yoke::study {

/// Reads [slurm] of the file `where`. @throws UsageError that names the line.
SlurmSettings read_slurm(const toml::table& table, const std::string& where);

/// Reads [kubernetes], likewise; image and claim may be missing.
KubernetesSettings read_kubernetes(const toml::table& table, const std::string& where);

}  // namespace yoke::study
