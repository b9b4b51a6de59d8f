#include "notice.h"

#include "overlay.h"

#include <math.h>

#define SHARE 8 // the bar has this part of the screen's height

static WPEView *view;
static char *text; // NULL: none

// The space that is the nearest to the middle of the text; NULL without one.
static const char *middle_space(void)
{
    glong middle = g_utf8_strlen(text, -1) / 2, nearest = G_MAXLONG, at = 0;
    const char *found = NULL;
    for (const char *c = text; *c; c = g_utf8_next_char(c), at++)
        if (*c == ' ' && ABS(at - middle) < nearest) {
            nearest = ABS(at - middle);
            found = c;
        }
    return found;
}

// In two lines if its letters are larger then.
static void draw(Canvas *canvas)
{
    int x = canvas->width / 2, height = canvas->height, room = canvas->width * 9 / 10;
    canvas_clear(canvas);
    int size = canvas_text_size(text, height * 4 / 9, room);
    const char *space = middle_space();
    g_autofree char *first = space ? g_strndup(text, (gsize)(space - text)) : NULL;
    int half =
        space ? MIN(canvas_text_size(first, height / 3, room), canvas_text_size(space + 1, height / 3, room)) : 0;
    if (half > size) {
        canvas_text(canvas, first, half, x, height * 3 / 10);
        canvas_text(canvas, space + 1, half, x, height * 7 / 10);
    } else {
        canvas_text(canvas, text, size, x, height / 2);
    }
}

static Overlay overlay = {.draw = draw};

static void show(void)
{
    if (!view || !text)
        return;
    int width, height;
    wpe_toplevel_get_size(wpe_view_get_toplevel(view), &width, &height);
    overlay_show(&overlay, 0, width, height / SHARE, (int)ceil(wpe_view_get_scale(view)));
}

void notice_set(const char *wanted)
{
    g_free(text);
    text = g_strdup(wanted);
    if (text)
        show();
    else
        overlay_hide(&overlay);
}

void notice_connect(WebKitWebView *web_view)
{
    view = webkit_web_view_get_wpe_view(web_view);
    g_signal_connect(view, "resized", G_CALLBACK(show), NULL);
    g_signal_connect(view, "notify::scale", G_CALLBACK(show), NULL);
    show();
}
