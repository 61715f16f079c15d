// tests/train/long_run_test.cpp: a long run holds no more memory, descriptors and threads at its
// end than near its begin. `make test-all` takes 100,000 steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include "tests/train/run.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

/// What a process has at several moments; some of it comes and goes.
struct Held {
  std::int64_t kilobytes = std::numeric_limits<std::int64_t>::max();  // at the least
  std::int64_t threads = kilobytes;
  std::vector<std::int64_t> descriptors;  // at each

  std::int64_t least_descriptors() const { return *std::ranges::min_element(descriptors); }
  /// One that is away for a moment, as where a file is opened anew, is none that comes later.
  std::int64_t usual_descriptors() {
    const auto middle = descriptors.begin() + static_cast<std::ptrdiff_t>(descriptors.size() / 2);
    std::ranges::nth_element(descriptors, middle);
    return *middle;
  }
};

std::int64_t status_of(const fs::path& process, const std::string& key) {
  const std::string status = read_file(process / "status");
  const auto at = status.find(key);
  return at == std::string::npos ? 0 : std::stoll(status.substr(at + key.size()));
}

void look(const fs::path& process, Held& held) {
  held.descriptors.push_back(static_cast<std::int64_t>(count_entries(process / "fd")));
  held.kilobytes = std::min(held.kilobytes, status_of(process, "VmRSS:"));
  held.threads = std::min(held.threads, status_of(process, "Threads:"));
}

/// The steps that a run has reported; 0 before it has.
std::int64_t steps_of(const fs::path& metrics) {
  if (!fs::exists(metrics)) return 0;
  const std::string text = read_file(metrics);
  const auto at = text.rfind("{\"step\":");
  return at == std::string::npos ? 0 : std::stoll(text.substr(at + 8));
}

struct Setting {
  const char* name;
  int ranks;
  int steps;  ///< In the short form.
  const char* flags;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

class LongRun : public testing::TestWithParam<Setting> {};

TEST_P(LongRun, HoldsAsMuchAtItsEndAsNearItsBegin) {
  const std::int64_t steps = long_tests() ? 100'000 : GetParam().steps;
  const TemporaryDirectory directory;
  const auto out = directory.path() / "run";
  const auto ranks = start_yoke_ranks(
      GetParam().ranks,
      train_words(out, fmt::format("--model mlp:hidden=16 --data glyphs:train=64,validation=16 "
                                   "--batch-size 8 --epochs {0} --max-steps {0} --threads 1 "
                                   "--print-every {1} --eval-every {2}steps "
                                   "--checkpoint-every {2}steps {3}",
                                   steps, steps / 100, steps / 20, GetParam().flags)));
  const fs::path process = fmt::format("/proc/{}", ranks.front()->pid());
  Held early, late;
  ASSERT_TRUE(comes_true([&] {
    const std::int64_t step = steps_of(out / "metrics.jsonl");
    if (step >= steps / 5 && step < steps / 2) look(process, early);
    if (step >= steps / 2 && step < steps) look(process, late);
    return step >= steps || fs::exists(out / "summary.json");
  }));
  for (const auto& rank : ranks) {
    const auto result = rank->wait();
    EXPECT_EQ(result.status, 0) << result.output;
  }
  ASSERT_LT(early.threads, 1000) << "it was too fast to be looked at";
  ASSERT_LT(late.threads, 1000) << "it was too fast to be looked at";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which hold memory themselves
  EXPECT_LE(late.kilobytes, early.kilobytes + 4096) << "of " << early.kilobytes << " kB";
#endif
  EXPECT_LE(late.threads, early.threads);
  EXPECT_LE(late.least_descriptors(), early.usual_descriptors());
}

INSTANTIATE_TEST_SUITE_P(
    Ways, LongRun,
    testing::Values(Setting{"alone", 1, 10'000, ""}, Setting{"eager", 1, 10'000, "--engine eager"},
                    Setting{"gloo", 2, 2'000, "--comm gloo"},
                    Setting{"shared_memory", 2, 5'000, "--comm shared-memory"},
                    Setting{"averaging", 2, 5'000, "--strategy averaging:every=4"},
                    Setting{"servers", 2, 2'000, "--strategy parameter-server:mode=async"},
                    Setting{"hogwild", 2, 5'000, "--strategy hogwild"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace yoke::test
