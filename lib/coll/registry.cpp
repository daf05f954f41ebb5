// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/registry.h"

#include <stdexcept>
#include <string>

namespace tidings {
namespace {

void add_name(std::string& list, std::string_view name) {
  if (!list.empty()) list += ", ";
  list += name;
}

}  // namespace

Collective family_of(Collective kind) {
  switch (kind) {
    case Collective::Finalize:
    case Collective::Init:
    case Collective::WinFence:
      return Collective::Barrier;
    case Collective::Gatherv:
      return Collective::Gather;
    case Collective::Scatterv:
      return Collective::Scatter;
    case Collective::Allgatherv:
    case Collective::CommDup:
    case Collective::CommSplit:
    case Collective::CommCreate:
    case Collective::CommSetInfo:
    case Collective::WinCreate:
    case Collective::IntercommCreate:
    case Collective::IntercommMerge:
    case Collective::FileOpen:
    case Collective::FileClose:
    case Collective::FileSetView:
    case Collective::FileSetSize:
    case Collective::FilePreallocate:
    case Collective::FileSetInfo:
    case Collective::FileSetAtomicity:
    case Collective::FileSync:
    case Collective::FileSeekShared:
    case Collective::FileReadOrdered:
    case Collective::FileWriteOrdered:
      return Collective::Allgather;
    case Collective::ReduceScatterBlock:
      return Collective::ReduceScatter;
    case Collective::Alltoallv:
    case Collective::Alltoallw:
      return Collective::Alltoall;
    default:
      return kind;
  }
}

const char* family_name(Collective family) {
  for (const Family& known : kFamilies) {
    if (known.collective == family) return known.name;
  }
  return "";
}

void refuse_family(std::string_view name) {
  std::string known;
  for (const Family& family : kFamilies) add_name(known, family.name);
  throw std::invalid_argument("no collective '" + std::string(name) + "'; there are " + known);
}

void refuse_algorithm(Collective family, std::string_view name) {
  std::string known;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == family) add_name(known, algorithm.name);
  }
  throw std::invalid_argument("no algorithm '" + std::string(name) + "' for " + family_name(family) + "; there are " +
                              known);
}

}  // namespace tidings
