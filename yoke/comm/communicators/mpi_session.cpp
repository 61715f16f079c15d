#include "yoke/comm/communicators/mpi_session.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"

namespace yoke::mpi {

void check(int error, const char* call) {
  if (error == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int size = 0;
  MPI_Error_string(error, text.data(), &size);
  throw CommError(
      fmt::format("{}: {}", call, std::string_view(text.data(), static_cast<std::size_t>(size))));
}

// Never destroyed: it ends in end(), after which other threads may still look at it.
Session& Session::get() {
  static Session* const session = new Session();
  return *session;
}

Session::Session() {
  int started = 0, allowed = 0;
  check(MPI_Initialized(&started), "MPI_Initialized");
  if (started != 0) {
    check(MPI_Query_thread(&allowed), "MPI_Query_thread");
  } else {
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &allowed), "MPI_Init_thread");
    ::on_exit(&Session::end, this);  // whoever starts MPI ends it
  }
  if (allowed < MPI_THREAD_MULTIPLE) {
    throw Error(
        "this MPI allows one thread at a time, and Yoke needs MPI_THREAD_MULTIPLE; build "
        "it with that, or give --comm gloo");
  }
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
}

void Session::check_started(int rank, int least) const {
  if (rank == rank_ && size_ >= least) return;
  throw UsageError(
      fmt::format("this process is rank {} of at least {}, and rank {} of {} to MPI; start it "
                  "with mpirun -n {}, or give --comm auto",
                  rank, least, rank_, size_, least));
}

void Session::abandon(const std::vector<torch::Tensor>& tensors) {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  abandoned_.insert(abandoned_.end(), tensors.begin(), tensors.end());
}

/// Waits for the end of the other ranks; returns whether they came. No matter how long, unless
/// `hurried`: when one of them dies, mpirun ends this one.
bool Session::meet(bool hurried) const {
  constexpr double kPatienceSeconds = 5;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return false;
  const Stopwatch watch;
  for (;;) {
    int done = 0;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    if (hurried && watch.seconds() > kPatienceSeconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Session::end(int status, void* session) {
  const auto& self = *static_cast<const Session*>(session);
  int ended = 0;
  if (MPI_Finalized(&ended) != MPI_SUCCESS || ended != 0) return;
  const bool failed = self.failed_;
  if (self.meet(failed || status != 0) && !failed) {
    MPI_Finalize();
  } else {
    MPI_Abort(MPI_COMM_WORLD, status == 0 ? EXIT_FAILURE : status);
  }
}

}  // namespace yoke::mpi
