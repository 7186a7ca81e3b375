// The modules that the pages of all crates may import. They are one bundle, so each runs once.

import "./api.js";
import "./dialog.js";
import "./dom.js";
import "./forms.js";
import "./icon.js";
import "./preview.js";
import "./state.js";
import "./words.js";
