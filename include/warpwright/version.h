/* SPDX-License-Identifier: Apache-2.0
 *
 * The version, here alone: the build, the packages and the Python wheel read it from this file. */
#ifndef WARPWRIGHT_VERSION_H
#define WARPWRIGHT_VERSION_H

#define WW_VERSION_MAJOR 0
#define WW_VERSION_MINOR 2
#define WW_VERSION_PATCH 0
#define WW_VERSION_STRING "0.2.0"

#endif
