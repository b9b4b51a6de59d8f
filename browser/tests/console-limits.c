#include "../web-process/limits.h"

#include <string.h>

static void test_budget(void)
{
    ConsoleBudget budget = {CONSOLE_AT_ONCE, 0};
    gint64 now = G_USEC_PER_SEC * (gint64)1000;
    guint sent = 0;
    while (console_budget_take(&budget, 0, now))
        sent++;
    g_assert_cmpuint(sent, ==, CONSOLE_AT_ONCE);
    for (guint i = 0; i < 10000; i++) { // 10 s of one message each ms
        now += 1000;
        sent += console_budget_take(&budget, 0, now) ? 1 : 0;
    }
    g_assert_cmpuint(sent, >=, CONSOLE_AT_ONCE + 10 * CONSOLE_PER_S - 1);
    g_assert_cmpuint(sent, <=, CONSOLE_AT_ONCE + 10 * CONSOLE_PER_S);
    // After a pause it is full again, not more.
    now += G_USEC_PER_SEC * (gint64)3600;
    for (sent = 0; console_budget_take(&budget, 0, now); sent++)
        ;
    g_assert_cmpuint(sent, ==, CONSOLE_AT_ONCE);
}

static void test_long_messages_cost_more(void)
{
    ConsoleBudget budget = {CONSOLE_AT_ONCE, 0};
    guint sent = 0;
    while (console_budget_take(&budget, CONSOLE_TEXT, G_USEC_PER_SEC))
        sent++;
    g_assert_cmpuint(sent, ==, CONSOLE_AT_ONCE / 17 + 1);
    g_assert_false(console_budget_take(&budget, 0, G_USEC_PER_SEC + G_USEC_PER_SEC / 10));
    g_assert_true(console_budget_take(&budget, 0, 3 * G_USEC_PER_SEC));
}

static void test_text(void)
{
    g_autofree char *none = console_text(NULL), *plain = console_text("a\nb \xc3\xa9");
    g_assert_cmpstr(none, ==, "");
    g_assert_cmpstr(plain, ==, "a\nb \xc3\xa9");
    // Characters of every length at the limit: never half of one.
    const char *const characters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (guint i = 0; i < G_N_ELEMENTS(characters); i++)
        for (guint before = 0; before < 4; before++) {
            GString *text = g_string_new_len("....", before);
            while (text->len < 2 * CONSOLE_TEXT)
                g_string_append(text, characters[i]);
            g_autofree char *cut = console_text(text->str);
            gsize length = strlen(cut);
            g_assert_true(g_utf8_validate(cut, -1, NULL));
            g_assert_true(g_str_has_prefix(text->str, cut));
            g_assert_cmpuint(length, <=, CONSOLE_TEXT);
            g_assert_cmpuint(length, >, CONSOLE_TEXT - strlen(characters[i]));
            g_string_free(text, TRUE);
        }
    // Each of these bytes becomes a character of three.
    g_autofree char *bytes = g_strnfill(CONSOLE_TEXT, (char)0xff);
    g_autofree char *valid = console_text(bytes);
    g_assert_true(g_utf8_validate(valid, -1, NULL));
    g_assert_cmpuint(strlen(valid), <=, CONSOLE_TEXT);
    g_assert_true(g_str_has_prefix(valid, "\xef\xbf\xbd"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/console/budget", test_budget);
    g_test_add_func("/console/long-messages", test_long_messages_cost_more);
    g_test_add_func("/console/text", test_text);
    return g_test_run();
}
