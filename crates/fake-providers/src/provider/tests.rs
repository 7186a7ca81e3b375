//! The provider as a client sees it, over real sockets on this machine.

mod batches;
mod client;
mod delivery;
mod faults;
mod refusals;
mod replays;
mod replies;
