#pragma once
#include "report/text.h"

namespace heddle::cli {

// As wide as the terminal; coloured only there, and not under NO_COLOR.
TextOptions text_options(bool all);

}  // namespace heddle::cli
