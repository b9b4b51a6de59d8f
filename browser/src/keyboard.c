#include "keyboard.h"

#include "keyboard-parts.h"

#include <math.h>
#include <string.h>

#define USED_S 5      // how long after a touch a field that the page focuses shows the keyboard
#define SETTLE_MS 250 // until a tap has moved the focus
#define LONG_PRESS_MS 500
#define REPEAT_MS 80

static WPEView *view;
static WebKitInputMethodContext *context;
static gboolean is_enabled, is_focused, is_visible;
static gint64 page_used_at; // monotonic; 0: not since a person hid the keyboard, or since the previous page was left
static KeyboardState state = {.n_languages = 1, .extra = ','};
static Keys keys;
static const Key *pressed;
static gboolean is_repeating;
static gunichar accented; // the current press has shown its accents
static guint settle_timer, press_timer;
static int full_width, full_height; // of the screen, in the page's pixels

static void forget_press(void)
{
    pressed = NULL;
    g_clear_handle_id(&press_timer, g_source_remove);
}

static void layout(void)
{
    static KeyboardState arranged;
    if (memcmp(&arranged, &state, sizeof state) == 0)
        return; // the finger stays on its key
    arranged = state;
    keys_arrange(&keys, &state);
    forget_press();
}

static int keyboard_height(void)
{
    return is_visible ? MIN(full_height * 2 / 5, full_width * 9 / 20) : 0;
}

static void draw(void)
{
    if (is_visible)
        keyboard_surface_show(
            full_height - keyboard_height(), full_width, keyboard_height(), (int)ceil(wpe_view_get_scale(view)));
}

static void show_keys(void)
{
    layout();
    draw();
}

// The page gets the part of the screen above the keyboard, so that nothing of it is covered.
static void resize_page(void)
{
    wpe_toplevel_get_size(wpe_view_get_toplevel(view), &full_width, &full_height);
    draw();
    if (!is_visible)
        keyboard_surface_hide();
    int height = full_height - keyboard_height();
    if (wpe_view_get_width(view) != full_width || wpe_view_get_height(view) != height)
        wpe_view_resized(view, full_width, height);
}

static void set_visible(gboolean visible)
{
    if (visible == is_visible)
        return;
    is_visible = visible;
    forget_press();
    resize_page();
}

static void choose_layer(void)
{
    static const Layer layers[] = {
        [WEBKIT_INPUT_PURPOSE_DIGITS] = LAYER_NUMBER,
        [WEBKIT_INPUT_PURPOSE_NUMBER] = LAYER_NUMBER,
        [WEBKIT_INPUT_PURPOSE_PHONE] = LAYER_PHONE,
        [WEBKIT_INPUT_PURPOSE_SEARCH] = LAYER_LETTERS,
    };
    WebKitInputPurpose purpose = webkit_input_method_context_get_input_purpose(context);
    state.layer = purpose < G_N_ELEMENTS(layers) ? layers[purpose] : LAYER_LETTERS;
    state.extra = purpose == WEBKIT_INPUT_PURPOSE_EMAIL ? '@' : purpose == WEBKIT_INPUT_PURPOSE_URL ? '/' : ',';
    state.shift = SHIFT_OFF;
    state.accents_of = 0;
}

static gboolean wants_keyboard(void)
{
    return is_enabled && is_focused &&
        !(webkit_input_method_context_get_input_hints(context) & WEBKIT_INPUT_HINT_INHIBIT_OSK);
}

// A page cannot show the keyboard by itself: somebody must have used it just before.
static gboolean on_settled(gpointer data)
{
    settle_timer = 0;
    gboolean was_used = page_used_at && g_get_monotonic_time() - page_used_at < USED_S * G_USEC_PER_SEC;
    set_visible(wants_keyboard() && (is_visible || was_used));
    return G_SOURCE_REMOVE;
}

// Moving focus sends focus-out, then focus-in; a tap moves it after the touch. Wait for both.
static void schedule_visibility(void)
{
    g_clear_handle_id(&settle_timer, g_source_remove);
    settle_timer = g_timeout_add(SETTLE_MS, on_settled, NULL);
}

static void on_purpose(void)
{
    choose_layer();
    show_keys();
    schedule_visibility();
}

static void on_focus(gboolean focused)
{
    is_focused = focused;
    if (focused)
        on_purpose();
    else
        schedule_visibility();
}

static void type_character(gunichar character)
{
    keyboard_send_key(view, wpe_unicode_to_keyval(character), g_unichar_isupper(character));
    state.accents_of = 0;
    if (state.shift == SHIFT_ONCE && state.layer == LAYER_LETTERS)
        state.shift = SHIFT_OFF;
}

// A field shows the keyboard only when the page has been used again.
static void hide_until_used(void)
{
    page_used_at = 0;
    g_clear_handle_id(&settle_timer, g_source_remove);
    set_visible(FALSE);
}

static void activate_key(const Key *key)
{
    switch (key->kind) {
    case KEY_TEXT:
        type_character(key->character);
        break;
    case KEY_SHIFT:
        state.shift = state.layer == LAYER_LETTERS ? (state.shift + 1) % 3 : state.shift ? SHIFT_OFF : SHIFT_LOCKED;
        break;
    case KEY_SYMBOLS:
        state.layer = state.layer == LAYER_LETTERS ? LAYER_SYMBOLS : LAYER_LETTERS;
        state.shift = SHIFT_OFF;
        state.accents_of = 0;
        break;
    case KEY_LANGUAGE:
        state.language = (state.language + 1) % state.n_languages;
        break;
    case KEY_BACKSPACE:
        keyboard_send_key(view, WPE_KEY_BackSpace, FALSE);
        break;
    case KEY_ENTER:
        keyboard_send_key(view, WPE_KEY_Return, FALSE);
        break;
    case KEY_LEFT:
        keyboard_send_key(view, WPE_KEY_Left, FALSE);
        break;
    case KEY_RIGHT:
        keyboard_send_key(view, WPE_KEY_Right, FALSE);
        break;
    case KEY_HIDE:
        hide_until_used();
        break;
    }
    show_keys();
}

static gboolean repeats(const Key *key)
{
    return key->kind == KEY_BACKSPACE || key->kind == KEY_LEFT || key->kind == KEY_RIGHT;
}

// Low priority: queued touch events run first, so a late timer does not turn a tap into a long press.
static void start_press_timer(guint ms, GSourceFunc function)
{
    press_timer = g_timeout_add_full(G_PRIORITY_LOW, ms, function, NULL, NULL);
}

static gboolean on_repeat(gpointer data)
{
    if (pressed->kind == KEY_BACKSPACE)
        keyboard_send_key(view, WPE_KEY_BackSpace, FALSE);
    else
        keyboard_send_key(view, pressed->kind == KEY_LEFT ? WPE_KEY_Left : WPE_KEY_Right, FALSE);
    return G_SOURCE_CONTINUE;
}

static gboolean on_long_press(gpointer data)
{
    press_timer = 0;
    if (repeats(pressed)) {
        is_repeating = TRUE;
        start_press_timer(REPEAT_MS, on_repeat);
        on_repeat(NULL);
    } else if (pressed->kind == KEY_TEXT && keys_have_accents(pressed->character)) {
        accented = state.accents_of = pressed->character;
        show_keys(); // nothing is pressed any more, so nothing is typed when the finger leaves
    }
    return G_SOURCE_REMOVE;
}

static void set_pressed(const Key *key)
{
    if (key == pressed)
        return;
    g_clear_handle_id(&press_timer, g_source_remove);
    pressed = key;
    is_repeating = FALSE;
    if (key)
        start_press_timer(LONG_PRESS_MS, on_long_press);
    draw();
}

static void on_press(double x, double y)
{
    accented = 0;
    set_pressed(keys_at(&keys, x, y));
}

static void on_move(double x, double y)
{
    if (pressed)
        set_pressed(keys_at(&keys, x, y));
}

static void on_release(guint held_ms)
{
    const Key *key = pressed;
    gboolean repeated = is_repeating;
    set_pressed(NULL);
    if (key && !repeated) {
        activate_key(key);
    } else if (accented && held_ms < LONG_PRESS_MS) { // a tap whose end came late
        type_character(accented);
        show_keys();
    }
    accented = 0;
}

static void on_cancel(void)
{
    set_pressed(NULL);
}

static void on_page_used(gboolean down)
{
    page_used_at = g_get_monotonic_time();
    // Without a keyboard device, nothing else tells WebKit that the page has the focus.
    if (down && !wpe_view_get_has_focus(view))
        wpe_view_focus_in(view);
    if (!down)
        schedule_visibility();
}

static void on_draw(guint32 *pixels, int width, int height)
{
    gboolean is_secret = webkit_input_method_context_get_input_purpose(context) == WEBKIT_INPUT_PURPOSE_PASSWORD;
    // Password fields do not highlight pressed keys: onlookers could read them.
    keyboard_draw(pixels, width, height, &keys, is_secret ? NULL : pressed);
}

// The screen was rotated or got another mode, or the compositor gave the page the whole screen again.
static void on_resized(void)
{
    if (is_visible && wpe_view_get_height(view) != full_height - keyboard_height())
        resize_page();
}

void keyboard_configure(gboolean enabled, const guint *languages, guint count)
{
    static const guint english;
    is_enabled = enabled;
    state.n_languages = count ? MIN(count, MAX_LANGUAGES) : 1;
    memcpy(state.languages, count ? languages : &english, state.n_languages * sizeof *languages);
    state.language = 0;
    if (!view)
        return;
    show_keys();
    schedule_visibility();
}

void keyboard_page_left(void)
{
    hide_until_used();
}

void keyboard_connect(WebKitWebView *web_view)
{
    static const KeyboardHandlers handlers = {on_draw, on_press, on_move, on_release, on_cancel, on_page_used};
    view = webkit_web_view_get_wpe_view(web_view);
    context = keyboard_focus_new(on_focus);
    g_signal_connect(context, "notify::input-purpose", G_CALLBACK(on_purpose), NULL);
    g_signal_connect(context, "notify::input-hints", G_CALLBACK(schedule_visibility), NULL);
    g_signal_connect(view, "resized", G_CALLBACK(on_resized), NULL);
    g_signal_connect(view, "notify::scale", G_CALLBACK(draw), NULL);
    webkit_web_view_set_input_method_context(web_view, context);
    keyboard_surface_start(view, &handlers);
}
