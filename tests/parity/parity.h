/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that asks both CUDA interfaces for what they refuse and what they answer, and prints it line by line, so that the answers of a
 * card can be compared with the emulator's.  R(call) prints a call and its code, V(expression) a number, both with the text as it stands in
 * the source.  Each section runs in a process of its own (parity.cu).  Nothing printed may be an address or a time. */
#ifndef WW_PARITY_H
#define WW_PARITY_H

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda.h>
#include <cuda_runtime.h>

/* A section's name and what it does: DEFINE(launch_shapes) { ... } */
struct Section {
    const char *name;
    void (*run)();
    Section *next;
    static Section *first, **last;
    Section(const char *n, void (*f)()) : name(n), run(f), next(nullptr) { *last = this; last = &next; }
};
#define DEFINE(name)                              \
    static void run_##name();                     \
    static Section section_##name(#name, run_##name); \
    static void run_##name()

/* The driver's function behind a name of cuda.h, so that the program needs no libcuda to link with. */
void *driver_entry(const char *name);
#define TEXT_OF(x) TEXT_OF_(x)
#define TEXT_OF_(x) #x
#define D(name) (reinterpret_cast<decltype(&name)>(driver_entry(TEXT_OF(name))))

const char *code_name(cudaError_t e);
const char *code_name(CUresult e);
/* A call that crashes says so, and the section goes on. */
extern sigjmp_buf            crash;
extern volatile sig_atomic_t in_call;
template <class T> inline T said(const char *text, T e)
{
    in_call = 0;
    printf("%s\t%s\n", text, code_name(e));
    fflush(stdout);
    return e;
}
inline void told(const char *text, double v)
{
    printf("%s\t%.10g\n", text, v);
    fflush(stdout);
}
#define R(...)                                     \
    do {                                           \
        if (sigsetjmp(crash, 1))                   \
            printf("%s\tcrashes\n", #__VA_ARGS__); \
        else if (in_call = 1, true)                \
            said(#__VA_ARGS__, (__VA_ARGS__));     \
    } while (0)
#define V(...) told(#__VA_ARGS__, (double)(__VA_ARGS__))
/* The name of the code that a call ends with, for lines of other forms. */
template <class F> inline const char *outcome(F call)
{
    if (sigsetjmp(crash, 1))
        return "crashes";
    in_call             = 1;
    const char *name    = code_name(call());
    in_call             = 0;
    return name;
}

#endif
