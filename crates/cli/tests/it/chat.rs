//! Conversations with a model, and structured output, in the terminal.

mod emit;
mod interrupted;
mod local_model;
mod model_errors;
mod turn;
mod unavailable_tools;
