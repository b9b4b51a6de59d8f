#include "zoom.h"

#include <math.h>
#include <wpe/wpe-platform.h>

// WebKit for WPE has no zoom of its own that people could use.
#define MAX_ZOOM 5.0
#define STEP 1.1 // of the wheel and of a key

typedef struct {
    guint32 id;
    double x, y;
} Finger;

static WebKitWebView *view;
static gboolean is_allowed;
static Finger fingers[2];                          // on the screen, in the order in which they came
static guint count;                                // of all fingers on the screen; only two of them pinch
static double start_distance, start_magnification; // when the second finger came

static void zoom_to(double magnification)
{
    webkit_web_view_set_magnification(view, CLAMP(magnification, 1.0, MAX_ZOOM));
}

static double finger_distance(void)
{
    return fmax(hypot(fingers[0].x - fingers[1].x, fingers[0].y - fingers[1].y), 1.0);
}

static void on_touch(WPEEvent *event, WPEEventType type)
{
    Finger finger = {.id = wpe_event_touch_get_sequence_id(event)};
    if (!wpe_event_get_position(event, &finger.x, &finger.y))
        return;
    if (type == WPE_EVENT_TOUCH_DOWN) {
        if (count < G_N_ELEMENTS(fingers))
            fingers[count] = finger;
        if (++count == G_N_ELEMENTS(fingers)) {
            start_distance = finger_distance();
            start_magnification = webkit_web_view_get_magnification(view);
        }
    } else if (type == WPE_EVENT_TOUCH_MOVE) {
        for (guint i = 0; i < MIN(count, G_N_ELEMENTS(fingers)); i++)
            if (fingers[i].id == finger.id)
                fingers[i] = finger;
        if (count == G_N_ELEMENTS(fingers))
            zoom_to(start_magnification * finger_distance() / start_distance);
    } else {
        count = 0; // the remaining fingers start no new pinch
    }
}

static void on_key(WPEEvent *event)
{
    guint key = wpe_event_keyboard_get_keyval(event);
    double now = webkit_web_view_get_magnification(view);
    if (key == WPE_KEY_plus || key == WPE_KEY_equal || key == WPE_KEY_KP_Add)
        zoom_to(now * STEP);
    else if (key == WPE_KEY_minus || key == WPE_KEY_KP_Subtract)
        zoom_to(now / STEP);
    else if (key == WPE_KEY_0 || key == WPE_KEY_KP_0)
        zoom_to(1);
}

// Sees every event before WebKit, and takes none from the page.
static gboolean on_event(GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
    WPEEvent *event = g_value_get_boxed(&values[1]);
    WPEEventType type = wpe_event_get_event_type(event);
    gboolean control = (wpe_event_get_modifiers(event) & WPE_MODIFIER_KEYBOARD_CONTROL) != 0;
    if (!is_allowed)
        return TRUE;
    if (type >= WPE_EVENT_TOUCH_DOWN && type <= WPE_EVENT_TOUCH_CANCEL) {
        on_touch(event, type);
    } else if (type == WPE_EVENT_KEYBOARD_KEY_DOWN && control) {
        on_key(event);
    } else if (type == WPE_EVENT_SCROLL && control) {
        double x, y;
        wpe_event_scroll_get_deltas(event, &x, &y);
        if (y != 0)
            zoom_to(webkit_web_view_get_magnification(view) * (y > 0 ? STEP : 1 / STEP));
    }
    return TRUE;
}

static void on_load(WebKitWebView *self, WebKitLoadEvent event, gpointer data)
{
    if (event == WEBKIT_LOAD_COMMITTED)
        zoom_to(1);
}

void zoom_connect(WebKitWebView *created)
{
    view = created;
    g_signal_connect(view, "load-changed", G_CALLBACK(on_load), NULL);
    g_signal_add_emission_hook(g_signal_lookup("event", WPE_TYPE_VIEW), 0, on_event, NULL, NULL);
}

void zoom_configure(gboolean allowed)
{
    is_allowed = allowed;
    count = 0;
    if (!allowed)
        zoom_to(1);
}
