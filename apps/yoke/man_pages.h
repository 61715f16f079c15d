// apps/yoke/man_pages.h: manual pages, made from what commands and flags say of themselves.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace yoke {

struct ManPage {
  std::string name;  ///< Of its file: `yoke-train.1`.
  std::string text;  ///< For man, in roff.
};

/// One of the program, and one of each of its commands with the commands below it.
std::vector<ManPage> man_pages(const CLI::App& program);

}  // namespace yoke
