// tests/support/sanitizers.cpp: how sanitizers look at every program of a build with them, also one
// that ssh starts. Nothing of Yoke's is suppressed.

extern "C" {  // NOLINTBEGIN(bugprone-reserved-identifier): names that they ask for

/// Libraries are not instrumented; what they do by themselves is not looked at.
const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }

/// LibTorch counts references in code that is not instrumented, so that the last owner is not seen
/// to come after the others.
const char* __tsan_default_suppressions() {
  return "race:c10::intrusive_ptr_target::~intrusive_ptr_target\n";
}

/// oneDNN 3.7 forgets some bytes where it describes some gradients.
const char* __lsan_default_suppressions() {
  return "leak:dnnl_convolution_backward_data_primitive_desc_create\n";
}

}  // NOLINTEND(bugprone-reserved-identifier)
