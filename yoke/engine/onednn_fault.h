// yoke/engine/onednn_fault.h: whether oneDNN computes rightly on this machine.
#pragma once
#include <string>

namespace yoke {

/// What oneDNN gets wrong here, tried by some small products of whole numbers (a few milliseconds);
/// empty where it gets them right. Version 3.7 fails where a virtual machine hides the sizes of an
/// AMD processor's caches (CPUID leaf 8000001D).
std::string onednn_fault();

}  // namespace yoke
