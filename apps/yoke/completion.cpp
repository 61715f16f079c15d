// apps/yoke/completion.cpp: `yoke completion`, scripts by which shells complete command lines.
#include "apps/yoke/completion.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "apps/yoke/commands.h"
#include "apps/yoke/output_file.h"
#include "yoke/core/enum_words.h"
#include "yoke/core/files/file.h"

namespace yoke {

enum class Shell { kBash, kZsh };

template <>
struct EnumWords<Shell> {
  static constexpr std::string_view kWords[] = {"bash", "zsh"};
};

namespace {

struct GivenCompletion {
  std::string shell;
  std::filesystem::path out;
};

int write_completion(const CLI::App& program, const GivenCompletion& given) {
  const auto shell = parse_word<Shell>("SHELL", given.shell);
  const auto text = shell == Shell::kBash ? bash_completion(program) : zsh_completion(program);
  if (given.out.empty()) {
    fmt::print("{}", text);
  } else {
    check_output("--out", given.out, /*force=*/true);
    write_file(given.out, text);
  }
  return 0;
}

}  // namespace

void add_completion_command(CLI::App& program, Run& run) {
  auto* const command =
      program.add_subcommand("completion", "Write a script by which a shell completes commands");
  command->footer("  source <(yoke completion bash)    for the shell that this is typed in");
  const auto given = std::make_shared<GivenCompletion>();
  command->add_option("SHELL", given->shell, words_of<Shell>(" or "))
      ->type_name(words_of<Shell>("/"))
      ->required();
  command->add_option("-o,--out", given->out, "File to write in place of standard output")
      ->type_name("FILE");
  command->callback([given, &program, &run] {
    run = [given, &program] { return write_completion(program, *given); };
  });
}

}  // namespace yoke
