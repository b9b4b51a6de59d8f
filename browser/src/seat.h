// Input on its way from the compositor.
#pragma once

#include "link.h"

#include <wpe/webkit.h>

// Calls `settled` when WebKit has got all input that the compositor has sent so far, and will be sent that of the
// pointer and the keyboard that there are now.
void seat_settle(WPEView *view, void (*settled)(Call call), Call call);
