// yoke/launch/rendezvous/curve.h: who may talk to a coordinator, and unheard: those with its key.
#pragma once
#include <string>
#include <zmq.hpp>

#include "yoke/launch/event_loop.h"
#include "yoke/launch/rendezvous/curve_key.h"

namespace yoke::launch {

/// Makes `socket` let in, from now on, only who has `key`, as its CurveGuard then says.
void serve_by_curve(zmq::socket_t& socket, const CurveKey& key);

/// Makes `socket` connect, from now on, only to who has `key`.
void connect_by_curve(zmq::socket_t& socket, const CurveKey& key);

/// Answers ZeroMQ, which asks about each connection to the sockets of `context` whether it may come
/// in (https://rfc.zeromq.org/spec/27): whoever has the key.
class CurveGuard {
 public:
  CurveGuard(EventLoop& loop, zmq::context_t& context, const CurveKey& key);
  ~CurveGuard();
  CurveGuard(const CurveGuard&) = delete;
  CurveGuard& operator=(const CurveGuard&) = delete;

 private:
  void answer();

  EventLoop& loop_;
  zmq::socket_t socket_;
  std::string allowed_;  // the public key, in binary
};

}  // namespace yoke::launch
