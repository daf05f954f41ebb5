// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/stdin_pump.h"

#include <array>
#include <csignal>

namespace tidings {

pollfd StdinPump::interest() const {
  if (!sink_) return {.fd = -1, .events = 0, .revents = 0};
  if (held_.empty()) return {.fd = source_, .events = POLLIN, .revents = 0};
  return {.fd = sink_.get(), .events = POLLOUT, .revents = 0};
}

void StdinPump::move() {
  if (held_.empty()) {
    std::array<char, 4096> buffer;
    const ssize_t got = read(source_, buffer.data(), buffer.size());
    if (got > 0)
      held_.assign(buffer.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      sink_.close();  // end of input
    return;
  }
  const ssize_t put = write(sink_.get(), held_.data(), held_.size());
  if (put >= 0)
    held_.erase(0, static_cast<std::size_t>(put));
  else if (errno != EAGAIN && errno != EINTR)
    sink_.close();  // nobody reads any more
}

}  // namespace tidings
