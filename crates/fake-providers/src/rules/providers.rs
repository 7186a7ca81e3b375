//! The rules of each provider for `tools` and its output format.

pub(super) mod anthropic;
pub(super) mod gemini;
pub(super) mod openai;

pub(super) mod compatible;
pub(super) mod mcp;
pub(super) mod ollama;
