#include "keyboard-parts.h"

// WebKit tells an input method when an editable element gets the focus, in any frame of the page.
G_DECLARE_FINAL_TYPE(FocusContext, focus_context, FOCUS, CONTEXT, WebKitInputMethodContext)
struct _FocusContext {
    WebKitInputMethodContext parent;
    void (*changed)(gboolean is_focused);
};
G_DEFINE_FINAL_TYPE(FocusContext, focus_context, WEBKIT_TYPE_INPUT_METHOD_CONTEXT)

static void on_focus_in(WebKitInputMethodContext *self)
{
    FOCUS_CONTEXT(self)->changed(TRUE);
}

static void on_focus_out(WebKitInputMethodContext *self)
{
    FOCUS_CONTEXT(self)->changed(FALSE);
}

static void focus_context_class_init(FocusContextClass *class)
{
    WebKitInputMethodContextClass *methods = WEBKIT_INPUT_METHOD_CONTEXT_CLASS(class);
    methods->notify_focus_in = on_focus_in;
    methods->notify_focus_out = on_focus_out;
}

static void focus_context_init(FocusContext *self)
{
}

WebKitInputMethodContext *keyboard_focus_new(void (*changed)(gboolean is_focused))
{
    FocusContext *self = g_object_new(focus_context_get_type(), NULL);
    self->changed = changed;
    return WEBKIT_INPUT_METHOD_CONTEXT(self);
}
