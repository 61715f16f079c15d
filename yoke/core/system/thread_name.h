// yoke/core/system/thread_name.h: what threads are called, as `top -H`, debuggers and profiles show
// it.
#pragma once
#include <cstdint>
#include <string>

namespace yoke {

/// Calls this thread `name`, of which Linux keeps 15 bytes. Not for the first thread of a process,
/// whose name is the process's.
void name_thread(const std::string& name);

/// The system's number of this thread.
std::int64_t thread_number();

/// What the thread of that number, of this process, is called; empty once it has ended.
std::string thread_name(std::int64_t number);

}  // namespace yoke
