// Runs one target under libFuzzer: --target=NAME; --seeds=FOLDER writes what it begins with there,
// and ends. What else is given is libFuzzer's.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fuzz/target.h"
#include "yoke/core/files/file.h"

namespace {

const yoke::test::FuzzTarget* target = nullptr;

/// The value of the last `--name=value`; libFuzzer leaves those with two dashes alone.
std::string value_of(const char* name, int count, char** words) {
  const std::string beginning = std::string("--") + name + "=";
  std::string value;
  for (int i = 1; i < count; ++i) {
    if (std::string(words[i]).starts_with(beginning)) value = words[i] + beginning.size();
  }
  return value;
}

[[noreturn]] void list_targets() {
  for (const auto& each : yoke::test::fuzz_targets()) fmt::print("{}\n", each.name);
  std::exit(EXIT_SUCCESS);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  const auto name = value_of("target", *count, *words);
  for (const auto& each : yoke::test::fuzz_targets()) {
    if (each.name == name) target = &each;
  }
  if (target == nullptr) list_targets();
  const std::filesystem::path seeds = value_of("seeds", *count, *words);
  if (seeds.empty()) return 0;
  std::filesystem::create_directories(seeds);
  int number = 0;
  for (const auto& seed : target->seeds) {
    yoke::write_file(seeds / fmt::format("seed-{}", number++), seed);
  }
  std::exit(EXIT_SUCCESS);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  yoke::test::reads(*target, std::string(reinterpret_cast<const char*>(bytes), size));
  return 0;
}
