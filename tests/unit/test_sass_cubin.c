/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read of machine code (tests/data/sass/): resources, the PTX it was made from, and the line of each instruction; and that any
 * damage is a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "sass/cubin.h"
#include "sass/word.h"

static Cubin *load(const char *name, Str *bytes)
{
    Str    path = {0}, why = {0};
    Cubin *c = NULL;
    str_printf(&path, WW_TEST_DATA "/sass/%s", name);
    assert_true(file_text(path.s, 1 << 20, bytes));
    assert_int_equal(cubin_open(bytes->s, bytes->len, &c, &why), WW_OK);
    assert_int_equal(why.len, 0);
    assert_null(c->note);
    str_free(&path);
    return c;
}

/* The text of the PTX line that an instruction comes from. */
static void line_of(const CubinFunc *f, size_t word, char *out, size_t most)
{
    const char *at = f->text->ptx;
    for (uint32_t i = 1; i < f->line[word]; i++)
        at = strchr(at, '\n') + 1;
    at += strspn(at, "\t ");
    size_t n = strcspn(at, "\n");
    n        = n < most ? n : most - 1;
    memcpy(out, at, n);
    out[n] = 0;
}

/* Opcode (bits 0 to 11) of every instruction whose PTX line begins so. */
static unsigned opcode_at(const CubinFunc *f, const char *ptx)
{
    char text[200];
    for (size_t i = 0; i < f->words; i++) {
        line_of(f, i, text, sizeof text);
        unsigned op = f->code[i * SASS_WORD] | (f->code[i * SASS_WORD + 1] & 15u) << 8;
        if (f->line[i] && !strncmp(text, ptx, strlen(ptx)) && (op & 0x80 || op == 0xb1d))
            return op;
    }
    return 0;
}

static void one_file(void **state)
{
    (void)state;
    Str              bytes = {0};
    Cubin           *c     = load("tiles.cubin", &bytes);
    const CubinFunc *swap = cubin_func(c, "swap_halves"), *sum = cubin_func(c, "sum_rows");
    assert_int_equal(c->arch, 90);
    assert_int_equal(c->funcs, 2);
    assert_non_null(swap);
    assert_true(swap->kernel && sum->kernel);
    assert_int_equal(swap->shared, 1024 + 1024); /* the system keeps 1 KiB */
    assert_int_equal(sum->shared, 0);
    assert_in_range(swap->registers, 8, 32);
    assert_int_equal(c->texts, 1);
    assert_non_null(strstr(c->text[0].ptx, "\n.visible .entry swap_halves("));
    assert_int_equal(strlen(c->text[0].ptx), c->text[0].len);
    assert_int_equal(opcode_at(swap, "ld.shared.f32"), 0x984);
    assert_int_equal(opcode_at(swap, "st.shared.f32"), 0x988);
    assert_int_equal(opcode_at(sum, "ld.global.v4.f32"), 0x981);
    cubin_free(c);
    str_free(&bytes);
}

/* Code of two files that was linked: each function's lines are of its own file's text. */
static void linked(void **state)
{
    (void)state;
    Str              bytes = {0};
    Cubin           *c     = load("linked.cubin", &bytes);
    const CubinFunc *swap = cubin_func(c, "swap_halves"), *scale = cubin_func(c, "scale");
    assert_int_equal(c->texts, 2);
    assert_int_equal(c->funcs, 4);
    assert_non_null(strstr(swap->text->ptx, ".entry swap_halves("));
    assert_non_null(strstr(scale->text->ptx, ".entry scale("));
    assert_int_equal(opcode_at(swap, "st.shared.f32"), 0x988);
    assert_int_equal(opcode_at(scale, "st.global.f32"), 0x986);
    for (size_t i = 0; i < c->funcs; i++)
        assert_int_equal(c->func[i].kernel, !strstr(c->func[i].name, "twice"));
    cubin_free(c);
    str_free(&bytes);
}

static void damaged(void **state)
{
    (void)state;
    Str    bytes = {0}, why = {0};
    Cubin *c = NULL;
    cubin_free(load("tiles.cubin", &bytes));
    const size_t cut[] = {0, 5, 63, 64, 1000, bytes.len - 400};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        str_clear(&why);
        assert_int_equal(cubin_open(bytes.s, cut[i], &c, &why), WW_ERR_INVALID);
        assert_true(why.len > 0);
    }
    bytes.s[18] = 62; /* a program for x86 */
    str_clear(&why);
    assert_int_equal(cubin_open(bytes.s, bytes.len, &c, &why), WW_ERR_INVALID);
    assert_non_null(strstr(why.s, "machine 62"));
    str_free(&why);
    str_free(&bytes);
}

static void wild(const Str *bytes, Cubin **c)
{
    Str why = {0};
    assert_int_equal(cubin_open(bytes->s, bytes->len, c, &why), WW_OK);
    assert_int_equal((*c)->funcs, 2);
    assert_int_equal(why.len, 0);
    cubin_free(*c);
}

/* A line program that runs wild is a note; the rest is read. */
static void wild_lines(void **state)
{
    (void)state;
    Str    bytes = {0}, why = {0};
    Cubin *c = NULL;
    cubin_free(load("tiles.cubin", &bytes));
    size_t head = 0; /* of the last line program: smallest instruction, is_stmt, line base, line range, opcode base */
    for (size_t i = 0; i + 64 < bytes.len; i++)
        if (!memcmp(bytes.s + i, "\1\1\xfb\x0e\x0a", 5))
            head = i;
    assert_true(head != 0);
    char *program = bytes.s + head + 16; /* behind nine numbers of operands and two empty lists */
    memset(program, 0x03, 40);           /* advance_line by 3, by 3, ... */
    wild(&bytes, &c);
    memset(program, 0xff, 40);
    wild(&bytes, &c);
    memset(program, 0x08, 40); /* no relocation names the function any more */
    wild(&bytes, &c);
    bytes.s[head + 3] = 0; /* a line range of 0 */
    assert_int_equal(cubin_open(bytes.s, bytes.len, &c, &why), WW_OK);
    assert_non_null(strstr(c->note, "line range"));
    cubin_free(c);
    str_free(&why);
    str_free(&bytes);
}

/* Words as nvdisasm 13.0 reads them: "@!P0 STS.U16 [R15+0x80], R8" and "LDG.E.64.STRONG.SYS R6, desc[UR6][R10.64+0x30]"; 11.8: "BRA.DIV UR4,
 * 0x14d60", which stands at 0x6a0, and "IDP.4A.S8.S8 R26, R15, R26, R20".  The call stands at 0xc0, and what it calls at 0x1250. */
static void words(void **state)
{
    (void)state;
    static const struct {
        uint64_t    low, high;
        const char *name;
        unsigned    stall, writes, reads, waits, bytes;
        int         jump;
    } rows[] = {{0x00080080f00f7388, 0x010fe40000000400, "STS.16", 2, 7, 7, 0x10, 2, 0},
                {0x000030060a047981, 0x001ea2000c1f5b00, "LDG.64", 1, 2, 7, 0x01, 8, 0},
                {0x00000000080a7229, 0x001fd40000000008, "DADD", 10, 7, 7, 0x01, 0, 0},
                {0x0000001000607944, 0x000fea0003c00000, "CALL", 5, 7, 7, 0, 0, (0x1250 - 0xd0) / SASS_WORD},
                {0x0000014604ac7947, 0x002fec000b800000, "BRA.DIV", 6, 7, 7, 0x02, 0, (0x14d60 - 0x6b0) / SASS_WORD},
                {0x0000001a0f1a7226, 0x020fe20000000614, "IDP", 1, 7, 7, 0x20, 0, 0},
                {0x0000000000007fff, 0, "? fff", 0, 0, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t  bytes[SASS_WORD];
        SassWord w;
        Str      name = {0};
        for (unsigned k = 0; k < 8; k++) {
            bytes[k]     = (uint8_t)(rows[i].low >> (8 * k));
            bytes[8 + k] = (uint8_t)(rows[i].high >> (8 * k));
        }
        sass_decode(bytes, &w);
        sass_name(&w, &name);
        assert_string_equal(name.s, rows[i].name);
        assert_int_equal(w.stall, rows[i].stall);
        assert_int_equal(w.writes, rows[i].writes);
        assert_int_equal(w.reads, rows[i].reads);
        assert_int_equal(w.waits, rows[i].waits);
        assert_int_equal(w.bytes, rows[i].bytes);
        assert_int_equal(w.jump, rows[i].jump);
        str_free(&name);
    }
}

/* "BRA.DIV UR4, 0x14d60", "@!P0 BRA P1, ...", "BRA P1, ...", "BRA ...", "@!P0 BRA ...". */
static void branches(void **state)
{
    (void)state;
    static const struct {
        uint64_t low, high;
        SassFlow flow;
        bool     both;
    } rows[] = {{0x0000014604ac7947, 0x002fec000b800000, SASS_APART, false},
                {0x0000000000088947, 0x000fea0000800000, SASS_JUMP, true},
                {0x0000000000087947, 0x000fea0000800000, SASS_JUMP, true},
                {0x0000000000087947, 0x000fea0003800000, SASS_JUMP, false},
                {0x0000000000088947, 0x000fea0003800000, SASS_JUMP, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t  bytes[SASS_WORD];
        SassWord w;
        for (unsigned k = 0; k < 8; k++) {
            bytes[k]     = (uint8_t)(rows[i].low >> (8 * k));
            bytes[8 + k] = (uint8_t)(rows[i].high >> (8 * k));
        }
        sass_decode(bytes, &w);
        assert_int_equal(w.flow, rows[i].flow);
        assert_int_equal(w.both, rows[i].both);
    }
}

/* "LDC.64 R2, c[0x0][0x210]", "LDC.64 R14, c[0x3][R2+0x8]", "ULDC UR6, c[0x3][0x50]", "ULDC.64 UR8, c[0x3][UR5+0x10]"; a barrier and a product of
 * registers name no constant. */
static void constants(void **state)
{
    (void)state;
    static const struct {
        uint64_t low, high;
        bool     constant, indexed;
        unsigned bank, offset, bytes;
    } rows[] = {{0x00008400ff027b82, 0x000e220000000a00, true, false, 0, 0x210, 8},
                {0x00c00200020e7b82, 0x000e700000000a00, true, true, 3, 8, 8},
                {0x00c0140000067ab9, 0x000fce0000000800, true, false, 3, 0x50, 4},
                {0x00c0040005087abb, 0x000fe40008000a00, true, true, 3, 0x10, 8},
                {0x0000000000007b1d, 0x000fec0000010000, false, false, 0, 0, 0},
                {0x000000030a037223, 0x001fca0000000007, false, false, 0, 0, 0},
                {0x00c0150003037a23, 0x001fca0000000007, true, false, 3, 0x54,
                 4}}; /* the same, its second source c[0x3][0x54] */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t  bytes[SASS_WORD];
        SassWord w;
        for (unsigned k = 0; k < 8; k++) {
            bytes[k]     = (uint8_t)(rows[i].low >> (8 * k));
            bytes[8 + k] = (uint8_t)(rows[i].high >> (8 * k));
        }
        sass_decode(bytes, &w);
        assert_int_equal(w.constant, rows[i].constant);
        assert_int_equal(w.indexed, rows[i].indexed);
        assert_int_equal(w.bank, rows[i].bank);
        assert_int_equal(w.offset, rows[i].offset);
        assert_int_equal(w.constant_bytes, rows[i].bytes);
    }
}

/* Three registers that nobody has kept are read one after the other (tests/data/time/reads_h200.tsv). */
static void reads(void **state)
{
    (void)state;
    static const struct {
        uint64_t low, high;
        double   clocks;
    } rows[]      = {{0x0000000908177223, 0x020fe20000000017, 0.5}, /* FFMA R23, R8, R9, R23 */
                     {0x0000000f0a157223, 0x040fe20000000015, 0.5}, /* FFMA R21, R10.reuse, R15, R21 */
                     {0x0000000b0a107223, 0x000fe20000000010, 0},   /* FFMA R16, R10, R11, R16 */
                     {0x0000000808157223, 0x020fe20000000015, 0},   /* FFMA R21, R8, R8, R21 */
                     {0x3f00000015157823, 0x020fe20000000008, 0},   /* FFMA R21, R21, 0.5, R8 */
                     {0x000000120612722b, 0x020fe20000000008, 1},   /* DFMA R18, R6, R18, R8 */
                     {0x0000000913137212, 0x020fe200078e6a0c, 0}};  /* LOP3 of three */
    SassWord w[2] = {{0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[SASS_WORD];
        for (unsigned k = 0; k < 8; k++) {
            bytes[k]     = (uint8_t)(rows[i].low >> (8 * k));
            bytes[8 + k] = (uint8_t)(rows[i].high >> (8 * k));
        }
        w[0] = w[1];
        sass_decode(bytes, &w[1]);
        assert_true(sass_read_clocks(&w[1], &w[0]) == rows[i].clocks);
    }
    assert_true(sass_read_clocks(&w[1], NULL) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_file),  cmocka_unit_test(linked),
                                       cmocka_unit_test(damaged),   cmocka_unit_test(wild_lines),
                                       cmocka_unit_test(words),     cmocka_unit_test(branches),
                                       cmocka_unit_test(constants), cmocka_unit_test(reads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
