//! OpenAI Chat Completions, and every server that speaks it.

mod body;
mod decoder;
mod reasoning;

pub use body::body;
pub use decoder::Decoder;
