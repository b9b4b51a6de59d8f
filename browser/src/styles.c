#include "styles.h"

// `!important` rules of a user style sheet override all page rules.
static const char no_selection[] =
    "*, *::before, *::after { -webkit-user-select: none !important; -webkit-user-drag: none !important }"
    "input, textarea, [contenteditable]:not([contenteditable='false' i]),"
    "[contenteditable]:not([contenteditable='false' i]) * { -webkit-user-select: text !important }";
static const char no_pointer[] = "*, *::before, *::after { cursor: none !important }";
static const char always_pointer[] = "*, *::before, *::after { cursor: auto !important }";

typedef struct {
    WebKitUserStyleSheet *sheet; // while it is in use
    const char *rules;
} Style;

// NULL for no rules.
static void set(WebKitUserContentManager *content, Style *style, const char *rules)
{
    if (rules == style->rules)
        return;
    style->rules = rules;
    if (style->sheet)
        webkit_user_content_manager_remove_style_sheet(content, style->sheet);
    g_clear_pointer(&style->sheet, webkit_user_style_sheet_unref);
    if (!rules)
        return;
    style->sheet = webkit_user_style_sheet_new(
        rules, WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES, WEBKIT_USER_STYLE_LEVEL_USER, NULL, NULL);
    webkit_user_content_manager_add_style_sheet(content, style->sheet);
}

void selection_configure(WebKitUserContentManager *content, gboolean allowed)
{
    static Style style;
    set(content, &style, allowed ? NULL : no_selection);
}

void pointer_configure(WebKitUserContentManager *content, const char *pointer)
{
    static Style style;
    gboolean is_never = g_strcmp0(pointer, "never") == 0, is_always = g_strcmp0(pointer, "always") == 0;
    set(content, &style, is_never ? no_pointer : is_always ? always_pointer : NULL);
}
