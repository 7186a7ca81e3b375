//! The handlers of the nine tools.
//!
//! In: arguments that fit the contract. Out: `success`, and either the data or `error` and
//! `message`. Must hold, whatever a model asks: no post is saved in a conversation that has not
//! read the profile it is written with. The policy ensures that a person approved a change:
//! the contracts require it.

mod contracts;
mod handlers;
mod network;
mod profile_reads;

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::ToolId;
use hosts::native::{NativeContext, NativeHost};
use serde_json::{Value, json};

pub use contracts::unpack;
pub use profile_reads::{ProfileReads, ReadVersions, ReadsInMemory};

use crate::feedback::Tracker;
use crate::posts::Posts;
use crate::remote::RemoteServices;
use crate::text::language::Lang;
use crate::workspace::Workspace;

/// The tools' ids.
pub const IDS: [&str; 9] = [
    "read_style_profile",
    "update_style_profile",
    "list_profiles",
    "read_past_posts",
    "save_to_file",
    "search_web",
    "read_notion_page",
    "write_to_notion",
    "track_feedback",
];

/// The parts behind the tools. Clones share them.
#[derive(Clone)]
pub struct Pen {
    inner: Arc<Inner>,
}

struct Inner {
    workspace: Workspace,
    posts: Posts,
    tracker: Tracker,
    lang: Lang,
    remote: RemoteServices,
    reads: Arc<dyn ProfileReads>,
}

impl Pen {
    pub fn new(
        workspace: Workspace,
        lang: Lang,
        remote: RemoteServices,
        reads: Arc<dyn ProfileReads>,
    ) -> Self {
        let posts = Posts::of(&workspace);
        let tracker = Tracker::of(&workspace);
        Self { inner: Arc::new(Inner { workspace, posts, tracker, lang, remote, reads }) }
    }

    pub fn workspace(&self) -> &Workspace {
        &self.inner.workspace
    }

    pub fn posts(&self) -> &Posts {
        &self.inner.posts
    }

    pub fn tracker(&self) -> &Tracker {
        &self.inner.tracker
    }

    pub fn remote(&self) -> &RemoteServices {
        &self.inner.remote
    }

    fn lang(&self) -> Lang {
        self.inner.lang
    }

    /// Records that a conversation has read a profile. Without the record its posts are refused.
    async fn has_read(&self, conversation: &str, profile: &str, version: u64) {
        if let Err(fault) = self.inner.reads.record(conversation, profile, version).await {
            tracing::error!(fault, profile, "cannot record that a profile was read");
        }
    }

    /// The version of a post's profile, or the answer for a post whose profile was not read.
    async fn grounded(&self, conversation: &str, profile_used: &str) -> Result<u64, Value> {
        let read = self.inner.reads.read_in(conversation).await;
        let read = read.map_err(|fault| failed("store_error", &fault))?;
        let names: Vec<&str> =
            profile_used.strip_prefix("mix:").unwrap_or(profile_used).split('+').collect();
        let missing: Vec<&str> =
            names.iter().filter(|name| !read.contains_key(**name)).copied().collect();
        match names.first().and_then(|name| read.get(*name)) {
            Some(version) if missing.is_empty() => Ok(*version),
            Some(_) | None => {
                let list = missing.join(", ");
                let message = self.lang().fill("tools.profile_not_read", &[("profiles", &list)]);
                Err(failed("profile_not_read", &message))
            }
        }
    }
}

/// The tool ids for which this crate has handlers.
pub fn native_ids() -> BTreeSet<ToolId> {
    IDS.iter().filter_map(|id| id.parse().ok()).collect()
}

/// Adds the nine handlers to a host.
pub fn add_to(host: &mut NativeHost, pen: &Pen) {
    macro_rules! handler {
        ($id:literal, $handler:path) => {
            let pen = pen.clone();
            host.add($id, move |args: Value, context: NativeContext| {
                let pen = pen.clone();
                async move {
                    let conversation = conversation_of(&context);
                    Ok(answer($handler(&pen, &args, &conversation).await))
                }
            });
        };
    }
    handler!("read_style_profile", handlers::read_style_profile);
    handler!("update_style_profile", handlers::update_style_profile);
    handler!("list_profiles", handlers::list_profiles);
    handler!("read_past_posts", handlers::read_past_posts);
    handler!("save_to_file", handlers::save_to_file);
    handler!("track_feedback", handlers::track_feedback);
    handler!("search_web", network::search_web);
    handler!("read_notion_page", network::read_notion_page);
    handler!("write_to_notion", network::write_to_notion);
}

/// Files are read and locked on a blocking thread.
async fn blocking<T: Send + 'static>(
    pen: &Pen,
    work: impl FnOnce(&Pen) -> T + Send + 'static,
) -> Result<T, Value> {
    let pen = pen.clone();
    let done = tokio::task::spawn_blocking(move || work(&pen)).await;
    done.map_err(|_| failed("internal", "the tool broke down"))
}

/// The host's envelope around a tool's answer.
fn answer(data: Value) -> Value {
    Value::Object([("ok".to_owned(), true.into()), ("data".to_owned(), data)].into_iter().collect())
}

/// A failure as the tools report it.
fn failed(error: &str, message: &str) -> Value {
    json!({ "success": false, "error": error, "message": message })
}

fn conversation_of(context: &NativeContext) -> String {
    let id = context.plain.pointer("/metadata/conversationId").and_then(Value::as_str);
    id.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
