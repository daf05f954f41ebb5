// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file derived_types.cpp
/// Derived datatypes: how they are made, and how they were made.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/call.h"
#include "mpi/types.h"

using namespace tidings;

namespace {

/// What the two variants of a function take: plain counts, and large ones.
struct Plain {
  using Count = int;
  using Address = MPI_Aint;
};
struct Large {
  using Count = MPI_Count;
  using Address = MPI_Count;
};

/// Notes the arguments of a constructor as the envelope and the contents tell them.
template <class Variant>
class Notes {
 public:
  explicit Notes(int combiner) : recipe_{combiner, {}, {}, {}, {}} {}
  Notes& integer(int value) {
    recipe_.integers.push_back(value);
    return *this;
  }
  Notes& count(typename Variant::Count value) {
    if constexpr (std::is_same_v<Variant, Large>) {
      recipe_.counts.push_back(value);
    } else {
      recipe_.integers.push_back(value);
    }
    return *this;
  }
  Notes& address(typename Variant::Address value) {
    if constexpr (std::is_same_v<Variant, Large>) {
      recipe_.counts.push_back(value);
    } else {
      recipe_.addresses.push_back(value);
    }
    return *this;
  }
  template <class List>
  Notes& integers(const List* list, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) integer(list[i]);
    return *this;
  }
  Notes& counts(const typename Variant::Count* list, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) count(list[i]);
    return *this;
  }
  Notes& addresses(const typename Variant::Address* list, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) address(list[i]);
    return *this;
  }
  Notes& type(DatatypePointer type) {
    recipe_.types.push_back(std::move(type));
    return *this;
  }
  /// Give the type that was made in this way a handle.
  MPI_Datatype add(Library& lib, Datatype made) {
    made.set_recipe(std::move(recipe_));
    return add_type(lib, std::move(made));
  }

 private:
  Recipe recipe_;
};

/// An argument as the library counts, on processors of 32 bits too.
template <class To>
To checked(MPI_Count value, const char* what, int error_class) {
  if (!std::in_range<To>(value)) {
    throw Error(error_class, std::string("the ") + what + " is " + std::to_string(value),
                "Give a value that is in range: counts are not negative.");
  }
  return static_cast<To>(value);
}
std::size_t size_of(MPI_Count value, const char* what) { return checked<std::size_t>(value, what, MPI_ERR_COUNT); }
std::ptrdiff_t bytes_of(MPI_Count value) { return checked<std::ptrdiff_t>(value, "displacement", MPI_ERR_ARG); }

template <class Variant>
int contiguous(typename Variant::Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_contiguous", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    *newtype = Notes<Variant>(MPI_COMBINER_CONTIGUOUS)
                   .count(count)
                   .type(old)
                   .add(lib, Datatype::contiguous(size_of(count, "count"), old));
  });
}

template <class Variant>
int vector(typename Variant::Count count, typename Variant::Count blocklength, typename Variant::Count stride,
           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_vector", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    *newtype = Notes<Variant>(MPI_COMBINER_VECTOR)
                   .count(count)
                   .count(blocklength)
                   .count(stride)
                   .type(old)
                   .add(lib, Datatype::vector(size_of(count, "count"), size_of(blocklength, "block length"),
                                              bytes_of(stride) * old->extent(), old));
  });
}

template <class Variant>
int hvector(typename Variant::Count count, typename Variant::Count blocklength, typename Variant::Address stride,
            MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_create_hvector", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    *newtype = Notes<Variant>(MPI_COMBINER_HVECTOR)
                   .count(count)
                   .count(blocklength)
                   .address(stride)
                   .type(old)
                   .add(lib, Datatype::vector(size_of(count, "count"), size_of(blocklength, "block length"),
                                              bytes_of(stride), old));
  });
}

/// Blocks of length(i) elements; displacements are in bytes.
template <class Length, class Displacement>
std::vector<Block> blocks(std::size_t count, Length length, const Displacement* displacements, std::ptrdiff_t unit) {
  std::vector<Block> list;
  list.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back({bytes_of(displacements[i]) * unit, size_of(length(i), "block length")});
  }
  return list;
}

template <class Variant>
int indexed(typename Variant::Count count, const typename Variant::Count lengths[],
            const typename Variant::Count displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_indexed", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    const std::size_t n = size_of(count, "count");
    const auto list = blocks(n, [&](std::size_t i) { return lengths[i]; }, displacements, old->extent());
    *newtype = Notes<Variant>(MPI_COMBINER_INDEXED)
                   .count(count)
                   .counts(lengths, n)
                   .counts(displacements, n)
                   .type(old)
                   .add(lib, Datatype::indexed(list, old));
  });
}

template <class Variant>
int hindexed(typename Variant::Count count, const typename Variant::Count lengths[],
             const typename Variant::Address displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_create_hindexed", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    const std::size_t n = size_of(count, "count");
    const auto list = blocks(n, [&](std::size_t i) { return lengths[i]; }, displacements, 1);
    *newtype = Notes<Variant>(MPI_COMBINER_HINDEXED)
                   .count(count)
                   .counts(lengths, n)
                   .addresses(displacements, n)
                   .type(old)
                   .add(lib, Datatype::indexed(list, old));
  });
}

template <class Variant>
int indexed_block(typename Variant::Count count, typename Variant::Count length,
                  const typename Variant::Count displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_create_indexed_block", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    const std::size_t n = size_of(count, "count");
    const auto list = blocks(n, [&](std::size_t) { return length; }, displacements, old->extent());
    *newtype = Notes<Variant>(MPI_COMBINER_INDEXED_BLOCK)
                   .count(count)
                   .count(length)
                   .counts(displacements, n)
                   .type(old)
                   .add(lib, Datatype::indexed(list, old));
  });
}

template <class Variant>
int hindexed_block(typename Variant::Count count, typename Variant::Count length,
                   const typename Variant::Address displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_create_hindexed_block", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    const std::size_t n = size_of(count, "count");
    const auto list = blocks(n, [&](std::size_t) { return length; }, displacements, 1);
    *newtype = Notes<Variant>(MPI_COMBINER_HINDEXED_BLOCK)
                   .count(count)
                   .count(length)
                   .addresses(displacements, n)
                   .type(old)
                   .add(lib, Datatype::indexed(list, old));
  });
}

template <class Variant>
int structure(typename Variant::Count count, const typename Variant::Count lengths[],
              const typename Variant::Address displacements[], const MPI_Datatype types[], MPI_Datatype* newtype) {
  return serve("MPI_Type_create_struct", [&](Library& lib, Call&) {
    const std::size_t n = size_of(count, "count");
    Notes<Variant> notes(MPI_COMBINER_STRUCT);
    notes.count(count).counts(lengths, n).addresses(displacements, n);
    std::vector<Field> fields;
    for (std::size_t i = 0; i < n; ++i) {
      fields.push_back({bytes_of(displacements[i]), size_of(lengths[i], "block length"), lib.type(types[i])});
      notes.type(fields.back().type);
    }
    *newtype = notes.add(lib, Datatype::structure(fields));
  });
}

template <class Variant>
int resized(MPI_Datatype oldtype, typename Variant::Address lower, typename Variant::Address extent,
            MPI_Datatype* newtype) {
  return serve("MPI_Type_create_resized", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    *newtype = Notes<Variant>(MPI_COMBINER_RESIZED)
                   .address(lower)
                   .address(extent)
                   .type(old)
                   .add(lib, Datatype::resized(old, bytes_of(lower), bytes_of(extent)));
  });
}

// ---------------------------------------------------------------- parts of arrays

void check_order(int order) {
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
    throw Error(MPI_ERR_ARG, "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN", "Give one of them.");
  }
}

/// Builds a part of an array, from the dimension whose elements are neighbours to the slowest one.
class ArrayPart {
 public:
  explicit ArrayPart(const DatatypePointer& element) : part_(element), stride_(element->extent()) {}

  /// The next dimension, of `size` elements, has these of them in the part.
  void take(std::size_t size, const std::vector<Block>& ranges) {
    std::vector<Block> list;
    for (const Block& range : ranges) {
      if (stride_ == part_->extent()) {
        list.push_back({range.displacement * stride_, range.length});
        continue;
      }
      for (std::size_t i = 0; i < range.length; ++i) {
        list.push_back({(range.displacement + static_cast<std::ptrdiff_t>(i)) * stride_, 1});
      }
    }
    part_ = std::make_shared<const Datatype>(Datatype::indexed(list, part_));
    stride_ *= static_cast<std::ptrdiff_t>(size);
  }
  /// The part, as an element of the extent of the whole array.
  [[nodiscard]] Datatype finish() const { return Datatype::resized(part_, 0, stride_); }

 private:
  DatatypePointer part_;
  std::ptrdiff_t stride_;  ///< bytes from one element of the next dimension to the next
};

/// Dimensions in the order in which they vary, the fastest first.
std::vector<std::size_t> fastest_first(std::size_t dimensions, int order) {
  std::vector<std::size_t> list(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) list[i] = order == MPI_ORDER_C ? dimensions - 1 - i : i;
  return list;
}

template <class Variant>
int subarray(int ndims, const typename Variant::Count sizes[], const typename Variant::Count subsizes[],
             const typename Variant::Count starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_create_subarray", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    if (ndims < 1)
      throw Error(MPI_ERR_DIMS, "the number of dimensions is " + std::to_string(ndims),
                  "Give a number of dimensions that is not negative.");
    check_order(order);
    const auto n = static_cast<std::size_t>(ndims);
    ArrayPart part(old);
    for (const std::size_t i : fastest_first(n, order)) {
      if (sizes[i] < 1 || subsizes[i] < 0 || subsizes[i] > sizes[i] || starts[i] < 0 ||
          starts[i] > sizes[i] - subsizes[i]) {
        throw Error(MPI_ERR_ARG,
                    "dimension " + std::to_string(i) + " has " + std::to_string(sizes[i]) +
                        " elements, and the part has " + std::to_string(subsizes[i]) + " from " +
                        std::to_string(starts[i]),
                    "Give a part that lies within the array.");
      }
      part.take(size_of(sizes[i], "size"), {{bytes_of(starts[i]), size_of(subsizes[i], "size of the part")}});
    }
    *newtype = Notes<Variant>(MPI_COMBINER_SUBARRAY)
                   .integer(ndims)
                   .counts(sizes, n)
                   .counts(subsizes, n)
                   .counts(starts, n)
                   .integer(order)
                   .type(old)
                   .add(lib, part.finish());
  });
}

/// What a process has of a dimension of a distributed array (MPI 5.0, section 5.1.4).
std::vector<Block> share(MPI_Count size, int distribution, int argument, MPI_Count processes, MPI_Count process) {
  const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  if (!by_default && distribution != MPI_DISTRIBUTE_NONE && argument < 1) {
    throw Error(MPI_ERR_ARG, "the argument of a distribution is " + std::to_string(argument),
                "Give a positive block size, or MPI_DISTRIBUTE_DFLT_DARG.");
  }
  MPI_Count block = size;
  switch (distribution) {
    case MPI_DISTRIBUTE_NONE:
      if (processes != 1)
        throw Error(MPI_ERR_ARG, "a dimension that is not distributed has several processes",
                    "Give it one process, or MPI_DISTRIBUTE_BLOCK or MPI_DISTRIBUTE_CYCLIC.");
      break;
    case MPI_DISTRIBUTE_BLOCK:
      block = by_default ? (size + processes - 1) / processes : argument;
      if (block * processes < size)
        throw Error(MPI_ERR_ARG, "the blocks of a distribution do not hold the array",
                    "Give larger blocks, or MPI_DISTRIBUTE_DFLT_DARG.");
      break;
    case MPI_DISTRIBUTE_CYCLIC:
      block = by_default ? 1 : argument;
      break;
    default:
      throw Error(MPI_ERR_ARG, std::to_string(distribution) + " is no kind of distribution",
                  "Give MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE.");
  }
  std::vector<Block> ranges;
  for (MPI_Count start = process * block; start < size; start += processes * block) {
    ranges.push_back({bytes_of(start), size_of(std::min(block, size - start), "block")});
  }
  return ranges;
}

template <class Variant>
int darray(int size, int rank, int ndims, const typename Variant::Count gsizes[], const int distribs[],
           const int dargs[], const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_create_darray", [&](Library& lib, Call&) {
    const DatatypePointer old = lib.type(oldtype);
    if (ndims < 1)
      throw Error(MPI_ERR_DIMS, "the number of dimensions is " + std::to_string(ndims),
                  "Give a number of dimensions that is not negative.");
    check_order(order);
    const auto n = static_cast<std::size_t>(ndims);
    MPI_Count processes = 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (gsizes[i] < 1 || psizes[i] < 1)
        throw Error(MPI_ERR_ARG, "a size of dimension " + std::to_string(i) + " is not positive",
                    "Give positive sizes of the array and of the grid.");
      processes *= psizes[i];
    }
    if (processes != size || rank < 0 || rank >= size) {
      throw Error(MPI_ERR_ARG,
                  "rank " + std::to_string(rank) + " of " + std::to_string(size) + " in a grid of " +
                      std::to_string(processes) + " processes",
                  "Give a rank below the size, which is the product of the grid's sizes.");
    }
    // Ranks are laid out in the order of C, whatever the order of the array.
    std::vector<MPI_Count> place(n);
    MPI_Count rest = rank;
    for (std::size_t i = n; i-- > 0;) {
      place[i] = rest % psizes[i];
      rest /= psizes[i];
    }
    ArrayPart part(old);
    for (const std::size_t i : fastest_first(n, order)) {
      part.take(size_of(gsizes[i], "size"), share(gsizes[i], distribs[i], dargs[i], psizes[i], place[i]));
    }
    *newtype = Notes<Variant>(MPI_COMBINER_DARRAY)
                   .integer(size)
                   .integer(rank)
                   .integer(ndims)
                   .counts(gsizes, n)
                   .integers(distribs, n)
                   .integers(dargs, n)
                   .integers(psizes, n)
                   .integer(order)
                   .type(old)
                   .add(lib, part.finish());
  });
}

// ---------------------------------------------------------------- how a type was made

template <class Count>
void tell_envelope(const Datatype& type, Count* integers, Count* addresses, Count* counts, Count* types,
                   int* combiner) {
  const Recipe named{MPI_COMBINER_NAMED, {}, {}, {}, {}};
  const Recipe& recipe = type.recipe() == nullptr ? named : *type.recipe();
  *integers = static_cast<Count>(recipe.integers.size());
  *addresses = static_cast<Count>(recipe.addresses.size());
  *types = static_cast<Count>(recipe.types.size());
  *combiner = recipe.combiner;
  if (counts != nullptr) {
    *counts = static_cast<Count>(recipe.counts.size());
  } else if (!recipe.counts.empty()) {
    throw Error(MPI_ERR_TYPE, "the datatype was made with large counts",
                "Ask with the function whose name ends in _c.");
  }
}

template <class List, class Place>
void copy_contents(const List& list, MPI_Count room, Place* place, const char* what) {
  if (room < static_cast<MPI_Count>(list.size())) {
    throw Error(MPI_ERR_ARG,
                "there is room for " + std::to_string(room) + " of " + std::to_string(list.size()) + " " + what,
                "Ask MPI_Type_get_envelope how many there are.");
  }
  std::copy(list.begin(), list.end(), place);
}

void tell_contents(Library& lib, const Datatype& type, MPI_Count room, MPI_Datatype types[]) {
  const auto& list = type.recipe()->types;
  if (room < static_cast<MPI_Count>(list.size())) {
    throw Error(MPI_ERR_ARG,
                "there is room for " + std::to_string(room) + " of " + std::to_string(list.size()) + " datatypes",
                "Ask MPI_Type_get_envelope how many there are.");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    // A predefined type is told by its own handle, another by one that the program frees.
    types[i] = list[i]->predefined() ? as_handle<MPI_Datatype>(list[i]->handle())
                                     : add_type(lib, Datatype::duplicate(*list[i]));
  }
}

void check_has_contents(const Datatype& type) {
  if (type.recipe() == nullptr)
    throw Error(MPI_ERR_TYPE, "a predefined datatype has no contents",
                "Ask MPI_Type_get_envelope for the combiner before.");
}

}  // namespace

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous<Plain>(count, oldtype, newtype);
}

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous<Large>(count, oldtype, newtype);
}

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector<Plain>(count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return vector<Large>(count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hvector<Plain>(count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                               MPI_Datatype* newtype) {
  return hvector<Large>(count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[],
                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed<Plain>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                        const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed<Large>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                              MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed<Plain>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed<Large>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  return indexed_block<Plain>(count, blocklength, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
                                     MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed_block<Large>(count, blocklength, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed_block<Plain>(count, blocklength, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
                                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed_block<Large>(count, blocklength, array_of_displacements, oldtype, newtype);
}

int PMPI_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                            const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  return structure<Plain>(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}

int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                              const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
                              MPI_Datatype* newtype) {
  return structure<Large>(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  return resized<Plain>(oldtype, lb, extent, newtype);
}

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  return resized<Large>(oldtype, lb, extent, newtype);
}

int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                              const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray<Plain>(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
}

int PMPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[],
                                const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype,
                                MPI_Datatype* newtype) {
  return subarray<Large>(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
}

int PMPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[],
                            const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
                            MPI_Datatype* newtype) {
  return darray<Plain>(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order,
                       oldtype, newtype);
}

int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
                              const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
                              int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return darray<Large>(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order,
                       oldtype, newtype);
}

int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                           int* combiner) {
  return serve("MPI_Type_get_envelope", [&](Library& lib, Call&) {
    int* const no_large_counts = nullptr;
    tell_envelope(*lib.type(datatype), num_integers, num_addresses, no_large_counts, num_datatypes, combiner);
  });
}

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                             MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  return serve("MPI_Type_get_envelope", [&](Library& lib, Call&) {
    tell_envelope(*lib.type(datatype), num_integers, num_addresses, num_large_counts, num_datatypes, combiner);
  });
}

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                           int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  return serve("MPI_Type_get_contents", [&](Library& lib, Call&) {
    const auto type = lib.type(datatype);
    check_has_contents(*type);
    if (!type->recipe()->counts.empty())
      throw Error(MPI_ERR_TYPE, "the datatype was made with large counts",
                  "Ask with the function whose name ends in _c.");
    copy_contents(type->recipe()->integers, max_integers, array_of_integers, "integers");
    copy_contents(type->recipe()->addresses, max_addresses, array_of_addresses, "addresses");
    tell_contents(lib, *type, max_datatypes, array_of_datatypes);
  });
}

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                             MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                             MPI_Datatype array_of_datatypes[]) {
  return serve("MPI_Type_get_contents", [&](Library& lib, Call&) {
    const auto type = lib.type(datatype);
    check_has_contents(*type);
    copy_contents(type->recipe()->integers, max_integers, array_of_integers, "integers");
    copy_contents(type->recipe()->addresses, max_addresses, array_of_addresses, "addresses");
    copy_contents(type->recipe()->counts, max_large_counts, array_of_large_counts, "large counts");
    tell_contents(lib, *type, max_datatypes, array_of_datatypes);
  });
}
