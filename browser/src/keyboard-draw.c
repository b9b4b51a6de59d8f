#include "keyboard-parts.h"

#define TEXT_KEY 0xff454b55u
#define OTHER_KEY 0xff2f343cu
#define PRESSED_KEY 0xff3c7ddbu

void keyboard_draw(Canvas *canvas, const Keys *keys, const Key *pressed)
{
    int width = canvas->width, height = canvas->height;
    canvas_clear(canvas);
    int gap = MAX(height / 80, 1);
    for (guint i = 0; i < keys->count; i++) {
        const Key *key = &keys->keys[i];
        int left = (int)(key->x * width) + gap, right = (int)((key->x + key->width) * width) - gap;
        int top = (int)(key->y * height) + gap, bottom = (int)((key->y + key->height) * height) - gap;
        guint32 colour = key == pressed || key->is_on ? PRESSED_KEY : key->kind == KEY_TEXT ? TEXT_KEY : OTHER_KEY;
        canvas_fill(canvas, left, top, right, bottom, colour);
        int size = canvas_text_size(key->label, (bottom - top) * 4 / 9, (right - left) * 8 / 10);
        canvas_text(canvas, key->label, size, (left + right) / 2, (top + bottom) / 2);
    }
}
