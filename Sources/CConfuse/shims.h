#pragma once
#include <confuse.h>
