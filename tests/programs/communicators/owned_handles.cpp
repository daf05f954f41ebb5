// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Handles of C++ that free their communicators, types and groups when they go out of scope, also by an exception.
#include <memory>
#include <stdexcept>
#include <utility>

#include "program.h"

namespace {

class Communicator {
 public:
  explicit Communicator(MPI_Comm from) { MPI_Comm_dup(from, &comm_); }
  Communicator(MPI_Comm from, int colour, int key) { MPI_Comm_split(from, colour, key, &comm_); }
  Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

int sum_of(const Communicator& comm, int value) {
  int sum;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  {
    const Communicator world(MPI_COMM_WORLD);
    for (int turn = 0; turn < 5; ++turn) {
      try {
        Communicator part(world, rank % (turn + 1), rank);
        const Communicator moved = std::move(part);
        say(" %d", sum_of(moved, rank));
        if (turn % 2) throw std::runtime_error("leaves the scope");
      } catch (const std::runtime_error& error) {
        say(" (%s)", error.what());
      }
    }
    say(" %d\n", sum_of(world, ranks));
  }
  say_all();
  MPI_Finalize();
  return 0;
}
