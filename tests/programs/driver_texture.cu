/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver interface's arrays, textures and surfaces: copies between host, device and arrays, objects, descriptors asked back.
 * nvcc: -Xcompiler -Wno-deprecated-declarations */
#include <cuda.h>

#include "check.h"

#define DO(call)                                                                  \
    do {                                                                          \
        CUresult r_ = (call);                                                     \
        const char *name_ = "?";                                                  \
        if (r_ != CUDA_SUCCESS && (cuGetErrorName(r_, &name_), true)) {           \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);          \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry fetch(.param .u64 tex, .param .u64 out)\n{\n"
                          ".reg .u64 %a<4>; .reg .u32 %r<4>; .reg .f32 %f<8>;\n"
                          "ld.param.u64 %a0, [tex]; ld.param.u64 %a1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y;\n"
                          "cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1; add.f32 %f0, %f0, 0f3f000000; add.f32 %f1, %f1, 0f3f000000;\n"
                          "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%a0, {%f0, %f1}];\n"
                          "mad.lo.u32 %r2, %r1, 8, %r0; mul.wide.u32 %a2, %r2, 4; add.u64 %a1, %a1, %a2; st.global.f32 [%a1], %f2; ret;\n}\n"
                          ".global .texref image;\n.global .surfref canvas;\n"
                          ".visible .entry by_reference(.param .u64 out)\n{\n"
                          ".reg .u64 %a<4>; .reg .u32 %r<4>; .reg .f32 %f<8>;\n"
                          "ld.param.u64 %a1, [out]; mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %f0, %r0; mul.f32 %f0, %f0, 0f3e000000;\n"
                          "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f0, 0f3f000000}];\n"
                          "mul.wide.u32 %a2, %r0, 4; add.u64 %a1, %a1, %a2; st.global.f32 [%a1], %f2;\n"
                          "sust.b.2d.b8.zero [canvas, {%r0, 3}], 77; ret;\n}\n"
                          ".visible .entry invert(.param .u64 surf)\n{\n"
                          ".reg .u64 %a; .reg .u32 %r<4>; .reg .b16 %h;\n"
                          "ld.param.u64 %a, [surf]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y;\n"
                          "suld.b.2d.b8.trap {%h}, [%a, {%r0, %r1}]; xor.b16 %h, %h, 255; sust.b.2d.b8.trap [%a, {%r0, %r1}], {%h}; ret;\n}\n";

enum { W = 8, H = 4 };

int main()
{
    CUdevice    d;
    CUcontext   c;
    CUmodule    m;
    CUfunction  fetch, invert;
    CUarray     a, b;
    CUdeviceptr p, out;
    CUtexObject t;
    CUsurfObject s;
    float         got[H][W];
    unsigned char v[H][W], w[H][W];
    for (int i = 0; i < W * H; i++)
        v[i / W][i % W] = (unsigned char)(8 * i);
    DO(cuInit(0));
    DO(cuDeviceGet(&d, 0));
    DO(cuDevicePrimaryCtxRetain(&c, d));
    DO(cuCtxPushCurrent(c));
    DO(cuModuleLoadData(&m, ptx));
    DO(cuModuleGetFunction(&fetch, m, "fetch"));
    DO(cuModuleGetFunction(&invert, m, "invert"));

    CUDA_ARRAY_DESCRIPTOR   plain = {W, H, CU_AD_FORMAT_UNSIGNED_INT8, 1}, asked;
    CUDA_ARRAY3D_DESCRIPTOR full  = {W, H, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST}, back;
    DO(cuArrayCreate(&a, &plain));
    DO(cuArray3DCreate(&b, &full));
    DO(cuArrayGetDescriptor(&asked, a));
    DO(cuArray3DGetDescriptor(&back, b));
    CHECK(asked.Width == W && asked.Format == CU_AD_FORMAT_UNSIGNED_INT8 && back.Height == H && back.Flags == CUDA_ARRAY3D_SURFACE_LDST);
    plain.NumChannels = 3;
    CHECK(cuArrayCreate(&a, &plain) == CUDA_ERROR_INVALID_VALUE);

    CUDA_MEMCPY2D h = {};
    h.srcMemoryType = CU_MEMORYTYPE_HOST, h.srcHost = v, h.srcPitch = W;
    h.dstMemoryType = CU_MEMORYTYPE_ARRAY, h.dstArray = a;
    h.WidthInBytes = W, h.Height = H;
    DO(cuMemcpy2D(&h));
    h.dstY = 1;
    CHECK(cuMemcpy2D(&h) == CUDA_ERROR_INVALID_VALUE);
    DO(cuMemAlloc(&p, 4096));
    CUDA_MEMCPY3D k = {};
    k.srcMemoryType = CU_MEMORYTYPE_ARRAY, k.srcArray = a;
    k.dstMemoryType = CU_MEMORYTYPE_DEVICE, k.dstDevice = p, k.dstPitch = 64, k.dstXInBytes = 3;
    k.WidthInBytes = W, k.Height = H, k.Depth = 1;
    DO(cuMemcpy3D(&k));
    CUDA_MEMCPY2D to = {};
    to.srcMemoryType = CU_MEMORYTYPE_UNIFIED, to.srcDevice = p, to.srcXInBytes = 3, to.srcPitch = 64;
    to.dstMemoryType = CU_MEMORYTYPE_ARRAY, to.dstArray = b;
    to.WidthInBytes = W, to.Height = H;
    DO(cuMemcpy2DAsync(&to, 0));

    CUDA_RESOURCE_DESC r = {}, r2;
    CUDA_TEXTURE_DESC  q = {}, q2;
    r.resType          = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = b;
    q.addressMode[0] = q.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    DO(cuTexObjectCreate(&t, &r, &q, nullptr)); /* without READ_AS_INTEGER: fractions */
    DO(cuTexObjectGetResourceDesc(&r2, t));
    DO(cuTexObjectGetTextureDesc(&q2, t));
    CHECK(r2.res.array.hArray == b && q2.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP && q2.flags == 0);
    DO(cuSurfObjectCreate(&s, &r));
    DO(cuMemAlloc(&out, sizeof got));
    void *args[] = {&t, &out}, *surf[] = {&s};
    DO(cuLaunchKernel(invert, 1, 1, 1, W, H, 1, 0, 0, surf, nullptr));
    DO(cuLaunchKernel(fetch, 1, 1, 1, W, H, 1, 0, 0, args, nullptr));
    DO(cuMemcpyDtoH(got, out, sizeof got));
    for (int i = 0; i < W * H; i++)
        CHECK(got[i / W][i % W] == (255 - v[i / W][i % W]) / 255.0f);
    DO(cuMemcpyAtoH(w, b, 0, W));
    for (int i = 0; i < W; i++)
        CHECK(w[0][i] == 255 - v[0][i]);
    DO(cuMemcpyHtoA(a, 2, w, 4));
    DO(cuMemcpyAtoA(b, 0, a, 2, 4));
    DO(cuMemcpyAtoD(p, b, 0, 4));
    DO(cuMemcpyDtoA(a, 4, p, 4));
    DO(cuMemcpyAtoH(w, a, 0, W));
    CHECK(w[0][0] == v[0][0] && w[0][4] == 255 - v[0][0] && w[0][7] == 255 - v[0][3]);
    DO(cuTexObjectDestroy(t));
    DO(cuSurfObjectDestroy(s));
    CHECK(cuTexObjectGetResourceDesc(&r2, t) != CUDA_SUCCESS);

    CUtexref    ref;
    CUsurfref   canvas;
    CUfunction  by_reference;
    CUaddress_mode mode;
    void       *one[] = {&out};
    DO(cuModuleGetFunction(&by_reference, m, "by_reference"));
    CHECK(cuModuleGetTexRef(&ref, m, "none") == CUDA_ERROR_NOT_FOUND);
    DO(cuModuleGetTexRef(&ref, m, "image"));
    DO(cuTexRefGetAddressMode(&mode, ref, 0));
    CHECK(mode == CU_TR_ADDRESS_MODE_CLAMP);
    DO(cuTexRefSetFlags(ref, CU_TRSF_NORMALIZED_COORDINATES));
    DO(cuTexRefSetAddressMode(ref, 0, CU_TR_ADDRESS_MODE_WRAP));
    DO(cuTexRefSetArray(ref, b, CU_TRSA_OVERRIDE_FORMAT));
    DO(cuModuleGetSurfRef(&canvas, m, "canvas"));
    DO(cuSurfRefSetArray(canvas, b, 0));
    DO(cuParamSetTexRef(by_reference, CU_PARAM_TR_DEFAULT, ref));
    CHECK(cuParamSetTexRef(by_reference, 0, ref) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetTexRef(by_reference, CU_PARAM_TR_DEFAULT, nullptr) == CUDA_ERROR_INVALID_VALUE);
    h.dstY = 0, h.dstArray = b;
    DO(cuMemcpy2D(&h));
    DO(cuLaunchKernel(by_reference, 1, 1, 1, W, 1, 1, 0, 0, one, nullptr));
    DO(cuMemcpyDtoH(got, out, W * sizeof(float)));
    for (int i = 0; i < W; i++) /* y = 0.5 normalised: row 2 */
        CHECK(got[0][i] == v[2][i] / 255.0f);
    CUDA_MEMCPY2D row = {};
    row.srcMemoryType = CU_MEMORYTYPE_ARRAY, row.srcArray = b, row.srcY = 3;
    row.dstMemoryType = CU_MEMORYTYPE_HOST, row.dstHost = w;
    row.WidthInBytes = W, row.Height = 1;
    DO(cuMemcpy2D(&row));
    CHECK(w[0][0] == 77 && w[0][W - 1] == 77);

    CUmipmappedArray        mip;
    CUDA_ARRAY3D_DESCRIPTOR levels = {16, 8, 0, CU_AD_FORMAT_FLOAT, 2, 0};
    DO(cuMipmappedArrayCreate(&mip, &levels, 3));
    CUarray level;
    DO(cuMipmappedArrayGetLevel(&level, mip, 2));
    DO(cuArray3DGetDescriptor(&back, level));
    CHECK(back.Width == 4 && back.Height == 2 && back.NumChannels == 2 && back.Format == CU_AD_FORMAT_FLOAT);
    DO(cuMipmappedArrayDestroy(mip));
    DO(cuMemsetD2D16(p, 64, 0x1234, 3, 5));
    unsigned short two[2];
    DO(cuMemcpyDtoH(two, p + 4 * 64 + 4, 4));
    CHECK(two[0] == 0x1234 && two[1] != 0x1234);
    DO(cuArrayDestroy(a));
    DO(cuArrayDestroy(b));
    DO(cuCtxPopCurrent(&c));
    return passed();
}
