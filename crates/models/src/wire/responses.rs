//! OpenAI Responses.

mod body;
mod decoder;

pub use body::body;
pub use decoder::{Decoder, frames_of};
