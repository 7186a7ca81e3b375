//! Ghostpad's server: the API for conversations, their live streams, the page's files.
//!
//! In: an engine, a model, tokens, extensions. Out: HTTP on one listener. Must hold: a request
//! is answered only if its `Host` and `Origin` are ours and its token is known, where tokens
//! are required; an owner cannot read another's conversations or keys; a slow reader never
//! delays a turn; text of the channel `context` is in no answer.
//!
//! Start at [`Server`], then `routes/table.rs`: the operations from which the router and the
//! OpenAPI document are generated. [`Extension`] is how other crates add features.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod server;
mod state;

mod auth;
mod routes;

mod artifacts;
mod cluster;
mod conversations;
mod stream;

mod assets;
mod render;

mod extension;
mod fault;
mod inbox;
mod telemetry;

pub use artifacts::{Artifact, Kind, Version, artifacts};
pub use attachments::AttachmentLimits;
pub use auth::caller::Caller;
pub use auth::concurrency::{ConcurrencyLimit, Permit};
pub use auth::tokens::{BadToken, LOCAL, Program, Token, Tokens, random_name};
pub use conversations::taken::{OwnConversations, TakenConversation};
pub use extension::{
    Assets, BodyArrives, BodyLimit, Extension, Page, ServiceWorker, Shutdown, StreamLimit,
};
pub use fault::{Fault, HandlerResult};
pub use inbox::{InboxNotice, InboxNotices};
pub use render::incremental::{Blocks, IncrementalMarkdown};
pub use render::markdown::to_html;
pub use render::render_pool::{NotRendered, RenderPool};
pub use routes::call_tool::{CALLS, tools_document};
pub use routes::json_body::{Empty, JsonBody};
pub use routes::operation::Operation;
pub use server::limits::ServerLimits;
pub use server::{ListenFault, Server, page_address, reachable, refuse_open, serve_router};
pub use stream::condition_clock::{ConditionClock, EverySecond};
pub use stream::sse;
pub use telemetry::{BadTelemetry, Content, Telemetry};
