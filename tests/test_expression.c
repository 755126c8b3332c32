/* Index expressions are guarded, and have the types of C. */
#include "expressions.h"

Test(expression, precedence_and_types_are_cs)
{
    becomes("get_global_id(0)", "get_global_id(((uint)0))");
    becomes(" get_global_id(0u)*3 + 5\t", "((get_global_id(0u)*3)+5)");
    becomes("1 ^ 2 >> 3 & 0x1fUL | 4 == 5 < 6", "((1^((2>>3)&0x1fUL))|(4==(5<6)))");
    becomes("1 - 2 - 3", "((1-2)-3)");
    becomes("1 || 2 && 3 ? 4 : 5 ? 6 : 7", "((1||(2&&3))?4:(5?6:7))");
    becomes("1 ? 2 ? 3 : 4 : 5", "(1?(2?3:4):5)");
    becomes("- - +~!1 == true", "(--+~!1==((int)true))");
    becomes("(unsigned long)3 + (signed)-4l", "(((ulong)3)+((int)-4l))");
    becomes("(bool)2 + (size_t)1 + (ptrdiff_t)1", "((((int)(bool)2)+((ulong)1))+((long)1))");
    becomes("as_int(3u) - convert_uchar_sat(300)", "(as_int(3u)-convert_uchar_sat(300))");
    becomes("get_work_dim()", "get_work_dim()");
}

Test(expression, signs_do_not_run_together)
{
    struct bl_expression expression;
    cr_assert_eq(bl_expression_parse("1 - -2 - - 3", &expression, NULL), BL_OK);
    cr_assert_null(strstr(expression.guarded, "--"));
    bl_expression_free(&expression);
}

Test(expression, a_line_of_the_guarded_text_is_of_the_column_of_its_number)
{
    struct bl_expression expression;
    cr_assert_eq(bl_expression_parse("7 / min(2u, 3u)", &expression, NULL), BL_OK);
    cr_assert_str_eq(expression.guarded, " divide_uint( 7\n\n ,\n\n min(\n\n\n\n 2u,\n\n\n\n 3u)"
                                         ", fault)\n");
    bl_expression_free(&expression);
}

Test(expression, every_division_is_guarded_with_its_own_operands)
{
    becomes("1 / 2", "divide_int(1,2,fault)");
    becomes("1 / 2 / 3", "divide_int(divide_int(1,2,fault),3,fault)");
    becomes("1 + 2 * 3 % 4l * 5", "(1+(modulo_long((2*3),4l,fault)*5))");
    becomes("1 / -(2 % 3)", "divide_int(1,-modulo_int(2,3,fault),fault)");
    becomes("(char)1 / (uchar)2", "divide_int(((char)1),((uchar)2),fault)");
    becomes("1 / (int)(char)2", "divide_int(1,((int)((char)2)),fault)");
    becomes("6 / (1u + 2) << 1", "(divide_uint(6,(1u+2),fault)<<1)");
    becomes("get_local_id(0u) % 3", "modulo_ulong(get_local_id(0u),3,fault)");
    becomes("1 ? 2 / 3 : 4 % 5", "(1?divide_int(2,3,fault):modulo_int(4,5,fault))");
    becomes("7 / 2 / 2.f * 2", "to_long(((divide_int(7,2,fault)/2.f)*2),fault)");
}

Test(expression, every_conversion_to_an_integer_is_guarded)
{
    becomes("1.5f", "to_long(1.5f,fault)");
    becomes("get_global_id(0u) / 2.0f", "to_long((get_global_id(0u)/2.0f),fault)");
    becomes("1 ? 2 : 3.f", "to_long((1?2:3.f),fault)");
    becomes("(uchar)2.f + (long)-1e3f", "(to_uchar(2.f,fault)+to_long(-1e3f,fault))");
    becomes("2.f ? 1 : 2", "((0!=2.f)?1:2)");
    becomes("(float)2 < (bool)2.f", "(((float)2)<((int)(bool)2.f))");
    becomes("convert_int(2.f)", "to_int((2.f),fault)");
    becomes("convert_int_rtz(2.f)", "to_int((2.f),fault)");
    becomes("convert_short_rte(2.f)", "to_short(nearest(2.f),fault)");
    becomes("convert_ulong_rtp(2.f)", "to_ulong(ceil(2.f),fault)");
    becomes("convert_char_rtn(2.f)", "to_char(floor(2.f),fault)");
    becomes("convert_int_sat(2.f)", "saturated_int((2.f))");
    becomes("convert_int_sat_rte(2.f)", "saturated_int(nearest(2.f))");
    becomes("(int)rint(2.f)", "to_int(nearest(2.f),fault)");
    becomes("as_int(2.f)", "as_int(2.f)");
    becomes("get_local_id(1.f)", "get_local_id(to_uint(1.f,fault))");
    becomes("pown(2.f, 3.f)", "to_long(pown(2.f,to_int(3.f,fault)),fault)");
    becomes("FLT_MAX", "to_long(((float)FLT_MAX),fault)");
}

Test(expression, operands_of_a_function_get_cs_common_type)
{
    becomes("min(get_local_id(0u), 3ul)", "min(get_local_id(0u),3ul)");
    becomes("max(1.5f, 2.f)", "to_long(max(1.5f,2.f),fault)");
    becomes("clamp((char)1, (char)2, (char)3)", "clamp(((char)1),((char)2),((char)3))");
    becomes("abs(-1) - 1", "(abs(-1)-1)");
    becomes("mul24(get_local_id(0u), 4)", "mul24(((uint)get_local_id(0u)),((uint)4))");
    becomes("mad24(1, 2l, 3)", "mad24(1,((int)2l),3)");
    becomes("sqrt(2)", "to_long(sqrt(((float)2)),fault)");
    becomes("pow(2, 3.0f)", "to_long(pow(((float)2),3.0f),fault)");
    becomes("select(1, 2u, 3l)", "select(((uint)1),2u,(int)(0!=3l))");
    becomes("select(1.0f, 2.0f, 3)", "to_long(select(1.0f,2.0f,(int)(0!=3)),fault)");
    becomes("upsample((short)1, 2)", "upsample(((short)1),((ushort)2))");
    becomes("abs((int)-1) / (abs_diff(1, 2) - 1)",
            "divide_uint(abs(((int)-1)),(abs_diff(1,2)-1),fault)");
}

Test(expression, types_of_numbers_are_cs)
{
    static const struct {
        const char *number, *type;
    } numbers[] = {
        {"2147483647", "int"},
        {"2147483648", "long"},
        {"0x7fffffff", "int"},
        {"0x80000000", "uint"},
        {"037777777777", "uint"},
        {"4294967296", "long"},
        {"1u", "uint"},
        {"1L", "long"},
        {"1lU", "ulong"},
        {"0xffffffffffffffff", "ulong"},
        {"0", "int"},
        {"18446744073709551615u", "ulong"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[64], expected[96];
        snprintf(text, sizeof text, "%s / 1", numbers[i].number);
        snprintf(expected, sizeof expected, "divide_%s(%s,1,fault)", numbers[i].type,
                 numbers[i].number);
        becomes(text, expected);
    }
    const char *const none[] = {"08",
                                "1ll",
                                "1uu",
                                "0x",
                                "0x1.8",
                                "1e",
                                "1e+",
                                "18446744073709551616",
                                "1.5h",
                                "1fu",
                                "12ab",
                                "0b11",
                                "1.2.3",
                                "1p3",
                                "9223372036854775808"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        refused(none[i], "is not a number that fits", 0);
    const char *const reals[] = {"1.f", ".5f", "1e+3f", "1E-3f", "0x1p3f", "0x.8P-3f", "1.5e3f"};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "to_long(%s,fault)", reals[i]);
        becomes(reals[i], expected);
    }
}
