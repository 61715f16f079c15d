// yoke/core/error.h: the kinds of failure; thrown where found, caught once in main().
#pragma once
#include <stdexcept>

namespace yoke {

/// A bug, a broken file or a broken state of the machine.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Wrong usage: the message says what was given, what is allowed and what to do. Exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Right words in the wrong place: this machine or this build lacks what they ask for, as a GPU.
/// Exit status 69.
class UnavailableError : public UsageError {
 public:
  using UsageError::UsageError;
};

/// A peer or a link is lost; the group of ranks is dead.
class CommError : public Error {
 public:
  using Error::Error;
};

}  // namespace yoke
