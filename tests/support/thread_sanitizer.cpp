// tests/support/thread_sanitizer.cpp: how ThreadSanitizer looks at every program of a build with
// it, also one that ssh starts.

extern "C" {  // NOLINTBEGIN(bugprone-reserved-identifier): names that it asks for

/// Libraries are not instrumented; what they do by themselves is not looked at.
const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }

/// LibTorch counts references in code that is not instrumented, so that the last owner is not seen
/// to come after the others. Nothing of Yoke's is suppressed.
const char* __tsan_default_suppressions() {
  return "race:c10::intrusive_ptr_target::~intrusive_ptr_target\n";
}

}  // NOLINTEND(bugprone-reserved-identifier)
