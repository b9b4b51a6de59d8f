#include "keyboard-parts.h"

// The map has key codes for the characters of a usual keyboard only; others have the code 0.
static guint keycode_of(WPEView *view, guint keyval)
{
    g_autofree WPEKeymapEntry *entries = NULL;
    guint count = 0;
    wpe_keymap_get_entries_for_keyval(wpe_display_get_keymap(wpe_view_get_display(view)), keyval, &entries, &count);
    return count ? entries[0].keycode : 0;
}

void keyboard_send_key(WPEView *view, guint keyval, gboolean shift)
{
    const WPEEventType types[] = {WPE_EVENT_KEYBOARD_KEY_DOWN, WPE_EVENT_KEYBOARD_KEY_UP};
    guint time = (guint)(g_get_monotonic_time() / 1000), keycode = keycode_of(view, keyval);
    for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
        g_autoptr(WPEEvent) event = wpe_event_keyboard_new(
            types[i], view, WPE_INPUT_SOURCE_KEYBOARD, time, shift ? WPE_MODIFIER_KEYBOARD_SHIFT : 0, keycode, keyval);
        wpe_view_event(view, event);
    }
}
