/* SPDX-License-Identifier: Apache-2.0
 *
 * STRESSED(usual, tiny): a size or a limit that may be anything without changing a result: first capacities, quanta, memo sizes.  In the
 * build of `make stress` it is tiny, so that every table grows, every quantum runs out and every memo forgets in every test.
 * Not for limits that a result depends on. */
#ifndef WW_BASE_STRESS_H
#define WW_BASE_STRESS_H

#ifdef WW_STRESS
#define STRESSED(usual, tiny) (tiny)
#else
#define STRESSED(usual, tiny) (usual)
#endif

#endif
