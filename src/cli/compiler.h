/* SPDX-License-Identifier: Apache-2.0
 *
 * What a compiler is told to compile.  nvcc puts its arguments into command lines of a shell, so it must never see the name of a file that
 * says something to one. */
#ifndef WW_CLI_COMPILER_H
#define WW_CLI_COMPILER_H

/* A name to compile `source` by, from this folder: its own, or that of a temporary file that includes it; to be given to
 * compiler_done.  NULL after a message of the verb. */
char *compiler_source(const char *verb, const char *source);
void  compiler_done(char *name, const char *source);
/* Between fork and exec: the compiler's temporary files get safe names too. */
void  compiler_environment(void);
/* The same, where a whole program is wanted: options of the environment that would leave an object of relocatable device code (-dc) link it. */
void  compiler_links(void);

#endif
