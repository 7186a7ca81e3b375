//! Ghostpad's server: an API for conversations, a live stream of each, the page's files.
//!
//! In: an engine, a model, who may come in. Out: HTTP on one listener. Must hold: a request is
//! answered only if its `Host` and `Origin` are ours and its token, where tokens are asked
//! for, is known; nobody reads another owner's conversations or keys; a slow reader never
//! holds up a turn; text of the channel `context` is in no answer.
//!
//! Start at [`Server`], then `routes.rs`: the table that the router and the OpenAPI
//! document are both made of.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod server;
mod state;

mod auth;
mod routes;

mod conversations;
mod stream;

mod assets;
mod render;

mod extension;
mod fault;
mod telemetry;

pub use auth::caller::Caller;
pub use auth::concurrency::{ConcurrencyLimit, Permit};
pub use auth::tokens::{BadToken, LOCAL, Program, Token, Tokens};
pub use extension::{Assets, BodyLimit, Extension, Page, Shutdown, StreamLimit};
pub use fault::{Fault, HandlerResult};
pub use render::incremental::{Blocks, IncrementalMarkdown};
pub use render::markdown::to_html;
pub use render::render_pool::{NotRendered, RenderPool};
pub use routes::call_tool::{CALLS, tools_document};
pub use routes::json_body::{Empty, JsonBody};
pub use routes::operation::Operation;
pub use server::limits::ServerLimits;
pub use server::{ListenFault, Server, page_address, reachable, serve_router};
pub use stream::condition_clock::{ConditionClock, EverySecond};
pub use stream::sse;
pub use telemetry::{BadTelemetry, Content, Telemetry};
