// The parts of the on-screen keyboard. keyboard.c decides, the others draw and take touches.
#pragma once

#include "keyboard-keys.h"

#include <wpe/webkit.h>
#include <wpe/wpe-platform.h>

// keyboard-draw.c: pixels of 32 bits, opaque
void keyboard_draw(guint32 *pixels, int width, int height, const Keys *keys, const Key *pressed);

// keyboard-focus.c: an input method that reports whether an editable element has the focus
WebKitInputMethodContext *keyboard_focus_new(void (*changed)(gboolean is_focused));

// keyboard-page.c: a key as a keyboard device would send it, to the frame that has the focus
void keyboard_send_key(WPEView *view, guint keyval, gboolean shift);

// keyboard-surface.c: a surface of the compositor above the page's. WebKit never sees the touches on it.
typedef struct {
    void (*draw)(guint32 *pixels, int width, int height);
    void (*press)(double x, double y); // 0 to 1 of the keyboard
    void (*move)(double x, double y);
    void (*release)(guint held_ms); // by the times of the events, which may come late
    void (*cancel)(void);
    void (*page_used)(gboolean down); // a touch or click on the page, down or up
} KeyboardHandlers;
void keyboard_surface_start(WPEView *view, const KeyboardHandlers *handlers);
void keyboard_surface_show(int y, int width, int height, int scale); // also draws it again
void keyboard_surface_hide(void);
