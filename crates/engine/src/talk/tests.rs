//! Turns, cut and taken up again anywhere, replayed, and never asking from a changed past.

mod crash;
mod flow;
mod prefix;
mod record;
mod taken;
mod world;
