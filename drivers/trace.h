/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_TRACE_H
#define TIDINGS_TRACE_H
/**
 * @file trace.h
 * What a library tells about its calls, for statistics and for explanations of a run that cannot go on.
 *
 * Texts are finished: whoever keeps the trace prints and compares them, and knows nothing of the library's terms. All
 * texts are copied. A platform that keeps no trace links trace_none.c, which does nothing.
 */
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a library names what the trace has no word for. */
struct tidings_library_words {
  const char* call;  /**< "MPI call" */
  const char* open;  /**< call that opens the slots: "MPI_Init" */
  const char* close; /**< call that closes them: "MPI_Finalize" */
};
void tidings_trace_library(const struct tidings_library_words* words);

/**
 * Enter a call into the library. Calls nest; only the outermost is recorded.
 * @param name under which the call is counted: "MPI_Recv".
 * @return whether the call is recorded, so that the library describes no call in vain.
 */
bool tidings_trace_enter(const char* name);

/** The call that is being recorded. */
struct tidings_call {
  const char* text; /**< with its arguments: "MPI_Recv(source 1, tag 7)" */
  /** Set of ranks that all make this call, under a number that no other set with a member in common has; 0 if the call
   * concerns this rank alone. */
  uint64_t group;
  /** Equal for all members of the group, if the program is right. */
  uint64_t signature;
};
void tidings_trace_call(const struct tidings_call* call);

/** Bytes that this rank sends or receives in the call. */
void tidings_trace_bytes(uint64_t bytes);

/**
 * While blocked, say what exactly is waited for: "receive from rank 3, tag 7". NULL clears it.
 * @param ranks the ranks that could end the wait.
 * @param count how many there are.
 */
void tidings_trace_wait(const char* text, const uint32_t* ranks, uint32_t count);

/** How a call was carried out. */
enum tidings_path {
  TIDINGS_PATH_NONE,     /**< there was no choice, or nothing to do */
  TIDINGS_PATH_HARDWARE, /**< an engine did it */
  TIDINGS_PATH_SOFTWARE, /**< messages did it, as the user asked */
  TIDINGS_PATH_FALLBACK, /**< the engine was asked for but cannot do this one */
};

/** Leave the call. @param fallback_reason why the engine cannot do it; NULL for other paths. */
void tidings_trace_leave(enum tidings_path path, const char* fallback_reason);

#ifdef __cplusplus
}
#endif
#endif
