/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: nodes of every kind from generic descriptions, conditions set by kernels, memory nodes, edges and questions, user objects,
 * kernel attributes, updates, copies to and from symbols, the picture.
 * nvcc: -rdc=true -lcudadevrt */
#include "check.h"

__device__ int variable[4];

__global__ void add(int *p, int n)
{
    p[threadIdx.x] += n;
}

__global__ void count_down(int *n, cudaGraphConditionalHandle h)
{
    if (--*n == 0)
        cudaGraphSetConditional(h, 0);
}

static int hosted, destroyed;

static void CUDART_CB host(void *user)
{
    hosted += *(int *)user;
}

static void CUDART_CB destroy(void *user)
{
    destroyed += *(int *)user;
}

static int one = 1;

static void run(cudaGraph_t g)
{
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaGraphExecDestroy(x));
}

static void generic(int *p)
{
    cudaGraph_t         g, child;
    cudaGraphNode_t     set, kernel, copy, call, empty, sub, list[8], from[8], to[8];
    cudaGraphNodeParams n = {};
    int                 h[4] = {}, five = 5;
    size_t              count;
    OK(cudaGraphCreate(&g, 0));
    n.type   = cudaGraphNodeTypeMemset;
    n.memset = {p, 0, 0, 4, 4, 1};
    OK(cudaGraphAddNode(&set, g, nullptr, nullptr, 0, &n));
    void *args[] = {&p, &five};
    n             = {};
    n.type        = cudaGraphNodeTypeKernel;
    n.kernel.func = (void *)add;
    n.kernel.gridDim = n.kernel.blockDim = dim3(1);
    n.kernel.blockDim     = dim3(4);
    n.kernel.kernelParams = args;
    OK(cudaGraphAddNode(&kernel, g, &set, nullptr, 1, &n));
    OK(cudaGraphCreate(&child, 0));
    cudaGraphNode_t inner;
    OK(cudaGraphAddNode(&inner, child, nullptr, nullptr, 0, &n));
    n             = {};
    n.type        = cudaGraphNodeTypeGraph;
    n.graph.graph = child;
    OK(cudaGraphAddNode(&sub, g, &kernel, nullptr, 1, &n));
    OK(cudaGraphDestroy(child));
    n                            = {};
    n.type                       = cudaGraphNodeTypeMemcpy;
    n.memcpy.copyParams.srcPtr   = make_cudaPitchedPtr(p, 16, 16, 1);
    n.memcpy.copyParams.dstPtr   = make_cudaPitchedPtr(h, 16, 16, 1);
    n.memcpy.copyParams.extent   = make_cudaExtent(16, 1, 1);
    n.memcpy.copyParams.kind     = cudaMemcpyDeviceToHost;
    OK(cudaGraphAddNode(&copy, g, &sub, nullptr, 1, &n));
    n      = {};
    n.type = cudaGraphNodeTypeHost;
    n.host = {host, &one};
    OK(cudaGraphAddNode(&call, g, &copy, nullptr, 1, &n));
    n      = {};
    n.type = cudaGraphNodeTypeEmpty;
    cudaGraphNode_t both[] = {call, kernel};
    OK(cudaGraphAddNode(&empty, g, both, nullptr, 2, &n));
    run(g);
    CHECK(h[3] == 10 && hosted == 1);

    count = 8;
    OK(cudaGraphGetEdges(g, from, to, nullptr, &count));
    CHECK(count == 6);
    count = 8;
    OK(cudaGraphNodeGetDependencies(empty, list, nullptr, &count));
    CHECK(count == 2);
    count = 8;
    OK(cudaGraphNodeGetDependentNodes(kernel, list, nullptr, &count));
    CHECK(count == 2);
    cudaMemsetParams m;
    OK(cudaGraphMemsetNodeGetParams(set, &m));
    CHECK(m.dst == p && m.width == 4);
    cudaGraph_t in;
    OK(cudaGraphChildGraphNodeGetGraph(sub, &in));
    OK(cudaGraphGetNodes(in, nullptr, &count));
    CHECK(count == 1);

    cudaKernelNodeAttrValue value = {}, got = {};
    value.priority = -2;
    OK(cudaGraphKernelNodeSetAttribute(kernel, cudaKernelNodeAttributePriority, &value));
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaKernelNodeAttributePriority, &got));
    CHECK(got.priority == -2);
    char path[] = "/tmp/wwXXXXXX", text[64] = "";
    CHECK(mkstemp(path) >= 0);
    OK(cudaGraphDebugDotPrint(g, path, 0));
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(text, sizeof text, f) && !strcmp(text, "digraph dot {\n"));
    fclose(f);
    remove(path);

    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, 0));
    int seven = 7;
    n             = {};
    n.type        = cudaGraphNodeTypeKernel;
    n.kernel.func = (void *)add;
    n.kernel.gridDim      = dim3(1);
    n.kernel.blockDim     = dim3(4);
    void *others[]        = {&p, &seven};
    n.kernel.kernelParams = others;
    OK(cudaGraphExecNodeSetParams(x, kernel, &n));
    OK(cudaGraphNodeSetEnabled(x, call, 0));
    unsigned on = 1;
    OK(cudaGraphNodeGetEnabled(x, call, &on));
    CHECK(on == 0);
    OK(cudaGraphLaunch(x, 0));
    OK(cudaStreamSynchronize(0));
    CHECK(h[0] == 12 && hosted == 1);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

static void conditional(int *p)
{
    cudaGraph_t                g;
    cudaGraphNode_t            node, first;
    cudaGraphConditionalHandle h;
    cudaGraphNodeParams        n = {};
    int                        v[2] = {5, 0};
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    n.type               = cudaGraphNodeTypeConditional;
    n.conditional.handle = h;
    n.conditional.type   = cudaGraphCondTypeWhile;
    n.conditional.size   = 1;
    OK(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &n));
    cudaGraph_t  body = n.conditional.phGraph_out[0];
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCaptureToGraph(s, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, s>>>(p + 1, 1);
    count_down<<<1, 1, 0, s>>>(p, h);
    OK(cudaStreamEndCapture(s, nullptr));
    OK(cudaMemcpy(p, v, sizeof v, cudaMemcpyHostToDevice));
    run(g);
    OK(cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost));
    CHECK(v[0] == 0 && v[1] == 5);

    /* if, with an else */
    cudaGraph_t g2;
    cudaGraphConditionalHandle h2;
    OK(cudaGraphCreate(&g2, 0));
    OK(cudaGraphConditionalHandleCreate(&h2, g2, 0, cudaGraphCondAssignDefault));
    n                    = {};
    n.type               = cudaGraphNodeTypeConditional;
    n.conditional.handle = h2;
    n.conditional.type   = cudaGraphCondTypeIf;
    n.conditional.size   = 2;
    OK(cudaGraphAddNode(&node, g2, nullptr, nullptr, 0, &n));
    int value[] = {10, 20};
    for (int i = 0; i < 2; i++) {
        cudaKernelNodeParams k    = {};
        void                *args[] = {&p, &value[i]};
        k.func                    = (void *)add;
        k.gridDim = k.blockDim    = dim3(1);
        k.kernelParams            = args;
        OK(cudaGraphAddKernelNode(&first, n.conditional.phGraph_out[i], nullptr, 0, &k));
    }
    run(g2);
    OK(cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost));
    CHECK(v[0] == 20);
    n.conditional.handle = 12345;
    FAILS(cudaGraphAddNode(&node, g2, nullptr, nullptr, 0, &n), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(g));
    OK(cudaGraphDestroy(g2));
}

/* What a graph has freed it can allocate again at the same place; other graphs have places of their own.  The memory lasts as long as an
   executable graph that allocates it, and beyond when the graph does not free it. */
static void places()
{
    cudaGraph_t            g, other;
    cudaGraphNode_t        node, release, set;
    cudaGraphExec_t        x, y;
    cudaMemAllocNodeParams a = {}, b;
    a.poolProps.allocType    = cudaMemAllocationTypePinned;
    a.poolProps.location     = {cudaMemLocationTypeDevice, 0};
    a.bytesize               = 1 << 16;
    b                        = a;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&node, g, nullptr, 0, &a));
    OK(cudaGraphAddMemFreeNode(&release, g, &node, 1, a.dptr));
    OK(cudaGraphAddMemAllocNode(&node, g, &release, 1, &b));
    CHECK(a.dptr == b.dptr);
    cudaMemsetParams m = {b.dptr, 0, 7, 4, 4, 1};
    OK(cudaGraphAddMemsetNode(&set, g, &node, 1, &m));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphAddMemAllocNode(&node, other, nullptr, 0, &a));
    CHECK(a.dptr != b.dptr);
    OK(cudaGraphAddMemFreeNode(&release, other, &node, 1, a.dptr));
    OK(cudaGraphInstantiate(&y, other, 0));
    OK(cudaGraphDestroy(other));
    unsigned long long kept = 1;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &kept));
    CHECK(kept == 0);
    OK(cudaGraphLaunch(y, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &kept));
    CHECK(kept == 1 << 16);
    OK(cudaGraphExecDestroy(y));
    OK(cudaGraphExecDestroy(x));
    int h[4] = {};
    OK(cudaMemcpy(h, b.dptr, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 7 && h[3] == 7);
    OK(cudaFree(b.dptr));
    FAILS(cudaFree(b.dptr), cudaErrorInvalidValue);
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &kept));
    CHECK(kept == 0);
}

static void memory(int *out)
{
    cudaGraph_t            g;
    cudaGraphNode_t        alloc, kernel, copy, release;
    cudaMemAllocNodeParams a = {};
    cudaGraphExec_t        x;
    OK(cudaGraphCreate(&g, 0));
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location  = {cudaMemLocationTypeDevice, 0};
    a.bytesize            = 1 << 20;
    OK(cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &a));
    CHECK(a.dptr);
    cudaMemsetParams m = {a.dptr, 0, 3, 4, 4, 1};
    cudaGraphNode_t set;
    OK(cudaGraphAddMemsetNode(&set, g, &alloc, 1, &m));
    int   two    = 2;
    void *args[] = {&a.dptr, &two};
    cudaKernelNodeParams k = {};
    k.func         = (void *)add;
    k.gridDim      = dim3(1);
    k.blockDim     = dim3(4);
    k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&kernel, g, &set, 1, &k));
    OK(cudaGraphAddMemcpyNode1D(&copy, g, &kernel, 1, out, a.dptr, 16, cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr));
    void *freed;
    OK(cudaGraphMemFreeNodeGetParams(release, &freed));
    CHECK(freed == a.dptr);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(x, 0));
    int h[4];
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 5 && h[3] == 5);
    unsigned long long used = 1, high = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    CHECK(used == 0 && high == 1 << 20);
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

int main()
{
    int *p;
    OK(cudaMalloc(&p, 64));
    generic(p);
    conditional(p);
    memory(p);
    places();

    cudaGraph_t      g, clone;
    cudaUserObject_t object;
    cudaGraphExec_t  x;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    OK(cudaGraphClone(&clone, g));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphDestroy(clone));
    CHECK(destroyed == 0);
    OK(cudaGraphExecDestroy(x));
    CHECK(destroyed == 1);
    FAILS(cudaUserObjectRelease(object), cudaErrorInvalidValue);

    int             h[4] = {1, 2, 3, 4}, back[4] = {};
    cudaGraphNode_t to, from;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, variable, h, 8, 8, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, back, variable, 16, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, variable, h, 16, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    run(g);
    CHECK(back[0] == 0 && back[2] == 1 && back[3] == 2);
    OK(cudaGraphDestroy(g));
    return passed();
}
