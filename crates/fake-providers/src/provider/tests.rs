//! The provider as a client sees it, over real sockets.

mod batches;
mod client;
mod delivery;
mod faults;
mod refusals;
mod replays;
mod replies;
