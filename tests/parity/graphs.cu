/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: what building, instantiating, changing and launching them refuses. */
#include "parity.h"

static __global__ void nothing() {}
static __global__ void add(int *p, int v) { *p += v; }
static void no_work(void *) {}

static cudaKernelNodeParams kernel(const void *f, dim3 g, dim3 b, void **args = nullptr)
{
    cudaKernelNodeParams k = {};
    k.func                 = (void *)f;
    k.gridDim              = g;
    k.blockDim             = b;
    k.kernelParams         = args;
    return k;
}

DEFINE(graph_nodes)
{
    cudaGraph_t     g, other;
    cudaGraphNode_t a, b, c, d;
    int            *p, v = 1;
    cudaMalloc(&p, 64);
    void *args[] = {&p, &v};
    R(cudaGraphCreate(&g, 1));
    R(cudaGraphCreate(nullptr, 0));
    R(cudaGraphCreate(&g, 0));
    R(cudaGraphCreate(&other, 0));
    R(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
    R(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
    R(cudaGraphAddEmptyNode(&b, g, nullptr, 1));
    R(cudaGraphAddEmptyNode(&b, g, &a, 1));
    cudaGraphNode_t twice[] = {a, a};
    R(cudaGraphAddEmptyNode(&c, g, twice, 2));
    R(cudaGraphAddEmptyNode(&d, other, &a, 1));
    cudaKernelNodeParams k = kernel((const void *)add, 1, 1, args);
    R(cudaGraphAddKernelNode(&c, g, &a, 1, &k));
    k = kernel((const void *)add, 0, 1, args);
    R(cudaGraphAddKernelNode(&d, g, &a, 1, &k));
    k = kernel((const void *)add, 1, 1025, args);
    R(cudaGraphAddKernelNode(&d, g, &a, 1, &k));
    k = kernel((const void *)no_work, 1, 1, args);
    R(cudaGraphAddKernelNode(&d, g, &a, 1, &k));
    k = kernel(nullptr, 1, 1, args);
    R(cudaGraphAddKernelNode(&d, g, &a, 1, &k));
    k                = kernel((const void *)nothing, 1, 1);
    k.sharedMemBytes = 60000;
    R(cudaGraphAddKernelNode(&d, g, &a, 1, &k));
    R(cudaGraphAddKernelNode(&d, g, &a, 1, nullptr));
    R(cudaGraphAddMemcpyNode1D(&d, g, nullptr, 0, p, &v, 4, cudaMemcpyHostToDevice));
    R(cudaGraphAddMemcpyNode1D(&d, g, nullptr, 0, p, &v, 400, cudaMemcpyHostToDevice));
    R(cudaGraphAddMemcpyNode1D(&d, g, nullptr, 0, nullptr, &v, 4, cudaMemcpyHostToDevice));
    R(cudaGraphAddMemcpyNode1D(&d, g, nullptr, 0, p, &v, 4, (cudaMemcpyKind)9));
    R(cudaGraphAddMemcpyNode1D(&d, g, nullptr, 0, p, &v, 0, cudaMemcpyHostToDevice));
    cudaMemsetParams m = {};
    m.dst              = p;
    m.elementSize      = 4;
    m.width            = 4;
    m.height           = 1;
    R(cudaGraphAddMemsetNode(&d, g, nullptr, 0, &m));
    m.elementSize = 3;
    R(cudaGraphAddMemsetNode(&d, g, nullptr, 0, &m));
    m.elementSize = 4;
    m.width       = 400;
    R(cudaGraphAddMemsetNode(&d, g, nullptr, 0, &m));
    m.width = 4;
    m.dst   = nullptr;
    R(cudaGraphAddMemsetNode(&d, g, nullptr, 0, &m));
    cudaHostNodeParams h = {no_work, nullptr};
    R(cudaGraphAddHostNode(&d, g, nullptr, 0, &h));
    h.fn = nullptr;
    R(cudaGraphAddHostNode(&d, g, nullptr, 0, &h));
    R(cudaGraphAddChildGraphNode(&d, g, nullptr, 0, other));
    R(cudaGraphAddChildGraphNode(&d, g, nullptr, 0, g));
    R(cudaGraphAddChildGraphNode(&d, g, nullptr, 0, nullptr));
    R(cudaGraphAddEventRecordNode(&d, g, nullptr, 0, nullptr));
    R(cudaGraphAddDependencies(g, &b, &c, nullptr, 1));
    R(cudaGraphAddDependencies(g, &b, &c, nullptr, 1));
    R(cudaGraphAddDependencies(g, &b, &b, nullptr, 1));
    R(cudaGraphAddDependencies(g, &c, &a, nullptr, 1));
    R(cudaGraphRemoveDependencies(g, &d, &a, nullptr, 1));
    size_t n = 0;
    R(cudaGraphGetNodes(g, nullptr, &n));
    V(n);
    R(cudaGraphGetNodes(g, nullptr, nullptr));
    R(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &n));
    V(n);
    R(cudaGraphGetRootNodes(g, nullptr, &n));
    V(n);
    cudaGraphNode_t list[3];
    n = 3;
    R(cudaGraphGetNodes(g, list, &n));
    V(n);
    cudaGraphNodeType type = {};
    R(cudaGraphNodeGetType(c, &type));
    V(type);
    R(cudaGraphNodeGetType(nullptr, &type));
    cudaKernelNodeParams back = {};
    R(cudaGraphKernelNodeGetParams(c, &back));
    V(back.gridDim.x);
    R(cudaGraphKernelNodeGetParams(a, &back));
    R(cudaGraphDestroyNode(a));
    R(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &n));
    V(n);
    R(cudaGraphDestroyNode(nullptr));
    cudaGraph_t clone;
    R(cudaGraphClone(&clone, g));
    R(cudaGraphNodeFindInClone(&d, c, clone));
    V(d != c);
    R(cudaGraphNodeFindInClone(&d, c, g));
    R(cudaGraphDebugDotPrint(g, "/nowhere/at/all.dot", 0));
    R(cudaGraphDestroy(g));
    R(cudaGraphDestroy(nullptr));
}

DEFINE(graph_execution)
{
    cudaGraph_t     g, cycle;
    cudaGraphExec_t x = nullptr, y = nullptr;
    cudaGraphNode_t a, b, c, other;
    int            *p, v = 1, zero = 0;
    cudaMalloc(&p, 64);
    void *args[] = {&p, &v};
    cudaMemcpy(p, &zero, 4, cudaMemcpyHostToDevice);
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&cycle, 0);
    R(cudaGraphInstantiate(&x, cycle, 0));
    R(cudaGraphLaunch(x, 0));
    cudaGraphAddEmptyNode(&a, cycle, nullptr, 0);
    cudaGraphAddEmptyNode(&b, cycle, &a, 1);
    R(cudaGraphAddDependencies(cycle, &b, &a, nullptr, 1));
    R(cudaGraphInstantiate(&y, cycle, 0));
    cudaKernelNodeParams k = kernel((const void *)add, 1, 1, args);
    R(cudaGraphAddKernelNode(&c, g, nullptr, 0, &k));
    R(cudaGraphInstantiate(&x, g, 0));
    R(cudaGraphInstantiate(nullptr, g, 0));
    R(cudaGraphInstantiate(&y, g, 1 << 20));
    R(cudaGraphInstantiate(&y, nullptr, 0));
    R(cudaGraphLaunch(x, 0));
    R(cudaGraphLaunch(nullptr, 0));
    R(cudaGraphUpload(x, 0));
    v = 10;
    R(cudaGraphExecKernelNodeSetParams(x, c, &k));
    R(cudaGraphLaunch(x, 0));
    k.gridDim = 0;
    R(cudaGraphExecKernelNodeSetParams(x, c, &k));
    k.gridDim = 1;
    k.func    = (void *)nothing;
    R(cudaGraphExecKernelNodeSetParams(x, c, &k));
    k.func = (void *)add;
    R(cudaGraphExecKernelNodeSetParams(x, c, &k));
    R(cudaGraphExecKernelNodeSetParams(x, a, &k));
    R(cudaGraphExecKernelNodeSetParams(x, c, nullptr));
    unsigned on = 9;
    R(cudaGraphNodeGetEnabled(x, c, &on));
    V(on);
    R(cudaGraphNodeSetEnabled(x, c, 0));
    R(cudaGraphLaunch(x, 0));
    R(cudaGraphNodeSetEnabled(x, c, 1));
    R(cudaGraphNodeSetEnabled(x, a, 1));
    unsigned long long flags = 9;
    R(cudaGraphExecGetFlags(x, &flags));
    V(flags);
    int h = 0;
    R(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
    V(h);
    cudaGraphExecUpdateResultInfo info = {};
    R(cudaGraphExecUpdate(x, g, &info));
    V(info.result);
    R(cudaGraphAddKernelNode(&other, g, nullptr, 0, &k));
    R(cudaGraphExecUpdate(x, g, &info));
    V(info.result);
    R(cudaGetLastError());
    cudaGraph_t g2;
    cudaGraphCreate(&g2, 0);
    cudaGraphAddEmptyNode(&other, g2, nullptr, 0);
    R(cudaGraphExecUpdate(x, g2, &info));
    V(info.result);
    cudaGraph_t g3;
    cudaGraphCreate(&g3, 0);
    k.func         = (void *)nothing;
    k.kernelParams = nullptr;
    cudaGraphAddKernelNode(&other, g3, nullptr, 0, &k);
    R(cudaGraphExecUpdate(x, g3, &info));
    V(info.result);
    R(cudaGetLastError());
    R(cudaGraphExecDestroy(x));
    R(cudaGraphExecDestroy(nullptr));
    R(cudaDeviceSynchronize());
}

DEFINE(graph_memory)
{
    cudaGraph_t             g;
    cudaGraphExec_t         x, y;
    cudaGraphNode_t         a, f, again;
    cudaMemAllocNodeParams  m = {};
    unsigned long long      v = 0;
    cudaGraphCreate(&g, 0);
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &m));
    m.poolProps.allocType     = cudaMemAllocationTypePinned;
    m.poolProps.location.type = cudaMemLocationTypeDevice;
    m.bytesize                = 0;
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &m));
    m.bytesize = 1000;
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &m));
    R(cudaGraphAddMemFreeNode(&f, g, nullptr, 0, m.dptr));
    R(cudaGraphAddMemFreeNode(&f, g, &a, 1, nullptr));
    R(cudaGraphAddMemFreeNode(&f, g, &a, 1, m.dptr));
    R(cudaGraphAddMemFreeNode(&again, g, &a, 1, m.dptr));
    cudaGraph_t clone;
    R(cudaGraphClone(&clone, g));
    R(cudaGraphInstantiate(&x, g, 0));
    R(cudaGraphInstantiate(&y, g, 0));
    R(cudaGraphDestroyNode(f));
    R(cudaGraphLaunch(x, 0));
    R(cudaGraphLaunch(x, 0));
    R(cudaDeviceSynchronize());
    R(cudaFree(m.dptr));
    R(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &v));
    V(v);
    R(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &v));
    R(cudaDeviceGetGraphMemAttribute(9, cudaGraphMemAttrUsedMemCurrent, &v));
    R(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &v));
    R(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &v));
    R(cudaDeviceGraphMemTrim(0));
    R(cudaGraphExecDestroy(x));
}
DEFINE(graph_memory_kept)
{
    cudaGraph_t            g;
    cudaGraphExec_t        x;
    cudaGraphNode_t        a;
    cudaMemAllocNodeParams m  = {};
    m.poolProps.allocType     = cudaMemAllocationTypePinned;
    m.poolProps.location.type = cudaMemLocationTypeDevice;
    m.bytesize                = 1000;
    cudaGraphCreate(&g, 0);
    R(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &m));
    R(cudaMemset(m.dptr, 0, 10));
    R(cudaGraphInstantiate(&x, g, 0));
    R(cudaGraphLaunch(x, 0));
    R(cudaMemset(m.dptr, 0, 10));
    R(cudaGraphLaunch(x, 0));
    R(cudaGetLastError());
    R(cudaFree(m.dptr));
    R(cudaGraphLaunch(x, 0));
    R(cudaDeviceSynchronize());
}

DEFINE(graph_conditions)
{
    cudaGraph_t                g, other;
    cudaGraphConditionalHandle h = 0;
    cudaGraphNode_t            n;
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&other, 0);
    R(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    R(cudaGraphConditionalHandleCreate(nullptr, g, 1, 0));
    R(cudaGraphConditionalHandleCreate(&h, g, 1, 7));
    R(cudaGraphConditionalHandleCreate(&h, nullptr, 1, 0));
    R(cudaGraphConditionalHandleCreate(&h, g, 0, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {};
    p.type                = cudaGraphNodeTypeConditional;
    p.conditional.handle  = h;
    p.conditional.type    = cudaGraphCondTypeIf;
    p.conditional.size    = 1;
    R(cudaGraphAddNode(&n, other, nullptr, nullptr, 0, &p));
    R(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p));
    R(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p));
    p.conditional.handle = 0;
    R(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p));
    R(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, nullptr));
    cudaGraphNodeParams bad = {};
    bad.type                = (cudaGraphNodeType)99;
    R(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &bad));
    cudaGraphExec_t x;
    R(cudaGraphInstantiate(&x, g, 0));
    R(cudaGraphLaunch(x, 0));
    R(cudaDeviceSynchronize());
    cudaUserObject_t o;
    R(cudaUserObjectCreate(&o, nullptr, no_work, 1, cudaUserObjectNoDestructorSync));
    R(cudaUserObjectCreate(&o, nullptr, no_work, 1, 0));
    R(cudaUserObjectCreate(&o, nullptr, no_work, 0, cudaUserObjectNoDestructorSync));
    R(cudaUserObjectCreate(&o, nullptr, nullptr, 1, cudaUserObjectNoDestructorSync));
    R(cudaUserObjectRetain(o, 0));
    R(cudaUserObjectRetain(o, 2));
    R(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
    R(cudaGraphRetainUserObject(g, o, 1, 9));
    R(cudaGraphReleaseUserObject(g, o, 1));
    R(cudaUserObjectRelease(o, 1));
}
