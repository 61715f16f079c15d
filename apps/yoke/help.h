// apps/yoke/help.h: how `--help` looks.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace yoke {

/// Lines of at most 80 columns: names on the left, what they mean on the right, with the range and
/// the [default] of each flag; commands before flags.
class Help final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* command, std::string name) const override;
  std::string make_positionals(const CLI::App* command) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace yoke
