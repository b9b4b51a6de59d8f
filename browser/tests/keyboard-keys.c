// Checks the keys of all states of the on-screen keyboard.
#include "../src/keyboard-keys.h"

#include <math.h>

static const char *const names[] = {"en", "de", "fr", "es"};

static const Key *find(const Keys *keys, KeyKind kind, gunichar character)
{
    for (guint i = 0; i < keys->count; i++)
        if (keys->keys[i].kind == kind && keys->keys[i].character == character)
            return &keys->keys[i];
    return NULL;
}

static Keys keys_of(const char *language, KeyboardState state)
{
    Keys keys;
    state.languages[0] = (guint)language_find(language);
    state.n_languages = MAX(state.n_languages, 1);
    state.extra = ',';
    keys_arrange(&keys, &state);
    return keys;
}

// The keys cover the keyboard without gaps, each is found at its own place, and it can always be hidden.
static void check(const Keys *keys)
{
    double area = 0;
    for (guint i = 0; i < keys->count; i++) {
        const Key *key = &keys->keys[i];
        area += key->width * key->height;
        g_assert_true(keys_at(keys, key->x + key->width / 2, key->y + key->height / 2) == key);
        g_assert_cmpuint(g_utf8_strlen(key->label, -1), >, 0);
        g_assert_true(g_utf8_validate(key->label, -1, NULL));
        g_assert_true(key->kind != KEY_TEXT || key->character != 0);
    }
    g_assert_true(fabs(area - 1) < 1e-9);
    g_assert_nonnull(find(keys, KEY_HIDE, 0));
    g_assert_nonnull(find(keys, KEY_BACKSPACE, 0));
    g_assert_nonnull(find(keys, KEY_ENTER, 0));
}

static void test_all_states(void)
{
    for (guint language = 0; language < G_N_ELEMENTS(names); language++)
        for (Layer layer = LAYER_LETTERS; layer <= LAYER_PHONE; layer++)
            for (Shift shift = SHIFT_OFF; shift <= SHIFT_LOCKED; shift++) {
                Keys keys = keys_of(names[language], (KeyboardState){.layer = layer, .shift = shift});
                check(&keys);
            }
    Keys keys = keys_of("de", (KeyboardState){.accents_of = 'o'});
    check(&keys);
}

static void test_outside(void)
{
    Keys keys = keys_of("en", (KeyboardState){0});
    g_assert_null(keys_at(&keys, -0.01, 0.5));
    g_assert_null(keys_at(&keys, 0.5, -0.01));
    g_assert_null(keys_at(&keys, 1.01, 0.5));
    g_assert_null(keys_at(&keys, 0.5, 1.01));
}

static void test_characters(void)
{
    static const struct {
        const char *language;
        gunichar first, own, capital;
    } expected[] = {{"en", 'q', 'm', 'M'}, {"de", 'q', 0xfc, 0xdc}, {"fr", 'a', 0xe9, 0xc9}, {"es", 'q', 0xf1, 0xd1}};
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
        Keys keys = keys_of(expected[i].language, (KeyboardState){0});
        g_assert_cmpuint(keys_at(&keys, 0.01, 0.1)->character, ==, expected[i].first);
        g_assert_nonnull(find(&keys, KEY_TEXT, expected[i].own));
        keys = keys_of(expected[i].language, (KeyboardState){.shift = SHIFT_ONCE});
        g_assert_nonnull(find(&keys, KEY_TEXT, expected[i].capital));
        g_assert_true(find(&keys, KEY_SHIFT, 0)->is_on);
    }
    g_assert_cmpint(language_find("xx"), ==, -1);
    g_assert_cmpint(language_find(NULL), ==, -1);
}

static void test_accents(void)
{
    g_assert_true(keys_have_accents('e'));
    g_assert_true(keys_have_accents('E'));
    g_assert_false(keys_have_accents('q'));
    Keys keys = keys_of("en", (KeyboardState){.shift = SHIFT_ONCE, .accents_of = 'E'});
    g_assert_nonnull(find(&keys, KEY_TEXT, 0xc9));
    g_assert_null(find(&keys, KEY_TEXT, 'Q'));
    g_assert_nonnull(find(&keys, KEY_TEXT, 'A'));
}

static void test_language_key(void)
{
    Keys keys = keys_of("en", (KeyboardState){0});
    g_assert_null(find(&keys, KEY_LANGUAGE, 0));
    keys = keys_of("en", (KeyboardState){.n_languages = 2, .languages = {0, 1}, .language = 1});
    g_assert_cmpstr(find(&keys, KEY_LANGUAGE, 0)->label, ==, "DE");
    g_assert_nonnull(find(&keys, KEY_TEXT, 0xfc));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/keys/all-states", test_all_states);
    g_test_add_func("/keys/outside", test_outside);
    g_test_add_func("/keys/characters", test_characters);
    g_test_add_func("/keys/accents", test_accents);
    g_test_add_func("/keys/language-key", test_language_key);
    return g_test_run();
}
