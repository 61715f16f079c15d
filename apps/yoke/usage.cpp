#include "apps/yoke/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace yoke {
namespace {

/// The innermost command that was named.
const CLI::App& named_command(const CLI::App& program) {
  const auto named = program.get_subcommands();
  return named.empty() ? program : named_command(*named.front());
}

std::vector<std::string> allowed_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(sub->get_name());
  }
  if (!words.empty()) return words;
  for (const auto* option : command.get_options()) words.push_back(option->get_name());
  return words;
}

}  // namespace

std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = named_command(program);
  std::string name = command.get_name();
  for (const auto* parent = command.get_parent(); parent != nullptr;
       parent = parent->get_parent()) {
    name = fmt::format("{} {}", parent->get_name(), name);
  }
  const auto unknown = program.remaining();
  if (&command == &program && !unknown.empty()) {
    return fmt::format("unknown command '{}'; allowed: {}; run '{} --help'", unknown.front(),
                       fmt::join(allowed_words(command), ", "), name);
  }
  return fmt::format("{}; allowed: {}; run '{} --help'", error.what(),
                     fmt::join(allowed_words(command), ", "), name);
}

}  // namespace yoke
