#include "keyboard-keys.h"

#include <string.h>

// Rows of characters; the capital letters follow from them.
static const struct {
    const char *name, *rows[3];
} languages[] = {
    {"en", {"qwertyuiop", "asdfghjkl", "zxcvbnm"}},
    {"de", {"qwertzuiopü", "asdfghjklöä", "yxcvbnmß"}},
    {"fr", {"azertyuiop", "qsdfghjklm", "wxcvbné"}},
    {"es", {"qwertyuiop", "asdfghjklñ", "zxcvbnm"}},
};

// Without and with shift.
static const char *const symbols[2][3] = {
    {"1234567890", "@#€&_-+()/", "*\"':;!?%"},
    {"[]{}<>^~|`", "£$¥¢§°²³µ\\", "«»„“”¡¿="},
};

static const char *const digits[] = {"123", "456", "789"};

// Offered by a long press on the first character, in all languages.
static const char *const accents[] = {"aàáâäæãå", "cç", "eéèêë", "iíìîï", "nñ", "oóòôöœõø", "sßš", "uúùûü", "yýÿ", "zž",
    ".,;:!?…", ",;:", "-–—", "'’‘‚`", "\"„“”«»", "!¡", "?¿", "€$£¥¢"};

int language_find(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(languages); i++)
        if (g_strcmp0(languages[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const char *accents_of(gunichar character)
{
    for (guint i = 0; i < G_N_ELEMENTS(accents); i++)
        if (g_utf8_get_char(accents[i]) == g_unichar_tolower(character))
            return g_utf8_next_char(accents[i]);
    return NULL;
}

gboolean keys_have_accents(gunichar character)
{
    return accents_of(character) != NULL;
}

// Until end_row, `width` is in units of its row.
static Key *add(Keys *keys, KeyKind kind, const char *label, double units)
{
    g_assert(keys->count < MAX_KEYS);
    Key *key = &keys->keys[keys->count++];
    *key = (Key){.kind = kind, .width = units};
    g_strlcpy(key->label, label, sizeof key->label);
    return key;
}

static void add_text(Keys *keys, gunichar character, double units)
{
    char label[8] = {0};
    g_unichar_to_utf8(character, label);
    add(keys, KEY_TEXT, label, units)->character = character;
}

static void add_texts(Keys *keys, const char *characters, gboolean capitals)
{
    for (const char *c = characters; *c; c = g_utf8_next_char(c)) {
        gunichar character = g_utf8_get_char(c);
        add_text(keys, capitals ? g_unichar_toupper(character) : character, 1);
    }
}

// Spreads the keys that were added since the last row over its width.
static void end_row(Keys *keys, guint *first, guint row)
{
    double units = 0, x = 0;
    for (guint i = *first; i < keys->count; i++)
        units += keys->keys[i].width;
    for (guint i = *first; i < keys->count; i++) {
        Key *key = &keys->keys[i];
        key->x = x;
        key->y = row / 4.0;
        key->width /= units;
        key->height = 1 / 4.0;
        x += key->width;
    }
    *first = keys->count;
}

static void arrange_number(Keys *keys, const KeyboardState *state)
{
    static const struct {
        KeyKind kind;
        const char *label;
    } actions[] = {{KEY_BACKSPACE, "⌫"}, {KEY_ENTER, "⏎"}, {KEY_HIDE, "▼"}};
    guint first = 0;
    for (guint row = 0; row < 3; row++) {
        add_texts(keys, digits[row], FALSE);
        add(keys, actions[row].kind, actions[row].label, 1);
        end_row(keys, &first, row);
    }
    add_texts(keys, state->layer == LAYER_PHONE ? "+0*#" : "-0.,", FALSE);
    end_row(keys, &first, 3);
}

static void arrange_bottom(Keys *keys, const KeyboardState *state, guint *first)
{
    add(keys, KEY_SYMBOLS, state->layer == LAYER_SYMBOLS ? "ABC" : "?123", 1.5);
    if (state->n_languages > 1) {
        g_autofree char *name = g_ascii_strup(languages[state->languages[state->language]].name, -1);
        add(keys, KEY_LANGUAGE, name, 1);
    }
    add_text(keys, state->extra, 1);
    add_text(keys, ' ', 5);
    add_text(keys, '.', 1);
    add(keys, KEY_LEFT, "←", 1);
    add(keys, KEY_RIGHT, "→", 1);
    add(keys, KEY_ENTER, "⏎", 1.5);
    add(keys, KEY_HIDE, "▼", 1);
    end_row(keys, first, 3);
}

void keys_arrange(Keys *keys, const KeyboardState *state)
{
    keys->count = 0;
    if (state->layer == LAYER_NUMBER || state->layer == LAYER_PHONE) {
        arrange_number(keys, state);
        return;
    }
    gboolean is_shifted = state->shift != SHIFT_OFF, has_letters = state->layer == LAYER_LETTERS;
    const char *const *rows =
        has_letters ? languages[state->languages[state->language]].rows : symbols[is_shifted ? 1 : 0];
    const char *variants = state->accents_of ? accents_of(state->accents_of) : NULL;
    guint first = 0;
    for (guint row = 0; row < 3; row++) {
        if (row == 2) {
            Key *shift = add(keys, KEY_SHIFT, state->shift == SHIFT_LOCKED ? "⇪" : "⇧", 1.5);
            shift->is_on = is_shifted;
        }
        if (row == 0 && variants)
            add_texts(keys, variants, g_unichar_isupper(state->accents_of));
        else
            add_texts(keys, rows[row], has_letters && is_shifted);
        if (row == 2)
            add(keys, KEY_BACKSPACE, "⌫", 1.5);
        end_row(keys, &first, row);
    }
    arrange_bottom(keys, state, &first);
}

const Key *keys_at(const Keys *keys, double x, double y)
{
    for (guint i = 0; i < keys->count; i++) {
        const Key *key = &keys->keys[i];
        if (x >= key->x && x < key->x + key->width && y >= key->y && y < key->y + key->height)
            return key;
    }
    return NULL;
}
