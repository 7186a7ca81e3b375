//! Turns: interrupted and resumed anywhere, replayed, with requests that only grow.

mod artifacts;
mod conversation_keys;
mod crash;
mod fencing;
mod flow;
mod lease;
mod left_out;
mod log_cache;
mod partial;
mod prefix;
mod questions;
mod record;
mod rewind;
mod settings;
mod silent;
mod text_answer;
mod versions;
mod voice;
mod world;
