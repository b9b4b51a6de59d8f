// The folder with what pages store. Both functions are called before a session is created.
#pragma once

void storage_limit(const char *folder);
// Removes what is damaged or cannot be used, and returns the folder, or another one when it cannot be used at all.
const char *storage_repair(const char *folder);
