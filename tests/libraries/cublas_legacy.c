/* SPDX-License-Identifier: Apache-2.0
 *
 * cuBLAS as it was before CUDA 4 (cublas.h): no handle, letters, factors by value, results returned.  Compared with plain loops. */
#include <cublas.h>

#include "common.h"

enum { N = 5 };

static void all(void)
{
    float a[N * N], b[N * N], c[N * N], x[N], y[N], *da = NULL, *db = NULL, *dc = NULL;
    GOOD(cublasAlloc(N * N, 4, (void **)&da)); /* before cublasInit: the first call makes the handle */
    GOOD(cublasInit());
    GOOD(cublasAlloc(N * N, 4, (void **)&db));
    GOOD(cublasAlloc(N * N, 4, (void **)&dc));
    for (int i = 0; i < N * N; i++)
        a[i] = (float)random_number(), b[i] = (float)random_number();
    GOOD(cublasSetMatrix(N, N, 4, a, N, da, N));
    GOOD(cublasSetMatrix(N, N, 4, b, N, db, N));
    cublasSgemm('n', 'T', N, N, N, 2, da, N, db, N, 0, dc, N);
    GOOD(cublasGetError());
    GOOD(cublasGetMatrix(N, N, 4, dc, N, c, N));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += 2 * a[k * N + i] * b[k * N + j];
            EXPECT(near(c[j * N + i], sum, 1e-5));
        }
    float dot = 0, most = 0;
    int   at = 0;
    for (int i = 0; i < N; i++) {
        dot += a[i] * b[i];
        if (fabsf(a[i]) > most)
            most = fabsf(a[i]), at = i + 1;
    }
    EXPECT(near(cublasSdot(N, da, 1, db, 1), dot, 1e-5));
    EXPECT(cublasIsamax(N, da, 1) == at);
    cuComplex z = cublasCdotc(2, (cuComplex *)da, 1, (cuComplex *)da, 1);
    EXPECT(near(z.x, a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3], 1e-5) && near(z.y, 0, 1e-6));
    cublasStrmm('L', 'L', 'N', 'U', N, N, 1, da, N, db, N); /* in place, and back again */
    cublasStrsm('L', 'L', 'N', 'U', N, N, 1, da, N, db, N);
    GOOD(cublasGetMatrix(N, N, 4, db, N, c, N));
    for (int i = 0; i < N * N; i++)
        EXPECT(near(c[i], b[i], 1e-4));
    cublasSsyr('U', N, 0.5f, da, 1, db, N);
    cublasSgemv('N', N, N, 1, da, N, db, 1, 0, dc, 1);
    GOOD(cublasGetVector(N, 4, db, 1, x, 1));
    GOOD(cublasGetVector(N, 4, dc, 1, y, 1));
    EXPECT(near(x[0], b[0] + 0.5f * a[0] * a[0], 1e-4));
    cuComplex g = {3, 4}, other = {0, 0}, s;
    float     cosine;
    cublasCrotg(&g, other, &cosine, &s);
    EXPECT(cosine == 1 && g.x == 3 && s.x == 0);
    GOOD(cublasGetError());
    cublasSgemm('x', 'N', N, N, N, 1, da, N, db, N, 0, dc, N);
    EXPECT(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasGetError()); /* told once */
    GOOD(cublasShutdown());
    EXPECT(near(cublasSdot(N, da, 1, da, 1), cublasSdot(N, da, 1, da, 1), 0)); /* after it: a new one */
    GOOD(cublasGetError());
    GOOD(cublasFree(da)), GOOD(cublasFree(db)), GOOD(cublasFree(dc));
    GOOD(cublasShutdown());
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"all", all}};
    return run_parts(parts, 1, argc, argv);
}
