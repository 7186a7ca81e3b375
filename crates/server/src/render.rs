//! Text as safe HTML: Markdown, whole or while it is being written, and highlighted code.
//!
//! Must hold: the output has no script and loads nothing from elsewhere; the time to render
//! is linear in the text. Start at [`markdown`].

pub(crate) mod markdown;

pub(crate) mod autoclose;
pub(crate) mod highlight;
pub(crate) mod incremental;
pub(crate) mod render_pool;
