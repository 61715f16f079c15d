// yoke/launch/flags.h: the flags of `yoke run`, one table for the command line, the help and PET_*
// variables.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "yoke/launch/config.h"

namespace yoke::launch {

/// One flag of `yoke run`.
struct LaunchFlag {
  std::string name;                  ///< Without dashes: `nproc-per-node`.
  std::vector<std::string> aliases;  ///< As typed: `-np`.
  std::string value;                 ///< What its value is called in the help; empty for a switch.
  std::string fallback;              ///< The default, as the help shows it.
  std::string help;                  ///< One sentence, with the unit.
  std::string group;                 ///< Heading of the help.
  /// @throws UsageError when the text is no such value.
  std::function<void(LaunchConfig&, const std::string&)> set;

  /// The variable that holds its default, by torchrun's rule: `PET_NPROC_PER_NODE`.
  std::string variable() const;
};

/// Every flag, in the order of the help.
const std::vector<LaunchFlag>& launch_flags();

/// What the words after `yoke run` say.
struct LaunchWords {
  std::vector<std::string> flags;    ///< In the form --name or --name=value; unknown ones as given.
  std::vector<std::string> command;  ///< The first word that is no flag, or what follows --.
};

/// Splits the words after `yoke run`: takes aliases, underscores for dashes, and values that follow
/// as a word of their own.
LaunchWords split_words(const std::vector<std::string>& words);

/// The configuration that `given` flags and, where these are silent, PET_* variables ask for.
/// @throws UsageError, also where flags contradict each other.
LaunchConfig resolve_flags(const std::map<std::string, std::string>& given,
                           const Environment& environment);

/// The ranks that --nproc-per-node's value means on this host.
int count_processes(const std::string& text);

}  // namespace yoke::launch
