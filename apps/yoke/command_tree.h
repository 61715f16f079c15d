// apps/yoke/command_tree.h: the program's commands and flags as they were declared, for whatever
// tells people of them: the help, manual pages, completion.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace yoke {

/// The commands of `command` that are meant for people, in the order of the help.
std::vector<const CLI::App*> commands_of(const CLI::App& command);

/// Likewise its flags, and its arguments without a name.
std::vector<const CLI::Option*> flags_of(const CLI::App& command);
std::vector<const CLI::Option*> arguments_of(const CLI::App& command);

/// The headings of its flags, in the order of the help.
std::vector<std::string> headings_of(const CLI::App& command);

/// As one types it: `yoke data fetch`.
std::string full_name(const CLI::App& command);

/// Its names as one types them: `-b`, `--batch-size`.
std::vector<std::string> names_of(const CLI::Option& flag);

/// What an argument without a flag is called: `PHOTOS`.
std::string name_of(const CLI::Option& argument);

/// Whether several can be given of it.
bool takes_several(const CLI::Option& argument);

/// Whether it takes no value.
bool is_switch(const CLI::Option& flag);

/// What a flag's or argument's value may be.
struct ValueShape {
  enum class Path { kNone, kAny, kFolder };
  std::string name;                ///< As the help shows it: `N`, `DIR`, `on/off`; empty: a switch.
  std::string range;               ///< Of numbers, "from 1 to 4096"; else empty.
  std::vector<std::string> words;  ///< That can be typed: `on` and `off`, names of plug-ins.
  Path path = Path::kNone;         ///< Files or folders can be typed.
};

/// Read from the name of its type. There, with `/` between them, stand words in small letters,
/// kinds of plug-ins (MODEL, DATASET, ...), FILE, PATH, DIR, or any other name in capitals for what
/// cannot be listed; what follows a `[` is not looked at.
ValueShape value_of(const CLI::Option& flag);

/// The whole of what is said of a flag: its sentence, its range, its default.
std::string description_of(const CLI::Option& flag);

}  // namespace yoke
