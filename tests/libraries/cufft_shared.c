/* SPDX-License-Identifier: Apache-2.0
 *
 * cuFFT's plans over several devices, and numbers of 16 bits, beside plans of one device in float: what descriptors hold, in which order, and what
 * wrong calls answer.  cufft_shared WHAT: shared, parts, narrow, statuses. */
#include <cufftXt.h>
#include <stdbool.h>

#include "common.h"

enum { MOST = 1 << 13 };

typedef struct Shape {
    int rank, n[3], batch;
} Shape;

static const Shape shapes[] = {{1, {64, 1, 1}, 1}, {1, {37, 1, 1}, 1}, {1, {16, 1, 1}, 5}, {2, {6, 8, 1}, 1},
                               {2, {5, 7, 1}, 1},  {3, {4, 6, 10}, 1}, {3, {3, 5, 7}, 1},  {3, {4, 2, 6}, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static cufftHandle plan(const Shape *s, cufftType type, int devices, int *which)
{
    cufftHandle h;
    size_t      work[16] = {1, 1, 1, 1};
    EXPECT(cufftCreate(&h) == CUFFT_SUCCESS);
    if (devices)
        EXPECT(cufftXtSetGPUs(h, devices, which) == CUFFT_SUCCESS);
    EXPECT(cufftMakePlanMany(h, s->rank, (int *)s->n, NULL, 1, 0, NULL, 1, 0, type, s->batch, work) == CUFFT_SUCCESS);
    for (int i = 0; i < devices; i++)
        EXPECT(work[i] == 0);
    return h;
}

/* Numbers of one side; padded: of a transform in place, whose real side is as wide as the complex one. */
static size_t numbers(const Shape *s, bool real, bool half, bool padded)
{
    size_t last = (size_t)s->n[s->rank - 1], all = (size_t)s->batch;
    for (int i = 0; i < s->rank - 1; i++)
        all *= (size_t)s->n[i];
    return all * (real ? padded ? 2 * (last / 2 + 1) : last : 2 * (half ? last / 2 + 1 : last));
}

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(2 * random_number());
}

static void close_to(const float *x, const float *y, size_t n, float bound)
{
    float worst = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(x[i] - y[i]) <= worst))
            worst = fabsf(x[i] - y[i]);
    EXPECT(worst <= bound);
}

/* The same by one device. */
static void alone(const Shape *s, cufftType type, int sign, const float *in, size_t nin, float *out, size_t nout,
                  bool in_place)
{
    cufftHandle h = plan(s, type, 0, NULL);
    void       *a, *b;
    EXPECT(cudaMalloc(&a, MOST * 4) == cudaSuccess && cudaMalloc(&b, MOST * 4) == cudaSuccess);
    EXPECT(cudaMemcpy(a, in, nin * 4, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cufftXtExec(h, a, in_place ? a : b, sign) == CUFFT_SUCCESS);
    EXPECT(cudaMemcpy(out, in_place ? a : b, nout * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    cudaFree(a);
    cudaFree(b);
    EXPECT(cufftDestroy(h) == CUFFT_SUCCESS);
}

static void complex_there_and_back(const Shape *s, int devices, int *which)
{
    static float   in[MOST], out[MOST], ref[MOST];
    size_t         n = numbers(s, false, false, false);
    cufftHandle    h = plan(s, CUFFT_C2C, devices, which);
    cudaLibXtDesc *d, *natural;
    fill(in, n);
    EXPECT(cufftXtMalloc(h, &d, CUFFT_XT_FORMAT_INPLACE) == CUFFT_SUCCESS &&
           cufftXtMalloc(h, &natural, CUFFT_XT_FORMAT_INPLACE) == CUFFT_SUCCESS);
    EXPECT(d->descriptor->nGPUs == (devices ? devices : 1) && d->subFormat == CUFFT_XT_FORMAT_INPLACE);
    EXPECT(cufftXtMemcpy(h, d, in, CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS);
    EXPECT(cufftXtExecDescriptorC2C(h, d, d, CUFFT_FORWARD) == CUFFT_SUCCESS);
    EXPECT(d->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
    EXPECT(cufftXtMemcpy(h, out, d, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS);
    alone(s, CUFFT_C2C, CUFFT_FORWARD, in, n, ref, n, true);
    close_to(out, ref, n, 1e-4f);
    EXPECT(cufftXtMemcpy(h, natural, d, CUFFT_COPY_DEVICE_TO_DEVICE) == CUFFT_SUCCESS &&
           natural->subFormat == CUFFT_XT_FORMAT_INPLACE);
    memset(out, 0, sizeof out);
    EXPECT(cufftXtMemcpy(h, out, natural, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS);
    close_to(out, ref, n, 1e-4f);
    EXPECT(cufftXtExecDescriptor(h, d, d, CUFFT_INVERSE) == CUFFT_SUCCESS && d->subFormat == CUFFT_XT_FORMAT_INPLACE);
    EXPECT(cufftXtMemcpy(h, out, d, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS);
    float scale = (float)(n / 2 / (size_t)s->batch);
    for (size_t i = 0; i < n; i++)
        out[i] /= scale;
    close_to(out, in, n, 1e-5f);
    EXPECT(cufftXtFree(d) == CUFFT_SUCCESS && cufftXtFree(natural) == CUFFT_SUCCESS &&
           cufftDestroy(h) == CUFFT_SUCCESS);
}

/* Real numbers, in place and not. */
static void real_there_and_back(const Shape *s, int devices, int *which, bool in_place)
{
    static float   in[MOST], out[MOST], ref[MOST];
    size_t         n = numbers(s, true, false, in_place), m = numbers(s, false, true, false);
    cufftHandle    there = plan(s, CUFFT_R2C, devices, which), back = plan(s, CUFFT_C2R, devices, which);
    cudaLibXtDesc *a, *b                                            = NULL;
    fill(in, n);
    EXPECT(cufftXtMalloc(there, &a, in_place ? CUFFT_XT_FORMAT_INPLACE : CUFFT_XT_FORMAT_INPUT) == CUFFT_SUCCESS);
    if (!in_place)
        EXPECT(cufftXtMalloc(there, &b, CUFFT_XT_FORMAT_OUTPUT) == CUFFT_SUCCESS);
    EXPECT(cufftXtMemcpy(there, a, in, CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS);
    EXPECT(cufftXtExecDescriptorR2C(there, a, b ? b : a) == CUFFT_SUCCESS);
    EXPECT(cufftXtMemcpy(there, out, b ? b : a, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS);
    alone(s, CUFFT_R2C, CUFFT_FORWARD, in, n, ref, m, in_place);
    close_to(out, ref, m, 1e-4f);
    if (in_place) {
        EXPECT(cufftXtExecDescriptorC2R(back, a, a) == CUFFT_SUCCESS);
        memcpy(ref, out, m * 4);
        static float again[MOST];
        EXPECT(cufftXtMemcpy(back, out, a, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS);
        alone(s, CUFFT_C2R, CUFFT_INVERSE, ref, m, again, n, true);
        for (size_t i = 0, row = 2 * (size_t)(s->n[s->rank - 1] / 2 + 1); i < n; i++)
            if (i % row >= (size_t)s->n[s->rank - 1]) /* padding is anything */
                out[i] = again[i] = 0;
        close_to(out, again, n, 1e-3f);
    }
    if (b)
        EXPECT(cufftXtFree(b) == CUFFT_SUCCESS);
    EXPECT(cufftXtFree(a) == CUFFT_SUCCESS && cufftDestroy(there) == CUFFT_SUCCESS &&
           cufftDestroy(back) == CUFFT_SUCCESS);
}

static void shared(void)
{
    int two[] = {0, 1}, three[] = {1, 0, 1}, same[] = {0, 0};
    for (size_t i = 0; i < SHAPES; i++) {
        complex_there_and_back(&shapes[i], 2, two);
        complex_there_and_back(&shapes[i], 3, three);
        complex_there_and_back(&shapes[i], 0, NULL);
        real_there_and_back(&shapes[i], 2, two, true);
        real_there_and_back(&shapes[i], 3, three, false);
        real_there_and_back(&shapes[i], 2, same, true);
    }
}

/* What lies on which device: whole first indices before, second ones behind. */
static void parts(void)
{
    static float in[MOST], out[MOST], part[MOST];
    const Shape *s       = &shapes[5];
    int          which[] = {1, 0};
    size_t       n = numbers(s, false, false, false), rows = (size_t)s->n[0], columns = (size_t)s->n[1],
           unit      = 2 * (size_t)s->n[2];
    cufftHandle    h = plan(s, CUFFT_C2C, 2, which);
    cudaLibXtDesc *d;
    fill(in, n);
    EXPECT(cufftXtMalloc(h, &d, CUFFT_XT_FORMAT_INPLACE) == CUFFT_SUCCESS);
    EXPECT(cufftXtMemcpy(h, d, in, CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS);
    for (int g = 0; g < 2; g++) {
        struct cudaPointerAttributes of;
        EXPECT(cudaPointerGetAttributes(&of, d->descriptor->data[g]) == cudaSuccess && of.device == which[g]);
        EXPECT(d->descriptor->GPUs[g] == which[g] && d->descriptor->size[g] == n * 2);
        EXPECT(cudaMemcpy(part, d->descriptor->data[g], n * 2, cudaMemcpyDeviceToHost) == cudaSuccess);
        EXPECT(!memcmp(part, in + (size_t)g * n / 2, n * 2));
    }
    EXPECT(cufftXtExecDescriptorC2C(h, d, d, CUFFT_FORWARD) == CUFFT_SUCCESS);
    EXPECT(cufftXtMemcpy(h, out, d, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS);
    for (size_t g = 0; g < 2; g++) {
        EXPECT(cudaMemcpy(part, d->descriptor->data[g], n * 2, cudaMemcpyDeviceToHost) == cudaSuccess);
        for (size_t x = 0; x < rows; x++)
            EXPECT(!memcmp(part + x * columns / 2 * unit, out + (x * columns + g * columns / 2) * unit,
                           columns / 2 * unit * 4));
    }
    EXPECT(cufftXtFree(d) == CUFFT_SUCCESS && cufftDestroy(h) == CUFFT_SUCCESS);
}

static float from16(uint16_t x, bool bf)
{
    uint32_t bits = (uint32_t)x << 16;
    float    wide;
    memcpy(&wide, &bits, sizeof wide);
    int   e = x >> 10 & 31, m = x & 0x3ff;
    float half = e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);
    return bf ? wide : x & 0x8000 ? -half : half;
}

/* Of a number that has an exact one, but for subnormal ones. */
static uint16_t to16(float x, bool bf)
{
    uint32_t bits;
    int      e;
    memcpy(&bits, &x, sizeof bits);
    float m = frexpf(fabsf(x), &e);
    return (uint16_t)(bf       ? bits >> 16
                      : x == 0 ? 0
                               : (bits >> 31) << 15 | (uint32_t)(e + 14) << 10 | ((uint32_t)(m * 2048) & 0x3ff));
}

static void narrow_case(const Shape *s, cufftType type, bool bf)
{
    static float    in[MOST], ref[MOST], out[MOST];
    static uint16_t packed[MOST];
    bool            real_in = type == CUFFT_R2C, real_out = type == CUFFT_C2R;
    size_t          n = numbers(s, real_in, real_out, false), m = numbers(s, real_out, real_in, false), work = 1;
    cudaDataType    real = bf ? CUDA_R_16BF : CUDA_R_16F, complex = bf ? CUDA_C_16BF : CUDA_C_16F;
    long long       size[3] = {s->n[0], s->n[1], s->n[2]};
    cufftHandle     h;
    void           *a, *b;
    fill(in, n);
    for (size_t i = 0; i < n; i++) {
        packed[i] = to16(in[i] = (float)(int)(in[i] * 64) / 64, bf);
        EXPECT(from16(packed[i], bf) == in[i]);
    }
    EXPECT(cudaMalloc(&a, MOST * 2) == cudaSuccess && cudaMalloc(&b, MOST * 2) == cudaSuccess);
    EXPECT(cudaMemcpy(a, packed, n * 2, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cufftCreate(&h) == CUFFT_SUCCESS);
    EXPECT(cufftXtMakePlanMany(h, s->rank, size, NULL, 1, 0, real_in ? real : complex, NULL, 1, 0,
                               real_out ? real : complex, s->batch, &work, complex) == CUFFT_SUCCESS &&
           work == 0);
    EXPECT(cufftXtExec(h, a, b, CUFFT_FORWARD) == CUFFT_SUCCESS);
    EXPECT(cudaMemcpy(packed, b, m * 2, cudaMemcpyDeviceToHost) == cudaSuccess);
    alone(s, type, CUFFT_FORWARD, in, n, ref, m, false);
    for (size_t i = 0; i < m; i++) {
        out[i] = from16(packed[i], bf);
        EXPECT(fabsf(out[i] - ref[i]) <= fabsf(ref[i]) / (bf ? 256 : 2048) + 1e-5f); /* one rounding */
    }
    EXPECT(cufftDestroy(h) == CUFFT_SUCCESS);
    cudaFree(a);
    cudaFree(b);
}

static void narrow(void)
{
    static const Shape     two[]   = {{1, {64, 1, 1}, 3}, {2, {8, 16, 1}, 1}, {3, {4, 2, 8}, 2}};
    static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R};
    for (int i = 0; i < 18; i++)
        narrow_case(&two[i % 3], types[i / 3 % 3], i >= 9);
}

static void statuses(void)
{
    static float   x[256];
    int            two[] = {0, 1}, none[] = {0, 2};
    long long      eight = 8, six = 6, value = 5;
    size_t         work[16];
    cufftHandle    h, f;
    cudaLibXtDesc *d = NULL, *e, *wide;
    const Shape    s = {2, {4, 4, 1}, 1};
    EXPECT(cufftCreate(&h) == CUFFT_SUCCESS);
    EXPECT(cufftXtSetGPUs(99, 2, two) == CUFFT_INVALID_PLAN && cufftXtSetGPUs(h, 2, none) == CUFFT_INVALID_DEVICE);
    EXPECT(cufftXtSetGPUs(h, 0, two) == CUFFT_INVALID_VALUE && cufftXtSetGPUs(h, 17, two) == CUFFT_INVALID_VALUE);
    EXPECT(cufftXtSetGPUs(h, 2, NULL) == CUFFT_INVALID_VALUE &&
           cufftXtMalloc(h, &d, CUFFT_XT_FORMAT_INPLACE) == CUFFT_INVALID_PLAN);
    EXPECT(cufftSetPlanPropertyInt64(h, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1) == CUFFT_SUCCESS);
    EXPECT(cufftGetPlanPropertyInt64(h, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &value) == CUFFT_SUCCESS && value == 1);
    EXPECT(cufftResetPlanProperty(h, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT) == CUFFT_SUCCESS);
    EXPECT(cufftGetPlanPropertyInt64(h, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &value) == CUFFT_SUCCESS && value == 0);
    EXPECT(cufftSetPlanPropertyInt64(h, (cufftProperty)9, 1) == CUFFT_INVALID_VALUE);
    EXPECT(cufftXtMakePlanMany(h, 1, &six, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_16F, 1, work, CUDA_C_16F) ==
           CUFFT_INVALID_SIZE);
    EXPECT(cufftXtMakePlanMany(h, 1, &eight, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_32F, 1, work, CUDA_C_32F) ==
           CUFFT_INVALID_TYPE);
    EXPECT(cufftXtMakePlanMany(h, 1, &eight, &eight, 2, 8, CUDA_R_16F, &eight, 1, 8, CUDA_C_16F, 1, work, CUDA_C_16F) ==
           CUFFT_NOT_SUPPORTED);
    EXPECT(cufftXtGetSizeMany(h, 1, &eight, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_16F, 1, work, CUDA_C_16F) ==
               CUFFT_SUCCESS &&
           work[0] == 0);
    EXPECT(cufftXtSetWorkAreaPolicy(h, CUFFT_WORKAREA_MINIMAL, work) == CUFFT_SUCCESS &&
           cufftXtSetWorkAreaPolicy(h, (cufftXtWorkAreaPolicy)7, work) == CUFFT_INVALID_VALUE);
    EXPECT(cufftDestroy(h) == CUFFT_SUCCESS);
    h = plan(&s, CUFFT_C2C, 2, two);
    f = plan(&s, CUFFT_C2C, 0, NULL);
    EXPECT(cufftXtSetGPUs(h, 2, two) == CUFFT_INVALID_PLAN);
    EXPECT(cufftGetSize(h, work) == CUFFT_SUCCESS && work[0] == 0 && work[1] == 0);
    EXPECT(cufftExecC2C(h, (cufftComplex *)x, (cufftComplex *)x, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    EXPECT(cufftXtMalloc(h, &d, (cufftXtSubFormat)9) == CUFFT_INVALID_VALUE &&
           cufftXtMalloc(h, NULL, CUFFT_XT_FORMAT_INPLACE) == CUFFT_INVALID_VALUE);
    EXPECT(cufftXtMalloc(h, &d, CUFFT_XT_FORMAT_INPUT) == CUFFT_SUCCESS &&
           cufftXtMalloc(h, &e, CUFFT_XT_FORMAT_OUTPUT) == CUFFT_SUCCESS);
    EXPECT(cufftXtMalloc(f, &wide, CUFFT_XT_FORMAT_INPLACE) == CUFFT_SUCCESS);
    EXPECT(cufftXtMemcpy(h, d, NULL, CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_INVALID_VALUE &&
           cufftXtMemcpy(h, x, x, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_INVALID_VALUE);
    EXPECT(cufftXtMemcpy(h, d, x, CUFFT_COPY_UNDEFINED) == CUFFT_INVALID_VALUE &&
           cufftXtMemcpy(h, wide, x, CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_INVALID_VALUE);
    EXPECT(cufftXtMemcpy(h, d, x, CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS);
    EXPECT(cufftXtExecDescriptorC2C(h, d, d, CUFFT_FORWARD) ==
           CUFFT_INVALID_VALUE); /* in place only where it is allocated so */
    EXPECT(cufftXtExecDescriptorC2C(h, d, wide, CUFFT_FORWARD) == CUFFT_INVALID_VALUE &&
           cufftXtExecDescriptorC2C(h, e, d, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
    EXPECT(cufftXtExecDescriptorC2C(h, d, e, 0) == CUFFT_INVALID_VALUE &&
           cufftXtExecDescriptorR2C(h, d, e) == CUFFT_INVALID_TYPE);
    EXPECT(cufftXtExecDescriptorC2C(h, NULL, e, CUFFT_FORWARD) == CUFFT_INVALID_VALUE &&
           cufftXtExecDescriptorC2C(99, d, e, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    EXPECT(cufftXtExecDescriptorC2C(h, d, e, CUFFT_FORWARD) == CUFFT_SUCCESS &&
           cufftXtMemcpy(h, x, e, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS);
    EXPECT(cufftXtFree(wide) == CUFFT_SUCCESS && cufftXtFree(d) == CUFFT_SUCCESS &&
           cufftXtFree(d) == CUFFT_INVALID_VALUE && cufftXtFree(NULL) == CUFFT_INVALID_VALUE);
    EXPECT(cufftXtFree(e) == CUFFT_SUCCESS && cufftDestroy(h) == CUFFT_SUCCESS && cufftDestroy(f) == CUFFT_SUCCESS);
}

int main(int argc, char **argv)
{
    static const Part all[] = {{"shared", shared}, {"parts", parts}, {"narrow", narrow}, {"statuses", statuses}};
    return run_parts(all, sizeof all / sizeof *all, argc, argv);
}
