// What run-pac.c writes and pac-resolver.c reads.
#pragma once

#define PAC_READY "ready"    // the first line: the program has started
#define PAC_ERROR "error "   // with a reason: no answer for this address
#define PAC_FAILED "failed " // with a reason: there is no script
