//! Our tools out: one door to the engine, for every MCP client.
//!
//! In: requests of a client. Out: lists, results, questions to a person. Must hold: the
//! list is the same for everybody who may see the same tools, in the same order, and what
//! runs, runs by the engine's verdict alone.
//!
//! Start at [`Door`]; a call's whole road is in `call.rs`.

mod app;
mod approval;
mod call;
mod caller;
mod capabilities;
mod completion;
mod door;
mod era;
mod facade;
pub mod http;
mod input;
mod logging;
mod missing;
mod news;
mod offered;
mod pieces;
mod prompts;
mod reply;
mod resources;
mod seal;
mod sessions;
mod shelf;
mod stdio;
mod told;
mod visit;
mod voice;

pub use caller::Principal;
pub use door::{Approvals, CONVERSATIONS, Door, DoorFault, DoorOptions, Offer};
pub use facade::facade_bytes;
pub use stdio::serve_stdio;
