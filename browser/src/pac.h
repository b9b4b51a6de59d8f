// The parts that run a PAC script: a resolver in WebKit's network process, and the program that it asks.
#pragma once

#define PAC_RESOLVER "vitrine-pac"
#define PAC_MODULES VITRINE_PREFIX "/lib/vitrine/gio"
#define PAC_PROGRAM VITRINE_PREFIX "/lib/vitrine/run-pac"
#define PAC_READY "ready" // the first line of the program
