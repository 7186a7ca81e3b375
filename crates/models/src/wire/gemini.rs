//! Gemini generateContent.

mod body;
mod decoder;

pub use body::body;
pub use decoder::Decoder;

use super::Delivery;

/// The model stands in the address; the key never does.
pub(super) fn path(model: &str, delivery: Delivery) -> String {
    let folder = if model.contains('/') { "" } else { "models/" };
    match delivery {
        Delivery::Stream => format!("/{folder}{model}:streamGenerateContent?alt=sse"),
        Delivery::Whole => format!("/{folder}{model}:generateContent"),
    }
}
