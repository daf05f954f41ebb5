// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/checking.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "mpi/call.h"
#include "mpi/communicators.h"
#include "mpi/neighbourhood.h"

using namespace tidings;

void tidings_mpi_enter() {
  if (several_threads) Threads::enter();
}

void tidings_mpi_leave() {
  if (several_threads) Threads::leave();
}

void tidings_mpi_visit_buffer(const void* base, MPI_Count count, MPI_Datatype type,
                              void (*visit)(void* subject, const void* piece, std::size_t bytes), void* subject) {
  const Datatype& found = *library().type(type);
  found.visit(static_cast<const std::byte*>(base), 0, static_cast<std::size_t>(count) * found.size(),
              [&](const std::byte* piece, std::size_t bytes) { visit(subject, piece, bytes); });
}

void tidings_mpi_visit_signature(MPI_Datatype type,
                                 void (*visit)(void* subject, MPI_Datatype predefined, const char* name, Basic basic,
                                               std::uint64_t number),
                                 void* subject) {
  library().type(type)->visit_signature(1, [&](const Datatype& found, std::size_t number) {
    const Datatype* basic = &found;
    // A duplicate has a handle of its own.
    while (basic->recipe() != nullptr && basic->recipe()->types.size() == 1)
      basic = basic->recipe()->types.front().get();
    visit(subject, reinterpret_cast<MPI_Datatype>(basic->handle()), basic->name().c_str(), basic->basic(), number);
    return true;
  });
}

tidings_mpi_communicator tidings_mpi_describe(MPI_Comm comm) {
  const Communicator& found = *library().communicator(comm);
  return {found.point_to_point(), found.id() == Communicator::kWorldId, found.inter != nullptr, found.rank(),
          found.peers()->size()};
}

bool tidings_mpi_is_communicator(MPI_Comm comm) {
  const Library* const lib = Library::running();
  return lib != nullptr && lib->communicators.find(number(comm)) != nullptr;
}

MPI_Count tidings_mpi_size(MPI_Datatype type) {
  const std::shared_ptr<Datatype>& found = library().types.find(number(type));
  return found == nullptr ? -1 : static_cast<MPI_Count>(found->size());
}

void tidings_mpi_name(MPI_Comm comm, char* name, std::size_t bytes) {
  const std::string text = library().communicator(comm)->name();
  const std::size_t kept = std::min(text.size(), bytes - 1);
  std::memcpy(name, text.data(), kept);
  name[kept] = '\0';
}

int tidings_mpi_world_rank(MPI_Comm comm, int rank) {
  return static_cast<int>(library().communicator(comm)->peers()->world_rank(rank));
}

void tidings_mpi_visit_neighbours(MPI_Comm comm, void (*visit)(void* subject, bool is_source, int rank, int channel),
                                  void* subject) {
  const Neighbours near = neighbours_of(*library().communicator(comm));
  for (const auto& [rank, channel] : near.sources) visit(subject, true, rank, channel);
  for (const auto& [rank, channel] : near.destinations) visit(subject, false, rank, channel);
}

void tidings_mpi_meet_at_end() { library().meet_at_end(); }

void tidings_mpi_take_unreceived(void (*visit)(void* subject, std::uint32_t context, int source, int tag,
                                               std::uint64_t bytes),
                                 void* subject) {
  Library& lib = library();
  for (std::uint32_t id = 0; id <= kMostCommunicatorIds; ++id) {
    const std::uint32_t context = 2 * id;  // as Communicator::point_to_point()
    while (const auto message = lib.messages().take({context, kAny, kAny})) {
      visit(subject, context, message->envelope.source, message->envelope.tag, message->item.bytes);
    }
  }
}
