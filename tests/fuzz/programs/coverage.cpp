// Tells libFuzzer which code g++'s -fsanitize-coverage=trace-pc has seen run: its own way is
// clang++'s.
#include <cstdint>

namespace {

// libFuzzer finds them by their section, and looks at all after each input.
[[gnu::section("__libfuzzer_extra_counters")]] std::uint8_t counters[1 << 14];

}  // namespace

extern "C" {  // NOLINTBEGIN(bugprone-reserved-identifier): names that g++ gives

// In place of libFuzzer's, which only says that it takes no part (see --wrap in
// tests/CMakeLists.txt).
[[gnu::no_sanitize_coverage, gnu::no_sanitize("address", "undefined")]] void
__wrap___sanitizer_cov_trace_pc() {
  const auto from = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(from ^ (from >> 16)) % sizeof counters];
}

// Comparisons that clang++ does not trace, and libFuzzer does not know.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

}  // NOLINTEND(bugprone-reserved-identifier)
