// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file tool.cpp
/// The tool interface: control variables, performance variables, and their categories.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coll/selection.h"
#include "mpi/library.h"
#include "mpi/text.h"

using namespace tidings;

namespace {

/// What a call answers if it is not MPI_SUCCESS. Functions of this interface call no error handlers.
struct Refusal {
  int code;
};

int times_initialized = 0;

/// Carry out a call: body() throws a Refusal.
template <class Body>
int serve_tool(Body body) {
  if (times_initialized == 0) return MPI_T_ERR_NOT_INITIALIZED;
  try {
    body();
    return MPI_SUCCESS;
  } catch (const Refusal& refusal) {
    return refusal.code;
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  }
}

/// A result that the program may leave out.
template <class Value, class From>
void tell(Value* to, From value) {
  if (to != nullptr) *to = static_cast<Value>(value);
}

/// A text that the program may leave out; it learns the room that the whole needs.
void tell_text(std::string_view text, char* to, int* length) {
  if (length == nullptr) return;
  if (to != nullptr && *length > 0) copy_text(text, to, static_cast<std::size_t>(*length));
  *length = static_cast<int>(text.size()) + 1;
}

/// The entry of an index.
template <class Entry, std::size_t size>
const Entry& entry(const std::array<Entry, size>& entries, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= size) throw Refusal{MPI_T_ERR_INVALID_INDEX};
  return entries.at(static_cast<std::size_t>(index));
}

template <class Entry, std::size_t size, class Accept>
int index_of(const std::array<Entry, size>& entries, const char* name, Accept accept) {
  for (std::size_t i = 0; i < size; ++i) {
    if (name != nullptr && std::string_view(entries.at(i).name) == name && accept(entries.at(i))) {
      return static_cast<int>(i);
    }
  }
  throw Refusal{MPI_T_ERR_INVALID_NAME};
}

/// Whether there is a device to ask.
bool opened() { return library().phase() != Library::Phase::Before; }

enum class Category { Collectives, Messages, Engines, Time };
struct CategoryEntry {
  const char* name;
  const char* description;
};
constexpr std::array kCategories{
    CategoryEntry{"collectives", "How collectives are carried out"},
    CategoryEntry{"messages", "How messages between two ranks are sent"},
    CategoryEntry{"engines", "What the engines of the rank's slot have been told to do"},
    CategoryEntry{"time", "The clock of the machine"},
};

// Control variables.

constexpr std::size_t kTextBytes = 1024;

void read_collectives(void* to) {
  const int value = opened() && library().messages().platform().hardware_collectives ? 1 : 0;
  std::memcpy(to, &value, sizeof value);
}
void read_choices(void* to) {
  const char* const named = std::getenv(kChoicesVariable);
  copy_text(named == nullptr ? "" : named, static_cast<char*>(to), kTextBytes);
}
void read_eager(void* to) {
  const unsigned value = kEagerBytes;
  std::memcpy(to, &value, sizeof value);
}

struct ControlVariable {
  const char* name;
  const char* description;
  Category category;
  MPI_Datatype (*type)();
  bool has_items;  ///< of kWays
  int count;
  int scope;
  void (*read)(void* to);
};
constexpr std::array kControls{
    ControlVariable{"collectives", "Who carries out collectives, if the engine can", Category::Collectives,
                    [] { return MPI_INT; }, true, 1, MPI_T_SCOPE_READONLY, read_collectives},
    ControlVariable{"algorithms", "Algorithms that the user has named for collectives", Category::Collectives,
                    [] { return MPI_CHAR; }, false, kTextBytes, MPI_T_SCOPE_READONLY, read_choices},
    ControlVariable{"eager_bytes", "Bytes up to which a message is sent before its receive is known",
                    Category::Messages, [] { return MPI_UNSIGNED; }, false, 1, MPI_T_SCOPE_CONSTANT, read_eager},
};

struct EnumerationItem {
  const char* name;
  int value;
};
constexpr std::array kWays{EnumerationItem{"software", 0}, EnumerationItem{"hardware", 1}};
constexpr std::intptr_t kWaysHandle = 1;

void require_ways(MPI_T_enum enumeration) {
  if (number(enumeration) != kWaysHandle) throw Refusal{MPI_T_ERR_INVALID_HANDLE};
}

HandleTable<const ControlVariable>& control_handles() {
  static auto* const table = new HandleTable<const ControlVariable>;
  return *table;
}

const ControlVariable& control(MPI_T_cvar_handle handle) {
  const auto& found = control_handles().find(number(handle));
  if (found == nullptr) throw Refusal{MPI_T_ERR_INVALID_HANDLE};
  return *found;
}

// Performance variables.

using Value = unsigned long long;

struct PerformanceVariable {
  const char* name;
  const char* description;
  Category category;
  int kind;
  bool counts;          ///< from a start to a stop; others always have their value
  std::uint64_t wraps;  ///< the highest value that `now` returns before 0 follows
  std::uint64_t (*now)();
};

template <std::uint32_t tidings_driver::* counter>
std::uint64_t driver_counter() {
  return opened() ? library().messages().driver().*counter : 0;
}
template <std::uint32_t tidings_driver::* issued, std::uint32_t tidings_driver::* completed>
std::uint64_t under_way() {
  return static_cast<std::uint32_t>(driver_counter<issued>() - driver_counter<completed>());
}

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::array kPerformance{
    PerformanceVariable{"rma_commands", "Commands that the engine for messages has been given", Category::Engines,
                        MPI_T_PVAR_CLASS_COUNTER, true, kMost32, driver_counter<&tidings_driver::rma_issued>},
    PerformanceVariable{"mpe_commands", "Commands that the engine for collectives has been given", Category::Engines,
                        MPI_T_PVAR_CLASS_COUNTER, true, kMost32, driver_counter<&tidings_driver::mpe_issued>},
    PerformanceVariable{"rma_under_way", "Commands of the engine for messages that have not been seen to end",
                        Category::Engines, MPI_T_PVAR_CLASS_LEVEL, false, kMost32,
                        under_way<&tidings_driver::rma_issued, &tidings_driver::rma_completed>},
    PerformanceVariable{"mpe_under_way", "Commands of the engine for collectives that have not been seen to end",
                        Category::Engines, MPI_T_PVAR_CLASS_LEVEL, false, kMost32,
                        under_way<&tidings_driver::mpe_issued, &tidings_driver::mpe_completed>},
    PerformanceVariable{"elapsed_time", "Nanoseconds on the clock of the machine", Category::Time,
                        MPI_T_PVAR_CLASS_TIMER, true, kMost64, tidings_clock_ns},
};

struct PerformanceHandle {
  const PerformanceVariable* variable;
  bool started = false;
  std::uint64_t seen = 0;  ///< what the variable was when `total` was brought up to date
  Value total = 0;

  [[nodiscard]] Value value() {
    if (!variable->counts) return variable->now();
    if (started) {
      const std::uint64_t now = variable->now();
      total += (now - seen) & variable->wraps;
      seen = now;
    }
    return total;
  }
  void start() {
    static_cast<void>(value());
    started = true;
    seen = variable->now();
  }
  void stop() {
    static_cast<void>(value());
    started = false;
  }
  void set(Value to) {
    static_cast<void>(value());
    total = to;
  }
};

struct PerformanceSession {
  HandleTable<PerformanceHandle> handles;
  std::vector<std::intptr_t> given;
};

HandleTable<PerformanceSession>& performance_sessions() {
  static auto* const table = new HandleTable<PerformanceSession>;
  return *table;
}

PerformanceSession& performance_session(MPI_T_pvar_session session) {
  const auto& found = performance_sessions().find(number(session));
  if (found == nullptr) throw Refusal{MPI_T_ERR_INVALID_SESSION};
  return *found;
}

PerformanceHandle& performance(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const auto& found = performance_session(session).handles.find(number(handle));
  if (found == nullptr) throw Refusal{MPI_T_ERR_INVALID_HANDLE};
  return *found;
}

/// Do something with a handle, or with all of a session that count. @param refusal of a handle that does not count.
template <class Do>
int for_counting(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal, Do act) {
  return serve_tool([&] {
    if (handle == MPI_T_PVAR_ALL_HANDLES) {
      PerformanceSession& all = performance_session(session);
      for (const std::intptr_t given : all.given) {
        PerformanceHandle& one = *all.handles.find(given);
        if (one.variable->counts) act(one);
      }
      return;
    }
    PerformanceHandle& one = performance(session, handle);
    if (!one.variable->counts) throw Refusal{refusal};
    act(one);
  });
}

/// The variables of a category, by their indices.
template <class Entry, std::size_t size>
std::vector<int> members(const std::array<Entry, size>& entries, int category) {
  static_cast<void>(entry(kCategories, category));
  std::vector<int> indices;
  for (std::size_t i = 0; i < size; ++i) {
    if (static_cast<int>(entries.at(i).category) == category) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

template <class Entry, std::size_t size>
int tell_members(const std::array<Entry, size>& entries, int category, int length, int indices[]) {
  return serve_tool([&] {
    const std::vector<int> all = members(entries, category);
    std::copy_n(all.begin(), std::min(all.size(), static_cast<std::size_t>(std::max(length, 0))), indices);
  });
}

}  // namespace

int PMPI_T_init_thread(int required, int* provided) {
  ++times_initialized;
  tell(provided, std::min(required, static_cast<int>(MPI_THREAD_SERIALIZED)));
  return MPI_SUCCESS;
}

int PMPI_T_finalize(void) {
  return serve_tool([] { --times_initialized; });
}

int PMPI_T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  return serve_tool([&] {
    require_ways(enumtype);
    tell(num, kWays.size());
    tell_text("ways of carrying out collectives", name, name_len);
  });
}

int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) {
  return serve_tool([&] {
    require_ways(enumtype);
    const EnumerationItem& item = entry(kWays, indx);
    tell(value, item.value);
    tell_text(item.name, name, name_len);
  });
}

int PMPI_T_cvar_get_num(int* num_cvar) {
  return serve_tool([&] { tell(num_cvar, kControls.size()); });
}

int PMPI_T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                         MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  return serve_tool([&] {
    const ControlVariable& variable = entry(kControls, cvar_index);
    tell_text(variable.name, name, name_len);
    tell(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    tell(datatype, variable.type());
    tell(enumtype, variable.has_items ? as_handle<MPI_T_enum>(kWaysHandle) : MPI_T_ENUM_NULL);
    tell_text(variable.description, desc, desc_len);
    tell(bind, MPI_T_BIND_NO_OBJECT);
    tell(scope, variable.scope);
  });
}

int PMPI_T_cvar_get_index(const char* name, int* cvar_index) {
  return serve_tool([&] { tell(cvar_index, index_of(kControls, name, [](const auto&) { return true; })); });
}

int PMPI_T_cvar_handle_alloc(int cvar_index, void*, MPI_T_cvar_handle* handle, int* count) {
  return serve_tool([&] {
    const ControlVariable& variable = entry(kControls, cvar_index);
    *handle = as_handle<MPI_T_cvar_handle>(control_handles().add(std::make_shared<const ControlVariable>(variable)));
    tell(count, variable.count);
  });
}

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  return serve_tool([&] {
    static_cast<void>(control(*handle));
    control_handles().remove(number(*handle));
    *handle = MPI_T_CVAR_HANDLE_NULL;
  });
}

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  return serve_tool([&] { control(handle).read(buf); });
}

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void*) {
  return serve_tool([&] {
    static_cast<void>(control(handle));
    throw Refusal{MPI_T_ERR_CVAR_SET_NEVER};
  });
}

int PMPI_T_pvar_get_num(int* num_pvar) {
  return serve_tool([&] { tell(num_pvar, kPerformance.size()); });
}

int PMPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                         MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind,
                         int* readonly, int* continuous, int* atomic) {
  return serve_tool([&] {
    const PerformanceVariable& variable = entry(kPerformance, pvar_index);
    tell_text(variable.name, name, name_len);
    tell(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    tell(var_class, variable.kind);
    tell(datatype, MPI_UNSIGNED_LONG_LONG);
    tell(enumtype, MPI_T_ENUM_NULL);
    tell_text(variable.description, desc, desc_len);
    tell(bind, MPI_T_BIND_NO_OBJECT);
    tell(readonly, variable.counts ? 0 : 1);
    tell(continuous, variable.counts ? 0 : 1);
    tell(atomic, variable.counts ? 1 : 0);
  });
}

int PMPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  return serve_tool(
      [&] { tell(pvar_index, index_of(kPerformance, name, [&](const auto& one) { return one.kind == var_class; })); });
}

int PMPI_T_pvar_session_create(MPI_T_pvar_session* session) {
  return serve_tool([&] {
    *session = as_handle<MPI_T_pvar_session>(performance_sessions().add(std::make_shared<PerformanceSession>()));
  });
}

int PMPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  return serve_tool([&] {
    static_cast<void>(performance_session(*session));
    performance_sessions().remove(number(*session));
    *session = MPI_T_PVAR_SESSION_NULL;
  });
}

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void*, MPI_T_pvar_handle* handle, int* count) {
  return serve_tool([&] {
    PerformanceSession& owner = performance_session(session);
    auto made = std::make_shared<PerformanceHandle>();
    made->variable = &entry(kPerformance, pvar_index);
    owner.given.push_back(owner.handles.add(std::move(made)));
    *handle = as_handle<MPI_T_pvar_handle>(owner.given.back());
    tell(count, 1);
  });
}

int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  return serve_tool([&] {
    static_cast<void>(performance(session, *handle));
    PerformanceSession& owner = performance_session(session);
    std::erase(owner.given, number(*handle));
    owner.handles.remove(number(*handle));
    *handle = MPI_T_PVAR_HANDLE_NULL;
  });
}

int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return for_counting(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, [](PerformanceHandle& one) { one.start(); });
}

int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return for_counting(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, [](PerformanceHandle& one) { one.stop(); });
}

int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return for_counting(session, handle, MPI_T_ERR_PVAR_NO_WRITE, [](PerformanceHandle& one) { one.set(0); });
}

int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  return serve_tool([&] {
    const Value value = performance(session, handle).value();
    std::memcpy(buf, &value, sizeof value);
  });
}

int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) return MPI_T_ERR_INVALID_HANDLE;
  return for_counting(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC, [&](PerformanceHandle& one) {
    const Value value = one.value();
    std::memcpy(buf, &value, sizeof value);
    one.set(0);
  });
}

int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) return MPI_T_ERR_INVALID_HANDLE;
  return for_counting(session, handle, MPI_T_ERR_PVAR_NO_WRITE, [&](PerformanceHandle& one) {
    Value value = 0;
    std::memcpy(&value, buf, sizeof value);
    one.set(value);
  });
}

int PMPI_T_category_get_num(int* num_cat) {
  return serve_tool([&] { tell(num_cat, kCategories.size()); });
}

int PMPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                             int* num_pvars, int* num_categories) {
  return serve_tool([&] {
    const CategoryEntry& category = entry(kCategories, cat_index);
    tell_text(category.name, name, name_len);
    tell_text(category.description, desc, desc_len);
    tell(num_cvars, members(kControls, cat_index).size());
    tell(num_pvars, members(kPerformance, cat_index).size());
    tell(num_categories, 0);
  });
}

int PMPI_T_category_get_index(const char* name, int* cat_index) {
  return serve_tool([&] { tell(cat_index, index_of(kCategories, name, [](const auto&) { return true; })); });
}

int PMPI_T_category_get_cvars(int cat_index, int len, int indices[]) {
  return tell_members(kControls, cat_index, len, indices);
}

int PMPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
  return tell_members(kPerformance, cat_index, len, indices);
}

int PMPI_T_category_get_categories(int cat_index, int, int[]) {
  return serve_tool([&] { static_cast<void>(entry(kCategories, cat_index)); });
}

int PMPI_T_category_get_num_events(int cat_index, int* num_events) {
  return serve_tool([&] {
    static_cast<void>(entry(kCategories, cat_index));
    tell(num_events, 0);
  });
}

int PMPI_T_category_get_events(int cat_index, int, int[]) {
  return serve_tool([&] { static_cast<void>(entry(kCategories, cat_index)); });
}

int PMPI_T_category_changed(int* update_number) {
  return serve_tool([&] { tell(update_number, 0); });
}

int PMPI_T_event_get_num(int* num_events) {
  return serve_tool([&] { tell(num_events, 0); });
}

int PMPI_T_source_get_num(int* num_sources) {
  return serve_tool([&] { tell(num_sources, 0); });
}
