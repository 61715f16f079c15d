// yoke/core/system/allocator.h: how malloc treats large blocks.
#pragma once

namespace yoke {

/// Makes malloc keep freed memory for the process instead of returning it to the kernel, which
/// would fault each large activation in again at every step. Call once, early in main().
void keep_freed_memory();

}  // namespace yoke
