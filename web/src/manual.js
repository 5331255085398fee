// SPDX-License-Identifier: Apache-2.0
// Read before Prism: it shall colour what it is given, and not look through the page by itself.
globalThis.Prism = { manual: true };
