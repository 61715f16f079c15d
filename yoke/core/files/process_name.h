// yoke/core/files/process_name.h: who writes a temporary file on a disk that hosts may share.
#pragma once
#include <string>
#include <string_view>

namespace yoke {

/// Names the running kernel, until it starts again: 36 letters.
std::string boot_id();

/// Names this process among those of all hosts: `HOST-PID`, where HOST is 16 hexadecimal digits for
/// the running kernel and its space of process numbers, of which a container has its own.
std::string process_name();

/// Whether `name`, of process_name(), is of a process of this host that is gone; false for one of
/// another host, of which nothing is known here.
bool is_gone(std::string_view name);

}  // namespace yoke
