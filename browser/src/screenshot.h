#pragma once

#include "link.h"

void screenshot(Call call); // answered with the page as PNG
