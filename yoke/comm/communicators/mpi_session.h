// yoke/comm/communicators/mpi_session.h: this process's part in MPI, of which a process has one.
#pragma once
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#include <mpi.h>
#include <torch/types.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace yoke::mpi {

/// Starts MPI when first asked for. At the end of the process, the ranks that end well wait for
/// each other and for MPI_Finalize; one that exits with another status than 0, or whose operation
/// failed, waits a few seconds for the others' messages, then has mpirun end them.
class Session {
 public:
  /// @throws Error where MPI does not start or does not allow several threads.
  static Session& get();

  int rank() const { return rank_; }  ///< In MPI_COMM_WORLD.
  int size() const { return size_; }
  /// @throws UsageError unless mpirun started this process as rank `rank` of `least` or more.
  void check_started(int rank, int least) const;

  /// Keeps tensors that MPI may still write to after an operation has failed.
  void abandon(const std::vector<torch::Tensor>& tensors);

 private:
  Session();
  static void end(int status, void* session);
  bool meet(bool hurried) const;

  int rank_ = 0;
  int size_ = 1;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::vector<torch::Tensor> abandoned_;
};

/// @throws CommError that says what MPI's `error` is, unless it is success.
void check(int error, const char* call);

}  // namespace yoke::mpi
