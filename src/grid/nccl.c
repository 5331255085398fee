/* SPDX-License-Identifier: Apache-2.0 */
#include "grid/nccl.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 16 }; /* of a GPU's multiprocessors: the others multiply */
enum { MAGIC = (int)0xcafebeef, CONFIG_VERSION = 21801 };

bool nccl_open(Nccl *n, Str *why)
{
    const char *own = getenv("WARPWRIGHT_NCCL"), *name = own && *own ? own : "libnccl.so.2";
    *n = (Nccl){.library = dlopen(name, RTLD_NOW | RTLD_LOCAL)};
    const struct Entry {
        const char *symbol;
        void       *at; /* of the pointer */
    } entry[] = {{"ncclGetVersion", &n->get_version},
                 {"ncclGetUniqueId", &n->new_id},
                 {"ncclCommInitRankConfig", &n->join},
                 {"ncclCommAbort", &n->abort},
                 {"ncclCommGetAsyncError", &n->state},
                 {"ncclGroupStart", &n->begin},
                 {"ncclGroupEnd", &n->end},
                 {"ncclSend", &n->send},
                 {"ncclRecv", &n->receive},
                 {"ncclGetErrorString", &n->text}};
    if (!n->library) {
        const char *text = dlerror();
        str_printf(why, "%s is not to be had: %s", name, text ? text : "it cannot be loaded");
        return false;
    }
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
        void *symbol = dlsym(n->library, entry[i].symbol);
        if (!symbol) {
            str_printf(why, "%s has no %s: 2.18 or newer is needed", name, entry[i].symbol);
            nccl_close(n);
            return false;
        }
        memcpy(entry[i].at, &symbol, sizeof symbol);
    }
    if (n->get_version(&n->version) == 0 && n->version >= NCCL_OLDEST)
        return true;
    str_printf(why, "%s is version %d: 2.18 (%d) or newer is needed", name, n->version, NCCL_OLDEST);
    nccl_close(n);
    return false;
}

void nccl_close(Nccl *n)
{
    if (n->library)
        dlclose(n->library);
    *n = (Nccl){0};
}

NcclConfig nccl_config(void)
{
    const int unset = INT_MIN;
    return (NcclConfig){.size         = sizeof(NcclConfig),
                        .magic        = (unsigned)MAGIC,
                        .version      = CONFIG_VERSION,
                        .blocking     = 0,
                        .cluster      = unset,
                        .least_blocks = unset,
                        .most_blocks  = MOST_BLOCKS,
                        .share        = unset};
}
