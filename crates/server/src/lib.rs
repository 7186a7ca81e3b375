//! Ghostpad's server: an API for conversations, a live stream of each, the page's files.
//!
//! In: a desk, a model, who may come in. Out: HTTP on one listener. Must hold: a request is
//! answered only if its `Host` and `Origin` are ours and its token, where tokens are asked
//! for, is known; nobody reads another owner's conversations or keys; a slow reader never
//! holds up a turn; text of the channel `context` is in no answer.
//!
//! Start at [`Server`], then `operations.rs`: the table that the router and the OpenAPI
//! document are both made of.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod app;
mod body;
mod bundle;
mod caller;
mod connections;
mod door;
mod fault;
mod highlight;
mod icons;
mod limits;
mod listen;
mod logins;
mod markdown;
mod operations;
mod page;
mod pulse;
mod rate;
mod reader;
mod renderers;
mod runner;
mod seats;
mod shapes;
mod shelf;
mod stalled;
mod tokens;

mod backlog;
mod beside;
mod by_hand;
mod channel;
mod frame;
mod keyed;
mod scene;
mod search;
mod spans;
mod spoken;
mod state;
mod telemetry;

mod agui;
mod approvals;
mod assist;
mod call;
mod cards;
mod conversations;
mod copies;
mod doubts;
mod dress;
mod entrance;
mod figures;
mod forms;
mod kept;
mod kv;
mod left_out;
mod messages;
mod personas;
mod properties;
mod questions;
mod session;
mod settings;
mod stream;
mod tools;

pub use call::{CALLS, tools_document};
pub use caller::Caller;
pub use limits::ServerLimits;
pub use listen::{ListenFault, Server, page_address, reachable, serve_router};
pub use markdown::{Blocks, Growing, to_html};
pub use pulse::{EverySecond, Pulse};
pub use renderers::{NotRendered, Renderers};
pub use telemetry::{BadTelemetry, Content, Telemetry};
pub use tokens::{BadToken, Program, Token, Tokens};
