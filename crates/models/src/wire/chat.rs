//! OpenAI Chat Completions, and compatible servers.

mod body;
mod decoder;
mod reasoning;

pub use body::body;
pub use decoder::Decoder;
