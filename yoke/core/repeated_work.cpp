#include "yoke/core/repeated_work.h"

namespace yoke {

void RepeatedWork::run(const std::function<void()>& work) {
  if (rehearses()) {
    ++rehearsals_;
    return graph_->rehearse(work);
  }
  if (!recorded_) graph_->record(work);
  recorded_ = true;
  graph_->replay();
}

}  // namespace yoke
