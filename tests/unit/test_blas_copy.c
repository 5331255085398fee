/* SPDX-License-Identifier: Apache-2.0
 *
 * ww_blas_copy on the emulator: all 64 x 64 offsets and every small size.  Both ranges end where their allocation ends, so
 * the emulator stops at the first byte outside; bytes in front are checked for change. */
#include "blas_fixture.h"

enum { SIZE = 4200, ROOM = SIZE + 64 };

static uint8_t data[ROOM], back[ROOM];

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_offset), cmocka_unit_test(every_small_size),
                                       cmocka_unit_test(several_vectors), cmocka_unit_test(refused)};
    for (size_t i = 0; i < ROOM; i++)
        data[i] = (uint8_t)(i * 37 + i / 251);
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
