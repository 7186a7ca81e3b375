//! The domain types of Ghosthand: contracts of tools, model requests and replies, tool responses.
//!
//! Every other crate uses these types. Nothing here reads a file, a clock or a socket, and
//! nothing depends on a provider; `Cargo.toml` and this crate's `clippy.toml` ensure that.
//!
//! Start at [`Contract`], then [`ToolResponse`]. The modules are in reading order: the tool,
//! the model's call, the handler's questions, the response, then shared helpers.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod capabilities;
mod code;
mod contract;
mod tool_id;

mod call;
mod model;

mod answers;
mod ask;

mod chunk;
mod error_type;
mod intent;
mod response;

mod builtin_tools;
mod canonical;
mod digest;
mod hex;
mod nearest;
mod pointer;
mod secret;

pub use answers::{Action, Answers, HandlerAnswer};

pub use ask::{Ask, AskKind, Asks, BadAsk};
pub use builtin_tools::{
    BUILTIN_TOOLS, QUERY_TOOL_MEMORY, READ_DOCUMENT, READ_RESULT, SEARCH_DOCUMENTS,
};
pub use call::{Call, CallId};
pub use canonical::{canonical, canonical_bytes};
pub use capabilities::{
    AttachmentAccess, BadCapability, Capabilities, FileRoot, HostPattern, KeyPrefix, SecretName,
};
pub use chunk::{Channel, Chunk};
pub use code::{Code, CodeFault, CodeFaultKind};
pub use contract::{Category, Contract, Mode, Reuse, SideEffects, UnknownWord};
pub use digest::{BadDigest, Digest, Digester};
pub use error_type::{ErrorType, RaisedBy};
pub use hex::hex;
pub use intent::{After, Intent, IntentFault, IntentType};
pub use model::{
    Block, BoxFuture, CallResult, Delta, Deltas, EmbeddedTexts, Embedder, FaultKind, FileContent,
    FilePart, FileRef, Message, Model, ModelFacts, ModelFault, Native, OutputSchema, Part,
    RejectedTool, Reply, ReplyFuture, Request, Role, Rung, RungMemory, Sampling, Sight, StopReason,
    StructuredReply, ToolChoice, ToolOffer, Usage, Wire,
};
pub use nearest::nearest;
pub use pointer::{BadPointer, Pointer};
pub use response::artifact::{Artifact, ArtifactFault};
pub use response::{
    MalformedResponse, Meta, RESPONSE_SCHEMA_VERSION, ToolError, ToolResponse, failure_in,
};
pub use secret::Secret;
pub use semver::Version;
pub use tool_id::{BadToolId, ToolId};

/// Lets serde read and write a type as its text, by its `FromStr` and `Display`; the type has
/// `#[serde(try_from = "String", into = "String")]`.
#[macro_export]
macro_rules! serde_as_text {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = <$name as std::str::FromStr>::Err;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.to_string()
            }
        }
    };
}
