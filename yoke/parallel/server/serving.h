// yoke/parallel/server/serving.h: a server with a thread for each of its workers.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "yoke/parallel/server/link.h"
#include "yoke/parallel/server/part_server.h"

namespace yoke {

/// A worker on another rank.
struct Client {
  int worker = 0;  ///< Its number among workers.
  std::unique_ptr<Link> link;
};

/// Serves one part over links, between open() and close(): at other times no thread waits for a
/// worker, so that a rank which fails there can end.
class Serving {
 public:
  /// `pieces` are the ranges of the part in the order in which workers send them.
  Serving(PartServer& server, std::vector<Bucket> pieces, std::int64_t elements,
          std::vector<Client> clients);
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  /// Serves each worker until it rests, or just one push.
  void open(bool one_push);
  /// Waits until that is done. @throws CommError when a worker is lost.
  void close();

  std::int64_t bytes() const;

 private:
  void work(Client& client);
  void serve(Client& client, bool one_push);

  PartServer& server_;
  const std::vector<Bucket> pieces_;
  const std::int64_t elements_;

  mutable std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable changed_;
  std::vector<Client> clients_;
  std::int64_t opened_ = 0;  // how often
  std::size_t busy_ = 0;     // threads
  bool one_push_ = false, stop_ = false;
  std::string failure_;
  std::vector<std::thread> threads_;
};

}  // namespace yoke
