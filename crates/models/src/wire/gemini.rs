//! Gemini generateContent.

mod body;
mod decoder;

pub use body::body;
pub use decoder::Decoder;

use super::ResponseMode;

/// The address contains the model, but never the key.
pub(super) fn path(model: &str, delivery: ResponseMode) -> String {
    let folder = if model.contains('/') { "" } else { "models/" };
    match delivery {
        ResponseMode::Stream => format!("/{folder}{model}:streamGenerateContent?alt=sse"),
        ResponseMode::Whole => format!("/{folder}{model}:generateContent"),
    }
}
