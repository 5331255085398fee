/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernels claim about memory, counted by the emulator: from the vector rung on no shared access conflicts, in any
 * layout; stores of aligned full tiles fill whole sectors (products, and A * A^T of few columns); the copy of aligned bytes is whole
 * vectors, and one of others at most a vector more for each warp. */
#include "blas_fixture.h"

#include "blas/blas.h"
#include "kernels/kernels.h"

static const WwCounters *counted(void)
{
    assert_non_null(blas->result);
    return ww_result_counters(blas->result);
}

static void begin(void)
{
    blas->observe = WW_OBSERVE_COUNTERS;
    blas->keep    = true;
}

/* clang moves a copied vector in two halves: what is counted by the instruction is nvcc's to keep. */
static bool vectors_stay(void)
{
    return strcmp(kernel_compiler(0), "nvcc") == 0;
}

static uint64_t conflicts(const WwCounters *c)
{
    uint64_t sum   = 0;
    size_t   found = 0;
    for (size_t i = 0; i < ww_counter_count(); i++)
        if (strstr(ww_counter_name(i), "bank_conflicts") && (vectors_stay() || !strstr(ww_counter_name(i), "_ptx"))) {
            sum += ww_counter_value(c, i);
            found++;
        }
    assert_true(found >= 2);
    return sum;
}

static uint64_t value(const char *name)
{
    const WwCounters *c = counted();
    for (size_t i = 0; i < ww_counter_count(); i++)
        if (strcmp(ww_counter_name(i), name) == 0)
            return ww_counter_value(c, i);
    fail_msg("no counter %s", name);
    return 0;
}

static void gemm_has_no_conflicts(void **state)
{
    static const char *const rungs[] = {
        "tile",       "small", "vector", "ahead",      "large",      "wide",  "stream", "tensor",     "little",
        "middle",     "thin",  "slim",   "row",        "col",        "flat",  "flow",   "even",       "even_high",
        "even_large", "comb",  "weave",  "weave_thin", "weave_slim", "sheet", "brief",  "brief_wide", "fit"};
    enum { M = 256, N = 128, K = 72 };
    uint64_t seed = 1;
    (void)state;
    begin();
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (unsigned how = 0; how < 4; how++) {
            Mat a = mat_new(how & 1 ? K : M, how & 1 ? M : K, 0, false, 0),
                b = mat_new(how & 2 ? N : K, how & 2 ? K : N, 0, false, 0);
            Mat c = mat_new(M, N, 0, false, 0);
            mat_random(&a, WW_F32, &seed);
            mat_random(&b, WW_F32, &seed);
            bool built = works_if_built(ww_gemm(blas, &(WwGemm){.trans_a   = how & 1,
                                                                .trans_b   = how & 2,
                                                                .m         = M,
                                                                .n         = N,
                                                                .k         = K,
                                                                .alpha.f32 = 1,
                                                                .a         = a.p,
                                                                .b         = b.p,
                                                                .c         = c.p,
                                                                .lda       = a.ld,
                                                                .ldb       = b.ld,
                                                                .ldc       = c.ld,
                                                                .rung      = rungs[r]}));
            if (built && conflicts(counted()) != 0)
                fail_msg("%s, transposes %u: %llu bank conflicts", rungs[r], how,
                         (unsigned long long)conflicts(counted()));
            if (built && !rung_find("gemm", rungs[r])->stream && vectors_stay())
                assert_int_equal(value("global_st_sectors") * 32, M * N * 4);
            mat_free(&a);
            mat_free(&b);
            mat_free(&c);
        }
}

static void aat_has_no_conflicts(void **state)
{
    enum { N = 256, K = 8 };
    uint64_t seed = 2;
    (void)state;
    begin();
    for (size_t r = 0; ww_blas_rung("aat", r); r++)
        for (int trans = 0; trans < 2; trans++) {
            Mat a = mat_new(trans ? K : N, trans ? N : K, 0, false, 0), c = mat_new(N, N, 0, false, 0);
            mat_random(&a, WW_F32, &seed);
            if (works_if_built(ww_syrk(blas, &(WwSyrk){.trans     = trans,
                                                       .n         = N,
                                                       .k         = K,
                                                       .alpha.f32 = 1,
                                                       .a         = a.p,
                                                       .c         = c.p,
                                                       .lda       = a.ld,
                                                       .ldc       = c.ld,
                                                       .rung      = ww_blas_rung("aat", r)}))) {
                if (conflicts(counted()) != 0)
                    fail_msg("%s, trans %d: %llu bank conflicts", ww_blas_rung("aat", r), trans,
                             (unsigned long long)conflicts(counted()));
                if (strcmp(ww_blas_rung("aat", r), "skinny") == 0)
                    assert_int_equal(value("global_st_sectors") * 32, N * N * 4);
            }
            mat_free(&a);
            mat_free(&c);
        }
}

static void long_has_no_conflicts(void **state)
{
    enum { M = 128, N = 64, K = 24 };
    WwPtr p;
    (void)state;
    begin();
    assert_works(ww_alloc(device, 1 << 17, &p));
    assert_works(ww_fill(device, p, 3, 1 << 17));
    for (unsigned how = 0; how < 4; how++) {
        assert_works(ww_gemm(blas, &(WwGemm){.type      = WW_I32_I64,
                                             .trans_a   = how & 1,
                                             .trans_b   = how & 2,
                                             .m         = M,
                                             .n         = N,
                                             .k         = K,
                                             .alpha.i64 = 1,
                                             .a         = p,
                                             .b         = p + M * K * 4,
                                             .c         = p + (1 << 16),
                                             .lda       = how & 1 ? M : K,
                                             .ldb       = how & 2 ? K : N,
                                             .ldc       = N}));
        assert_int_equal(conflicts(counted()), 0);
    }
    assert_works(ww_free(device, p));
}

static void transposed_copies_have_no_conflicts(void **state)
{
    WwPtr p;
    (void)state;
    begin();
    assert_works(ww_alloc(device, 1 << 19, &p));
    assert_works(ww_fill(device, p, 3, 1 << 18));
    for (size_t e = 1; e <= 16; e *= 2) {
        assert_works(ww_blas_copy_matrix(blas, &(WwCopy){e, true, 96, 128, p, p + (1 << 18), 128, 96}));
        assert_int_equal(conflicts(counted()), 0);
    }
    assert_works(ww_free(device, p));
}

static void copies_are_vectors(void **state)
{
    enum { BYTES = 8192, WARP = 32 * 16 };
    WwPtr p;
    (void)state;
    if (!vectors_stay()) {
        print_message("skipped: these kernels were built by clang, which splits vectors\n");
        skip();
    }
    begin();
    assert_works(ww_alloc(device, 4 * BYTES, &p));
    assert_works(ww_fill(device, p, 3, 4 * BYTES));
    for (size_t off = 0; off < 16; off++) {
        assert_works(ww_blas_copy(blas, p + 2 * BYTES, p + off, BYTES));
        uint64_t ends = off ? 3 : 0; /* requests for the bytes before and behind */
        assert_in_range(value("global_st_requests"), BYTES / WARP, BYTES / WARP + ends);
        assert_in_range(value("global_st_sectors"), BYTES / 32, BYTES / 32 + (off ? BYTES / WARP + ends : 0));
        assert_in_range(value("global_ld_requests"), BYTES / WARP, (off ? 2u : 1u) * BYTES / WARP + ends);
    }
    assert_works(ww_free(device, p));
}

/* The ceiling's kernels compute what they say. */
static void peaks(void **state)
{
    enum { ROUNDS = 3, CHAINS = 16, STEPS = 16, ID = 5 };
    float    fa = 0.75f, fb = 0.5f, f = 0, got_f, xf[CHAINS];
    uint32_t ia = 5, ib = 3, u = 0, got_u, xu[CHAINS];
    uint64_t w      = 0, got_w, xw[CHAINS];
    int      rounds = ROUNDS;
    WwPtr    out;
    (void)state;
    for (unsigned i = 0; i < CHAINS; i++) {
        xf[i] = (float)(ID + i);
        xu[i] = ID + i;
        xw[i] = ID + i;
    }
    for (int r = 0; r < ROUNDS * STEPS; r++)
        for (int i = 0; i < CHAINS; i++) {
            xf[i] = fmaf(xf[i], fa, fb);
            xu[i] = xu[i] * ia + ib;
            xw[i] += (uint64_t)((int64_t)(int32_t)(uint32_t)xw[(i + 1) % CHAINS] * (int32_t)ia);
        }
    for (int i = 0; i < CHAINS; i++) {
        f += xf[i];
        u += xu[i];
        w += xw[i];
    }
    assert_works(ww_alloc(device, 256 * 8, &out));
    WwLaunch of_float = {{1, 1, 1}, {256, 1, 1}, .args = (void *[]){&out, &fa, &fb, &rounds}, .arg_count = 4};
    WwLaunch of_int   = {{1, 1, 1}, {256, 1, 1}, .args = (void *[]){&out, &ia, &ib, &rounds}, .arg_count = 4};
    assert_works(blas_launch(blas, "peak_f32", &of_float));
    assert_works(ww_copy_out(device, &got_f, out + ID * 4, 4));
    assert_true(got_f == f);
    assert_works(blas_launch(blas, "peak_i32", &of_int));
    assert_works(ww_copy_out(device, &got_u, out + ID * 4, 4));
    assert_int_equal(got_u, u);
    assert_works(blas_launch(blas, "peak_i64", &of_int));
    assert_works(ww_copy_out(device, &got_w, out + ID * 8, 8));
    assert_true(got_w == w);
    assert_works(ww_free(device, out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_has_no_conflicts), cmocka_unit_test(aat_has_no_conflicts),
        cmocka_unit_test(long_has_no_conflicts), cmocka_unit_test(transposed_copies_have_no_conflicts),
        cmocka_unit_test(copies_are_vectors),    cmocka_unit_test(peaks)};
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
