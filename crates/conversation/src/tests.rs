//! Turns, cut and taken up again anywhere, replayed, and never asking from a changed past.

mod conversation_keys;
mod crash;
mod flow;
mod lease;
mod left_out;
mod partial;
mod prefix;
mod record;
mod rewind;
mod silent;
mod text_answer;
mod world;
