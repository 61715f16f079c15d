// yoke/parallel/server/serving.h: a server with a thread for each of its workers.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "yoke/parallel/server/part_server.h"
#include "yoke/parallel/server/server_link.h"

namespace yoke {

/// A worker on another rank.
struct Client {
  int worker = 0;                    ///< Its number among workers.
  std::unique_ptr<ServerLink> link;  ///< Null once it is lost.
};

/// Serves one part over links, between open() and close(): at other times no thread waits for a
/// worker, so that a rank which fails there can end.
class Serving {
 public:
  /// `pieces` are the ranges of the part in the order in which workers send them. With `forgives`
  /// the others are served on when a worker is lost.
  Serving(PartServer& server, std::vector<Bucket> pieces, std::int64_t elements, bool forgives,
          std::vector<Client> clients);
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  /// Serves each worker until it rests, or just one push.
  void open(bool one_push);
  /// Waits until that is done. @throws CommError when a worker is lost, or all of those forgiven.
  void close();

  /// By client, int64 [clients]: 1, and 0 for a worker that is lost.
  torch::Tensor alive() const;
  /// Between close() and open(): gives up those that another server has lost, 0 in `alive`, and
  /// tells the others.
  void keep(const torch::Tensor& alive);
  void tell(const torch::Tensor& alive);

  std::int64_t bytes() const;

 private:
  void work(Client& client);
  void lose(Client& client, const std::string& failure);
  void serve(Client& client, bool one_push);

  PartServer& server_;
  const std::vector<Bucket> pieces_;
  const std::int64_t elements_;
  const bool forgives_;

  mutable std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable changed_;
  std::vector<Client> clients_;
  std::int64_t opened_ = 0;  // how often
  std::size_t busy_ = 0;     // threads
  std::size_t alive_ = 0;    // clients
  std::int64_t bytes_ = 0;   // over links that are no more
  bool one_push_ = false, stop_ = false;
  std::string failure_;  // of all
  std::vector<std::thread> threads_;
};

}  // namespace yoke
