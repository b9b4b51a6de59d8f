#include "frame.h"

#include "document.h"
#include "scripts.h"

#define WORLD "vitrinePaint" // of the script, and the name of its message handler
#define OWN_FRAME_MS 1000    // an animated page produces a frame within this time

static WebKitWebView *view;
static void (*on_shown)(void);
static Call waiting;
static gboolean is_waiting; // for a frame
static gboolean repaints;   // we forced a repaint; restore the background after its frame
static guint timer;
static double background; // grey, under the page
static gboolean whitens;  // when there is content

static void show_background(double shade)
{
    WebKitColor colour = {.red = shade, .green = shade, .blue = shade, .alpha = 1.0};
    webkit_web_view_set_background_color(view, &colour);
}

void frame_set_background(double grey)
{
    background = grey;
    whitens = FALSE;
    show_background(grey);
}

void frame_whiten_with_content(void)
{
    whitens = TRUE;
}

void frame_content_complete(void)
{
    if (whitens)
        frame_set_background(1.0);
}

static void on_content(WebKitUserContentManager *content, JSCValue *value, gpointer data)
{
    frame_content_complete();
}

void frame_prepare(WebKitUserContentManager *content)
{
    g_autoptr(WebKitUserScript) script = webkit_user_script_new_for_world(PAINT_SCRIPT,
        WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, WORLD, NULL, NULL);
    g_signal_connect(content, "script-message-received::" WORLD, G_CALLBACK(on_content), NULL);
    webkit_user_content_manager_register_script_message_handler(content, WORLD, WORLD);
    webkit_user_content_manager_add_script(content, script);
}

// Makes WebKit paint a frame, by a change of the background that is too small to be seen. A page cannot notice it.
static gboolean on_timer(gpointer data)
{
    timer = 0;
    repaints = TRUE;
    show_background(background + (background > 0.5 ? -1.0 / 255 : 1.0 / 255));
    return G_SOURCE_REMOVE;
}

// The compositor has shown a buffer: it asks for the next one.
static void on_rendered(WPEView *self, WPEBuffer *buffer, gpointer data)
{
    on_shown();
    g_clear_handle_id(&timer, g_source_remove);
    if (repaints) {
        repaints = FALSE;
        show_background(background);
    }
    if (is_waiting) {
        is_waiting = FALSE;
        link_answer(waiting, NULL);
    }
}

void frame_connect(WebKitWebView *self, void (*shown)(void))
{
    view = self;
    on_shown = shown;
    g_signal_connect(webkit_web_view_get_wpe_view(view), "buffer-rendered", G_CALLBACK(on_rendered), NULL);
}

void frame_check(Call call)
{
    if (!document_uri()) {
        link_fail(call, "no_page", "there is no page that could show a frame");
        return;
    }
    if (is_waiting)
        link_fail(waiting, "timeout", "another check has begun");
    waiting = call;
    is_waiting = TRUE;
    if (!timer && !repaints)
        timer = g_timeout_add(OWN_FRAME_MS, on_timer, NULL);
}
