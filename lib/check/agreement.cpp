// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "check/agreement.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "check/variable.h"
#include "mpi/checking.h"

namespace tidings::check {
namespace {

/// What the member said that called first.
struct First {
  int rank;                         ///< in MPI_COMM_WORLD
  std::vector<std::int64_t> named;  ///< the root, if there is one, and the bytes
  std::string fields;               ///< of the call, as fields_of() has them
};

/// Collectives of the communicators that have a context and members in common. All members take part in each, so they
/// count alike.
struct Sequence {
  std::uint64_t next = 0;
  std::map<std::uint64_t, First> first;  ///< from `next` on
  off_t taken = 0;                       ///< bytes of the file
  std::string rest;                      ///< of a line that is not whole yet
};

/// Take in what others have written. Lines are the number, the rank, how many values are named, these, and the fields,
/// with tabs between them.
void take_in(Sequence& sequence, int file) {
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = pread(file, bytes.data(), bytes.size(), sequence.taken)) > 0; sequence.taken += got)
    sequence.rest.append(bytes.data(), static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = sequence.rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::istringstream line(sequence.rest.substr(begin, end - begin));
    std::uint64_t number = 0;
    First first{};
    std::size_t values = 0;
    line >> number >> first.rank >> values;
    first.named.resize(values);
    for (std::int64_t& value : first.named) line >> value;
    line.get();
    std::getline(line, first.fields);
    if (number >= sequence.next) sequence.first.try_emplace(number, std::move(first));
  }
  sequence.rest.erase(0, begin);
}

/// The fields belong to a call of the same function.
bool same_function(const std::string& fields, const std::string& function) {
  return fields.find("\t" + function + "\t") != std::string::npos;
}

/// What a member names that the first one does not: nothing, or a text in which "{}" stands for the call of the first.
std::optional<std::string> difference(const First& first, const std::string& function, bool has_root,
                                      const std::vector<std::int64_t>& named) {
  if (!same_function(first.fields, function)) {
    return "its place in the order of collectives is that of {}. Make the same calls in the same order at all ranks.";
  }
  const auto [own, other] = std::ranges::mismatch(named, first.named, [](std::int64_t one, std::int64_t another) {
    return one == another || one == kUnknownBytes || another == kUnknownBytes;
  });
  if (own == named.end() || other == first.named.end()) return std::nullopt;
  const bool is_root = has_root && own == named.begin();
  return std::string("its ") + (is_root ? "root" : "number of bytes") + " is " + std::to_string(*own) +
         ", but that of {} is " + std::to_string(*other) + ". Name " +
         (is_root ? "one root" : "the same number of elements") + " at all ranks.";
}

}  // namespace

void compare_with_others(const Place& place, std::optional<int> root, const std::vector<std::int64_t>& bytes) {
  const char* const name = std::getenv(kFileVariable);
  if (name == nullptr) return;
  const MPI_Comm communicator = place.site.communicator();
  const tidings_mpi_communicator described = tidings_mpi_describe(communicator);
  std::uint64_t members = 0;
  for (int rank = 0; rank < described.peers; ++rank) {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
    members = (members + static_cast<std::uint64_t>(tidings_mpi_world_rank(communicator, rank)) + 1) * kFactor;
  }
  static auto* const sequences = new std::map<std::pair<std::uint32_t, std::uint64_t>, Sequence>;
  Sequence& sequence = (*sequences)[{described.context, members}];
  const int file =
      opened(std::string(name) + ".agreement." + std::to_string(described.context) + "." + std::to_string(members),
             O_RDWR | O_CREAT | O_APPEND);
  take_in(sequence, file);
  const std::uint64_t number = sequence.next++;
  const std::string fields = fields_of(place);
  const int rank = tidings_mpi_world_rank(communicator, described.rank);
  std::vector<std::int64_t> named = bytes;
  if (root) named.insert(named.begin(), *root);
  if (const auto found = sequence.first.find(number); found == sequence.first.end()) {
    std::string line = std::to_string(number) + "\t" + std::to_string(rank) + "\t" + std::to_string(named.size());
    for (const std::int64_t value : named) line += "\t" + std::to_string(value);
    write_down(file, line + "\t" + fields + "\n");
  } else {
    const First& first = found->second;
    if (const auto differs = difference(first, place.site.function(), root.has_value(), named)) {
      report(rank, fields, *differs, first.rank, first.fields);
    }
    sequence.first.erase(found);
  }
  close(file);
}

}  // namespace tidings::check
