// Drawing into a buffer of the compositor: pixels of 32 bits, opaque.
#pragma once

#include <glib.h>

#define CANVAS_BACKGROUND 0xff1b1e23u
#define CANVAS_TEXT 0xffffffffu

typedef struct {
    guint32 *pixels;
    int width, height;
} Canvas;

void canvas_clear(Canvas *canvas);                                                          // to the background
void canvas_fill(Canvas *canvas, int left, int top, int right, int bottom, guint32 colour); // with round corners
// The largest size of letters, in pixels and at most `size`, with which one line of text fits into `room`.
int canvas_text_size(const char *text, int size, int room);
void canvas_text(Canvas *canvas, const char *text, int size, int x, int y); // one line, around this point
