// tests/support/slurm.h: a Slurm on this machine, for tests of what is submitted to one.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace yoke::test {

/// A controller and its nodes, node1, node2, ..., of two processors each, all on this machine. They
/// have a network, processes and a /dev/shm of their own, and end with this object, as jobs do.
class Slurm {
 public:
  /// Why this machine cannot have one (not root, a program that is missing); else empty.
  static std::string why_not();

  /// Ready for jobs. @throws std::runtime_error with what its programs said.
  explicit Slurm(int nodes);
  ~Slurm();

  /// The words that run `arguments` beside it, where sbatch and its like find it.
  std::vector<std::string> in(std::vector<std::string> arguments) const;
  /// What `arguments` print, which must succeed.
  std::string print(const std::vector<std::string>& arguments) const;
  /// What the controller and the nodes have logged.
  std::string log() const;

 private:
  void write_files(int nodes) const;
  std::string script(int nodes) const;

  TemporaryDirectory directory_;
  std::unique_ptr<BackgroundProgram> program_;
  int pid_ = 0;  // of the first process inside
};

}  // namespace yoke::test
