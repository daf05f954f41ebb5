/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_MACHINE_RELAX_H
#define TIDINGS_SIM_MACHINE_RELAX_H
/**
 * @file relax.h
 * For loops that look for something: C11 and C++20.
 */

/** Let the other thread of this core work. */
static inline void tidings_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
