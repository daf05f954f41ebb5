// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpich_abi/section.h"

#include <cstdio>

namespace tidings::fortran {

bool Descriptor::contiguous() const {
  auto next = static_cast<std::ptrdiff_t>(element_bytes);
  for (int i = 0; i < rank; ++i) {
    if (extent(i) == 0) return true;
    if (extent(i) != 1 && step(i) != next) return false;
    next *= extent(i);
  }
  return true;
}

namespace {

/// Call `take(element, place)` for all elements of a section, in the order of Fortran.
template <class Take>
void for_each(const Descriptor& section, const Take& take) {
  std::ptrdiff_t index[Descriptor::kMaxRank] = {};
  auto* element = static_cast<char*>(section.base);
  for (std::size_t place = 0;; place += section.element_bytes) {
    take(element, place);
    int i = 0;
    for (; i < section.rank; ++i) {
      element += section.step(i);
      if (++index[i] < section.extent(i)) break;
      element -= section.step(i) * index[i];
      index[i] = 0;
    }
    if (i == section.rank) return;
  }
}

}  // namespace

// ---------------------------------------------------------------- sections that are copied

Section::Section(const Descriptor* given) : given_(given) {
  if (given->contiguous()) return;
  std::size_t bytes = given->element_bytes;
  for (int i = 0; i < given->rank; ++i) bytes *= static_cast<std::size_t>(given->extent(i));
  copy_.resize(bytes);
  for_each(*given, [&](const char* element, std::size_t place) {
    std::memcpy(copy_.data() + place, element, given->element_bytes);
  });
}

void Section::back() {
  if (copy_.empty()) return;
  for_each(*given_, [&](char* element, std::size_t place) {
    std::memcpy(element, copy_.data() + place, given_->element_bytes);
  });
}

// ---------------------------------------------------------------- sections that a datatype describes

LastingSection::LastingSection(const Descriptor* given, long long count, MPI_Datatype datatype)
    : given_(given), count_(count), datatype_(datatype) {
  known_ = given->contiguous() || count == 0 || describe();
}

LastingSection::~LastingSection() {
  if (made_) PMPI_Type_free(&datatype_);
}

void LastingSection::replace(MPI_Datatype made, long long count) {
  if (made_) PMPI_Type_free(&datatype_);
  datatype_ = made;
  count_ = count;
  made_ = true;
}

/// Put the datatype of an element together, then that of whole columns, planes and so on, as many as the count needs.
bool LastingSection::describe() {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(datatype_, &lower, &extent);
  const auto bytes = static_cast<MPI_Aint>(given_->element_bytes);
  if (extent <= 0 || bytes % extent != 0) return false;
  const auto per_element = static_cast<int>(bytes / extent);
  if (count_ % per_element != 0) return false;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (per_element != 1) {
    if (PMPI_Type_contiguous(per_element, datatype_, &made) != MPI_SUCCESS) return false;
    replace(made, count_ / per_element);
  }
  for (int i = 0; i < given_->rank; ++i) {
    const long long elements = std::min<long long>(given_->extent(i), count_);
    if (elements <= 0 || count_ % elements != 0) return false;
    if (PMPI_Type_create_hvector_c(elements, 1, given_->step(i), datatype_, &made) != MPI_SUCCESS) return false;
    replace(made, count_ / elements);
  }
  return count_ == 1 && PMPI_Type_commit(&datatype_) == MPI_SUCCESS;
}

int refuse_section(const char* function) {
  std::fprintf(stderr,
               "tidings: %s: a section of an array that is not contiguous has no datatype here: copy it before the "
               "call\n",
               function);
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_BUFFER);
  return MPI_ERR_BUFFER;
}

}  // namespace tidings::fortran
