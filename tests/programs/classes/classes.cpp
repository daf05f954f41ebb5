// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// What the classes of C++ that MPI-3.0 has removed do: messages, operations, attributes, error handlers, topologies.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

int copies = 0;
int removals = 0;
int errors = 0;

void add_with_weight(const void* in, void* inout, int count, const MPI::Datatype& type) {
  const auto* from = static_cast<const int*>(in);
  auto* to = static_cast<int*>(inout);
  if (type == MPI::INT) {
    for (int i = 0; i < count; ++i) to[i] += from[i] * (i + 1);
  }
}

int copy(const MPI::Comm& comm, int, void* extra, void* in, void* out, bool& flag) {
  copies += comm.Get_size() > 0 ? *static_cast<int*>(extra) : 0;
  *static_cast<void**>(out) = in;
  flag = true;
  return MPI::SUCCESS;
}

int remove(MPI::Comm& comm, int, void* value, void* extra) {
  removals += comm.Get_rank() + *static_cast<int*>(value) + *static_cast<int*>(extra);
  return MPI::SUCCESS;
}

int copy_type(const MPI::Datatype& type, int, void*, void*, void*, bool& flag) {
  copies += 100 * type.Get_size();
  flag = false;
  return MPI::SUCCESS;
}

int remove_type(MPI::Datatype& type, int, void*, void*) {
  removals += 1000 * type.Get_size();
  return MPI::SUCCESS;
}

void handle(MPI::Comm& comm, int* code, ...) { errors += comm.Get_size() + MPI::Get_error_class(*code) * 10; }

void handle_of_window(MPI::Win& window, int* code, ...) {
  void* base = nullptr;
  errors += MPI::Get_error_class(*code) * 10 + (window.Get_attr(MPI::WIN_BASE, &base) ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const int rank = MPI::COMM_WORLD.Get_rank();
  const int size = MPI::COMM_WORLD.Get_size();
  std::string said;
  const auto say = [&](const char* what, long long value) {
    said += std::string(what) + " " + std::to_string(value) + "\n";
  };

  // Messages
  int token = rank;
  MPI::Status status;
  MPI::COMM_WORLD.Sendrecv_replace(&token, 1, MPI::INT, (rank + 1) % size, 3, MPI::ANY_SOURCE, MPI::ANY_TAG, status);
  say("token", token);
  say("source", status.Get_source());
  say("count", status.Get_count(MPI::INT));
  double parts[4] = {1.5, 2.5, 3.5, 4.5};
  MPI::Request requests[2] = {MPI::COMM_WORLD.Irecv(parts + 2, 2, MPI::DOUBLE, (rank + size - 1) % size, 4),
                              MPI::COMM_WORLD.Isend(parts, 2, MPI::DOUBLE, (rank + 1) % size, 4)};
  MPI::Request::Waitall(2, requests);
  say("halves", static_cast<long long>(parts[2] * 10 + parts[3]));
  bool truth = rank == 0;
  bool any = false;
  MPI::COMM_WORLD.Allreduce(&truth, &any, 1, MPI::BOOL, MPI::LOR);
  say("any", any ? 1 : 0);

  // An operation of the program
  MPI::Op op;
  op.Init(add_with_weight, false);
  int given[3] = {rank, rank + 1, 2};
  int got[3] = {};
  MPI::COMM_WORLD.Allreduce(given, got, 3, MPI::INT, op);
  say("sums", got[0] * 10000 + got[1] * 100 + got[2]);
  op.Free();

  // Attributes
  int extra = 7;
  int value = 5;
  int keyval = MPI::Comm::Create_keyval(copy, remove, &extra);
  MPI::Intracomm twin = MPI::COMM_WORLD.Dup();
  twin.Set_attr(keyval, &value);
  MPI::Intracomm third = twin.Dup();
  void* found = nullptr;
  say("found", third.Get_attr(keyval, &found) ? *static_cast<int*>(found) : -1);
  third.Free();
  twin.Free();
  MPI::Comm::Free_keyval(keyval);
  int keyval_of_types = MPI::Datatype::Create_keyval(copy_type, remove_type, nullptr);
  MPI::Datatype pair = MPI::INT.Create_contiguous(2);
  pair.Set_attr(keyval_of_types, &value);
  MPI::Datatype twin_type = pair.Dup();
  twin_type.Free();
  pair.Free();
  MPI::Datatype::Free_keyval(keyval_of_types);
  say("copies", copies);
  say("removals", removals);

  // Error handlers
  MPI::Intracomm strict = MPI::COMM_WORLD.Dup();
  MPI::Errhandler handler = MPI::Comm::Create_errhandler(handle);
  strict.Set_errhandler(handler);
  handler.Free();
  strict.Send(&token, 1, MPI::INT, size + 5, 0);
  say("errors", errors);
  strict.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  for (int i = 0; i < 3; ++i) {
    try {
      strict.Send(&token, 1, MPI::INT, size + 5, 0);
      said += "nothing thrown\n";
    } catch (MPI::Exception& exception) {
      say("thrown", exception.Get_error_class());
    }
  }
  strict.Free();
  MPI::Win window = MPI::Win::Create(parts, sizeof parts, sizeof(double), MPI::INFO_NULL, MPI::COMM_WORLD);
  MPI::Errhandler handler_of_window = MPI::Win::Create_errhandler(handle_of_window);
  window.Set_errhandler(handler_of_window);
  handler_of_window.Free();
  window.Fence(0);
  window.Put(parts, 1, MPI::DOUBLE, size + 5, 0, 1, MPI::DOUBLE);
  window.Fence(0);
  say("errors", errors);
  window.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  try {
    window.Put(parts, 1, MPI::DOUBLE, size + 5, 0, 1, MPI::DOUBLE);
  } catch (MPI::Exception& exception) {
    say("thrown", exception.Get_error_class());
  }
  window.Free();
  MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  try {
    MPI::File::Open(MPI::COMM_SELF, "/nowhere/at/all", MPI::MODE_RDONLY, MPI::INFO_NULL);
  } catch (MPI::Exception& exception) {
    say("thrown", exception.Get_error_class());
  }

  // Topologies
  const int dimensions[1] = {size};
  const bool periods[1] = {true};
  MPI::Cartcomm ring = MPI::COMM_WORLD.Create_cart(1, dimensions, periods, false);
  int before = -1;
  int after = -1;
  ring.Shift(0, 1, before, after);
  say("before", before);
  say("after", after);
  ring.Free();
  char name[MPI::MAX_OBJECT_NAME];
  int length = 0;
  MPI::COMM_WORLD.Get_name(name, length);
  said += std::string(name, static_cast<std::size_t>(length)) + "\n";

  for (int i = 0; i < size; ++i) {
    if (i == rank) {
      std::printf("rank %d\n%s", rank, said.c_str());
      std::fflush(stdout);
    }
    MPI::COMM_WORLD.Barrier();
  }
  MPI::Finalize();
}
