/* SPDX-License-Identifier: Apache-2.0
 *
 * ww_blas_copy and ww_blas_copy_matrix: all 64 x 64 offsets and every small size; every width of elements, as they are and transposed.
 * copy_words: two matrices in one launch.  Ranges end where their allocation ends, so the emulator stops at the first byte outside;
 * bytes in front and between rows are checked for change. */
#include "blas_fixture.h"

#include "blas/blas.h"

enum { SIZE = 4200, ROOM = SIZE + 64, MATRIX = 160000 };

static uint8_t data[ROOM], back[ROOM], many[MATRIX], result[MATRIX];

static void copy(size_t from, size_t to, size_t bytes)
{
    WwPtr src, dst;
    assert_works(ww_alloc(device, from + bytes, &src));
    assert_works(ww_alloc(device, to + bytes, &dst));
    assert_works(ww_copy_in(device, src, data, from + bytes));
    assert_works(ww_fill(device, dst, 0xee, to + bytes));
    assert_works(ww_blas_copy(blas, dst + to, src + from, bytes));
    assert_works(ww_copy_out(device, back, dst, to + bytes));
    for (size_t i = 0; i < to; i++)
        assert_int_equal(back[i], 0xee);
    if (memcmp(back + to, data + from, bytes) != 0)
        fail_msg("%zu bytes from offset %zu to offset %zu are not the source's", bytes, from, to);
    assert_works(ww_free(device, src));
    assert_works(ww_free(device, dst));
}

static void every_offset(void **state)
{
    (void)state;
    for (size_t from = 0; from < 64; from++)
        for (size_t to = 0; to < 64; to++)
            copy(from, to, 100 + (from * 7 + to) % 13);
}

static void every_small_size(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < 130; bytes++)
        for (size_t o = 0; o < 16; o += 3)
            copy(o, (o * 5 + bytes) % 16, bytes);
}

static void several_vectors(void **state)
{
    (void)state;
    for (size_t o = 0; o < 16; o++)
        copy(o, 11, SIZE - o);
}

static void refused(void **state)
{
    WwPtr p;
    (void)state;
    assert_works(ww_alloc(device, 64, &p));
    assert_int_equal(ww_blas_copy(blas, p, p + 8, 9), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "overlap"));
    assert_int_equal(ww_blas_copy(blas, 0, p, 9), WW_ERR_INVALID);
    assert_int_equal(ww_blas_copy(blas, p, UINT64_MAX - 3, 9), WW_ERR_INVALID);
    assert_int_equal(ww_blas_copy(blas, p, p + 8, 0), WW_OK);
    assert_works(ww_free(device, p));
}

/* rows x columns at `from` bytes into an allocation, to `to` bytes into another. */
static void matrix(const WwCopy *shape, size_t from, size_t to)
{
    WwCopy c     = *shape;
    size_t lines = c.trans ? c.columns : c.rows, length = c.trans ? c.rows : c.columns, e = c.element;
    size_t in = ((c.rows - 1) * c.ld_src + c.columns) * e, out = ((lines - 1) * c.ld_dst + length) * e;
    WwPtr  src, dst;
    assert_in_range(in + from, 1, MATRIX);
    assert_in_range(out + to, 1, MATRIX);
    assert_works(ww_alloc(device, from + in, &src));
    assert_works(ww_alloc(device, to + out, &dst));
    assert_works(ww_copy_in(device, src, many, from + in));
    assert_works(ww_fill(device, dst, 0xee, to + out));
    c.src = src + from;
    c.dst = dst + to;
    assert_works(ww_blas_copy_matrix(blas, &c));
    assert_works(ww_copy_out(device, result, dst, to + out));
    for (size_t i = 0; i < to + out; i++) {
        size_t at = (i - to) / e, line = at / c.ld_dst, k = at % c.ld_dst, row = c.trans ? k : line,
               col  = c.trans ? line : k;
        bool inside = i >= to && k < length;
        if (result[i] != (inside ? many[from + (row * c.ld_src + col) * e + (i - to) % e] : 0xee))
            fail_msg("%zu x %zu of %zu bytes%s, ld %zu to %zu, offsets %zu to %zu: byte %zu", c.rows, c.columns, e,
                     c.trans ? " transposed" : "", c.ld_src, c.ld_dst, from, to, i);
    }
    assert_works(ww_free(device, src));
    assert_works(ww_free(device, dst));
}

static void matrices(void **state)
{
    static const size_t shape[][2] = {{1, 1}, {1, 40}, {33, 1}, {31, 65}, {64, 64}, {67, 130}};
    static const size_t width[]    = {1, 2, 4, 8, 16, 3, 12};
    (void)state;
    for (size_t w = 0; w < sizeof width / sizeof *width; w++)
        for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
            for (int trans = 0; trans < (w < 5 ? 2 : 1); trans++)
                for (size_t extra = 0; extra < 3; extra += 2) {
                    size_t rows = shape[s][0], columns = shape[s][1], e = width[w];
                    WwCopy c = {e, trans, rows, columns, 0, 0, columns + extra, (trans ? rows : columns) + extra / 2};
                    matrix(&c, e, 2 * e);
                    matrix(&c, 0, 0);
                    if (!trans)
                        matrix(&c, 5, 14);
                }
    for (size_t w = 0; w < 5; w++) /* whole tiles of rows that begin on 16 bytes, and what is left beside them */
        matrix(width[w] < 4 ? &(WwCopy){width[w], true, 162, 131, 0, 0, 144, 176}
                            : &(WwCopy){width[w], true, 67, 50, 0, 0, 64, 80},
               0, 0);
}

/* Rows of every length between every two offsets of a vector, several to a block. */
static void rows(void **state)
{
    (void)state;
    for (size_t from = 0; from < 16; from++)
        for (size_t to = 0; to < 16; to++)
            matrix(&(WwCopy){1, false, 9, 1 + (from * 16 + to) % 97, 0, 0, 101, 103}, from, to);
    matrix(&(WwCopy){1, false, 3, 4999, 0, 0, 5000, 5001}, 3, 8);
    for (size_t r = 1; r < 70; r += 17) /* aligned ones */
        for (size_t vectors = 1; vectors < 600; vectors = vectors * 3 + 1)
            matrix(&(WwCopy){16, false, vectors > 99 ? 5 : r, vectors, 0, 0, vectors + 1, vectors + 2}, 16, 0);
}

typedef struct Side {
    WwPtr  at;
    size_t first, bytes;
} Side;

/* Room for `lines` rows of `length` words, ld words apart, that begins `first` words into an allocation and ends with it. */
static Side side_new(size_t lines, size_t length, size_t ld, size_t first, bool filled)
{
    Side s = {0, first, (first + (lines - 1) * ld + length) * 4};
    assert_in_range(s.bytes, 1, MATRIX);
    assert_works(ww_alloc(device, s.bytes, &s.at));
    assert_works(filled ? ww_copy_in(device, s.at, many, s.bytes) : ww_fill(device, s.at, 0xee, s.bytes));
    return s;
}

static void check_part(const CopyPart *p, Side to, size_t from_first)
{
    bool            trans  = p->how & COPY_TRANSPOSED;
    const uint32_t  poison = 0xeeeeeeee, *in = (const uint32_t *)(const void *)many;
    const uint32_t *got    = (const uint32_t *)(const void *)result;
    size_t          length = trans ? p->rows : p->columns;
    assert_works(ww_copy_out(device, result, to.at, to.bytes));
    for (size_t i = 0; i < to.bytes / 4; i++) {
        size_t   at = i - to.first, line = at / p->to_ld, k = at % p->to_ld, r = trans ? k : line, c = trans ? line : k;
        uint32_t want = i < to.first || k >= length ? poison : in[from_first + r * p->from_ld + c];
        if (got[i] != want)
            fail_msg("%u x %u%s, word %zu: %08x instead of %08x", p->rows, p->columns, trans ? " transposed" : "", i,
                     got[i], want);
    }
}

/* Both operands of a product, each turned or not, their rows aligned to 16 bytes or not, in one launch. */
static void two_at_once(void **state)
{
    static const size_t shape[][4] = {{67, 130, 5, 64}, {1, 1, 200, 3}, {64, 64, 64, 128}};
    (void)state;
    for (size_t s = 0; s < 3; s++)
        for (unsigned how = 0; how < 64; how++) {
            CopyPart part[2];
            Side     from[2], to[2];
            for (unsigned i = 0; i < 2; i++) {
                unsigned bits  = how >> (3 * i);
                bool     trans = bits & 1;
                size_t   rows = shape[s][2 * i], columns = shape[s][2 * i + 1], lines = trans ? columns : rows;
                size_t   length = trans ? rows : columns, from_ld = bits & 2 ? columns + 3 : (columns + 7) / 4 * 4;
                size_t   to_ld = bits & 4 ? length + 1 : (length + 7) / 4 * 4;
                from[i]        = side_new(rows, columns, from_ld, bits & 2 ? 1 : 4, true);
                to[i]          = side_new(lines, length, to_ld, bits & 4 ? 3 : 8, false);
                part[i]        = copy_part(trans, from[i].at + from[i].first * 4, from_ld, rows, columns,
                                           to[i].at + to[i].first * 4, to_ld);
            }
            assert_works(copy_parts(blas, "copy_words", part, 2));
            for (unsigned i = 0; i < 2; i++) {
                check_part(&part[i], to[i], from[i].first);
                assert_works(ww_free(device, from[i].at));
                assert_works(ww_free(device, to[i].at));
            }
        }
}

/* More rows of tiles than a part may have blocks: a block then goes on further down. */
static void few_blocks(void **state)
{
    (void)state;
    for (unsigned trans = 0; trans < 2; trans++) {
        size_t   ld   = trans ? 300 : 72;
        Side     from = side_new(300, 70, 72, 0, true), to = side_new(trans ? 70 : 300, trans ? 300 : 70, ld, 0, false);
        CopyPart p = copy_part(trans, from.at, 72, 300, 70, to.at, ld);
        assert_int_equal(p.blocks, 10);
        p.blocks = 4;
        assert_works(copy_parts(blas, "copy_words", &p, 1));
        check_part(&p, to, 0);
        assert_works(ww_free(device, from.at));
        assert_works(ww_free(device, to.at));
    }
}

static void refuse_copy(const WwCopy *good, WwCopy bad, const char *part)
{
    assert_works(ww_blas_copy_matrix(blas, good));
    assert_int_equal(ww_blas_copy_matrix(blas, &bad), WW_ERR_INVALID);
    if (!strstr(ww_device_error(device), part))
        fail_msg("\"%s\" is not in \"%s\"", part, ww_device_error(device));
}

static void refused_matrices(void **state)
{
    WwPtr p;
    (void)state;
    assert_works(ww_alloc(device, 4096, &p));
    assert_works(ww_fill(device, p, 0, 4096));
    WwCopy good = {4, true, 3, 4, p, p + 2048, 4, 3};
#define REFUSE(part, ...)                                                                                              \
    do {                                                                                                               \
        WwCopy bad = good;                                                                                             \
        __VA_ARGS__;                                                                                                   \
        refuse_copy(&good, bad, part);                                                                                 \
    } while (0)
    REFUSE("src is a null", bad.src = 0);
    REFUSE("dst is a null", bad.dst = 0);
    REFUSE("not aligned to the 4", bad.dst += 2);
    REFUSE("ld_src = 3 is less than the 4", bad.ld_src = 3);
    REFUSE("ld_dst = 2 is less than the 3", bad.ld_dst = 2);
    REFUSE("past the last address", bad.ld_src = SIZE_MAX / 8);
    REFUSE("dst begins where src does", bad.dst = bad.src);
    REFUSE("0 bytes", bad.element = 0);
    REFUSE("3 bytes cannot be transposed", bad.element = 3);
    REFUSE("more than can be transposed", bad.columns = bad.ld_src = (size_t)INT32_MAX);
    assert_int_equal(ww_blas_copy_matrix(NULL, &good), WW_ERR_INVALID);
    assert_int_equal(ww_blas_copy_matrix(blas, NULL), WW_ERR_INVALID);
    good.rows = 0;
    good.src = good.dst = 0;
    assert_works(ww_blas_copy_matrix(blas, &good));
    assert_works(ww_free(device, p));
}

/* As on a GPU without programmatic launches: by kernels that do not wait for themselves. */
static int open_older(void **state)
{
    int s = open_blas(state);
    if (s == 0)
        blas->early = false;
    return s;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_offset),     cmocka_unit_test(every_small_size), cmocka_unit_test(several_vectors),
        cmocka_unit_test(refused),          cmocka_unit_test(matrices),         cmocka_unit_test(rows),
        cmocka_unit_test(refused_matrices), cmocka_unit_test(two_at_once),      cmocka_unit_test(few_blocks)};
    for (size_t i = 0; i < ROOM; i++)
        data[i] = (uint8_t)(i * 37 + i / 251);
    for (size_t i = 0; i < MATRIX; i++)
        many[i] = (uint8_t)(i * 41 + i / 253);
    return cmocka_run_group_tests(tests, open_blas, close_blas) + cmocka_run_group_tests(tests, open_older, close_blas);
}
