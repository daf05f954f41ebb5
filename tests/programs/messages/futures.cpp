// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages as objects of C++: a map of futures whose values are taken in any order.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "program.h"

namespace {

class Incoming {
 public:
  Incoming(int source, int tag) : text_(64, '\0') {
    MPI_Irecv(text_.data(), 64, MPI_CHAR, source, tag, MPI_COMM_WORLD, &request_);
  }
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;
  ~Incoming() = default;
  std::string take() {
    MPI_Status status;
    int length;
    MPI_Wait(&request_, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    return text_.substr(0, static_cast<std::size_t>(length));
  }

 private:
  std::string text_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  std::map<int, std::unique_ptr<Incoming>, std::greater<>> expected;
  for (int r = 0; r < ranks; ++r) expected.emplace(r, std::make_unique<Incoming>(r, 3));
  std::vector<std::string> texts;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r)
    texts.push_back("from " + std::to_string(rank) + std::string(static_cast<std::size_t>(r), '!'));
  for (int r = 0; r < ranks; ++r) {
    const std::string& text = texts[static_cast<std::size_t>(r)];
    MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, r, 3, MPI_COMM_WORLD,
              &requests[static_cast<std::size_t>(r)]);
  }
  for (auto& [source, incoming] : expected) say("%d: %s\n", source, incoming->take().c_str());
  MPI_Waitall(ranks, requests.data(), MPI_STATUSES_IGNORE);
  say_all();
  MPI_Finalize();
  return 0;
}
