// Which keys the on-screen keyboard shows, and where. Depends on GLib only, so that it can be tested by itself.
#pragma once

#include <glib.h>

#define MAX_KEYS 64
#define MAX_LANGUAGES 4

typedef enum {
    KEY_TEXT,
    KEY_SHIFT,
    KEY_SYMBOLS, // between letters and symbols
    KEY_LANGUAGE,
    KEY_BACKSPACE,
    KEY_ENTER,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HIDE,
} KeyKind;

typedef struct {
    KeyKind kind;
    gunichar character;         // of KEY_TEXT
    char label[8];              // UTF-8
    gboolean is_on;             // is drawn as pressed: shift
    double x, y, width, height; // 0 to 1 of the keyboard
} Key;

typedef enum { LAYER_LETTERS, LAYER_SYMBOLS, LAYER_NUMBER, LAYER_PHONE } Layer;
typedef enum { SHIFT_OFF, SHIFT_ONCE, SHIFT_LOCKED } Shift;

// What the keys depend on.
typedef struct {
    Layer layer;
    Shift shift;
    guint languages[MAX_LANGUAGES]; // numbers of language_find
    guint n_languages;              // more than one: there is a language key
    guint language;                 // index in `languages`
    gunichar extra;                 // beside the space bar: ',', '@' or '/'
    gunichar accents_of;            // the first row has the variants of this character; 0: none
} KeyboardState;

typedef struct {
    Key keys[MAX_KEYS];
    guint count;
} Keys;

int language_find(const char *name); // -1: there is no such layout
void keys_arrange(Keys *keys, const KeyboardState *state);
const Key *keys_at(const Keys *keys, double x, double y); // NULL: outside
gboolean keys_have_accents(gunichar character);
