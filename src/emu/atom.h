/* SPDX-License-Identifier: Apache-2.0
 *
 * Which read-modify-write an atom or red instruction makes (MemInfo.atom). */
#ifndef WW_EMU_ATOM_H
#define WW_EMU_ATOM_H

typedef enum AtomOp { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS } AtomOp;

#endif
