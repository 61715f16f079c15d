// yoke/core/system/team.h: threads that work through a step together.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace yoke {

/// The thread that made it, its leader, and `size` - 1 others that sleep between tasks. LibTorch
/// and oneDNN see one thread in each.
class Team {
 public:
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(failures_.size()); }

  /// The team that this thread leads, so that other loops of the step can share it; null where
  /// there is none or it is at work.
  static Team* of_this_thread();

  /// Calls work(member) once in each thread, member 0 in the leader's, and waits for all. Rethrows
  /// what the first member threw.
  void run(const std::function<void(int member)>& work);

 private:
  void serve(int member);
  void attempt(int member);

  Team* const before_;                              // that the leader led
  const std::function<void(int)>* work_ = nullptr;  // null between tasks
  std::vector<std::exception_ptr> failures_;
  std::atomic<std::uint32_t> task_ = 0;  // counts; a change wakes the others
  std::atomic<std::uint32_t> busy_ = 0;  // members that have not finished
  std::atomic<bool> stop_ = false;
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace yoke
