//! The rules of each provider: what its `tools` and its output format must look like.

pub(super) mod anthropic;
pub(super) mod gemini;
pub(super) mod openai;

pub(super) mod compatible;
pub(super) mod mcp;
pub(super) mod ollama;
