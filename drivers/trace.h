/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_TRACE_H
#define TIDINGS_TRACE_H
/**
 * @file trace.h
 * What a library tells about its calls, for statistics and for explanations of a run that cannot go on.
 *
 * Whoever keeps the trace prints and compares texts, and knows nothing of the library's terms. The library puts no text
 * together unless somebody reads it. A platform that keeps no trace links trace_none.c, which does nothing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform.h"

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
 * @param name under which the call is counted: "MPI_Recv". Lives as long as the process.
 * @return whether the call is recorded, so that the library describes no call in vain.
 */
bool tidings_trace_enter(const char* name);

/** Most arguments of a call that are told. */
enum { TIDINGS_MAX_ARGUMENTS = 8 };

/** An argument of a call. The text is put together only if somebody reads it. */
struct tidings_argument {
  const char* text; /**< "tag %": the value stands for the percent sign. Lives as long as the process. */
  int64_t value;
};

/** The call that is being recorded. */
struct tidings_call {
  const struct tidings_argument* arguments; /**< shown as "MPI_Recv(source 1, tag 7)" */
  uint32_t count;                           /**< of arguments, at most TIDINGS_MAX_ARGUMENTS */
  uint64_t bytes;                           /**< as tidings_trace_bytes */
  /** Set of ranks that all make this call, under a number that no other set with a member in common has; 0 if the call
   * concerns this rank alone. */
  uint64_t group;
  /** Equal for all members of the group, if the program is right. */
  uint64_t signature;
};
void tidings_trace_call(const struct tidings_call* call);

/**
 * Write a call as people read it: "MPI_Recv(source 1, tag 7)". What does not fit is left out.
 * @param text receives the characters and a zero.
 * @param bytes room there, at least 1.
 * @return characters written.
 */
size_t tidings_call_text(const char* name, const struct tidings_argument* arguments, uint32_t count, char* text,
                         size_t bytes);

/** Bytes that this rank sends or receives in the call, if they come out later. */
void tidings_trace_bytes(uint64_t bytes);

/**
 * While blocked, say who can tell what exactly is waited for.
 * @param describe calls tidings_trace_waiting. It is called while the rank is blocked, and only if somebody asks; NULL:
 *   nothing is waited for any more.
 * @param subject what `describe` is called with.
 */
void tidings_trace_wait(void (*describe)(const void* subject), const void* subject);

/**
 * What is waited for.
 * @param text "receive from rank 3, tag 7".
 * @param ranks the ranks that could end the wait.
 * @param count how many there are.
 */
void tidings_trace_waiting(const char* text, const uint32_t* ranks, uint32_t count);

/**
 * As tidings_trace_waiting, for a driver, which knows slots and no ranks.
 * @param slot whose software could end the wait; NULL: that of any other rank.
 */
void tidings_trace_waiting_for_slot(const char* text, const struct tidings_endpoint* slot);

/** What becomes of a message. Several steps may come at once. */
enum tidings_message_step {
  TIDINGS_MESSAGE_SENT = 1,        /**< at the sender: it has left, or word that it is ready to */
  TIDINGS_MESSAGE_ARRIVED = 2,     /**< at the receiver: taken notice of */
  TIDINGS_MESSAGE_MATCHED = 4,     /**< at the receiver: it has its receive */
  TIDINGS_MESSAGE_RECEIVED = 8,    /**< at the receiver: all of it is where the program wants it */
  TIDINGS_MESSAGE_COLLECTIVE = 16, /**< not a step: it belongs to a collective */
  TIDINGS_MESSAGE_ANNOUNCED = 32,  /**< with SENT: its data leaves when it has its receive */
};

/**
 * A message between two ranks has got further.
 * @param steps of enum tidings_message_step.
 * @param peer the other rank.
 * @param number of the message among all from its sender to its receiver, from 0 on: the same on both sides.
 * @param bytes of data.
 */
void tidings_trace_message(uint32_t steps, uint32_t peer, uint32_t number, uint64_t bytes);

/**
 * Something about the call that its user should know and could not expect. Calls with equal notes are counted.
 * @param text "ring was named but not used, because ...". Lives as long as the process.
 */
void tidings_trace_note(const char* text);

/** Most calls within one another that a site keeps. */
enum { TIDINGS_SITE_CALLS = 16 };

/** A call of the program, which may turn out later to be why another one is wrong. All zeros: there has been none. */
struct tidings_site {
  const char* call; /**< "MPI_Win_start" */
  uint32_t count;
  void* returns[TIDINGS_SITE_CALLS]; /**< where it and those around it return to, the innermost first */
};

/** Keep where the program is, within a call that has this name. The name lives as long as the process. */
void tidings_trace_site(struct tidings_site* site, const char* call);

/** The call that is about to end the run (tidings_fail) is wrong because of this one, which came before. */
void tidings_trace_earlier(const struct tidings_site* site);

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
