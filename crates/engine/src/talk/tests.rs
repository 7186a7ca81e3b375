//! Turns, cut and taken up again anywhere, replayed, and never asking from a changed past.

mod crash;
mod flow;
mod held;
mod kept;
mod left_out;
mod partial;
mod plain;
mod prefix;
mod record;
mod silent;
mod taken;
mod world;
