//! The handlers of the nine tools.
//!
//! In: arguments that fit the contract. Out: `success`, and either the data or `error` and
//! `message`. Must hold, whatever a model asks: no post is saved in a conversation that has not
//! read the profile it is written with. The policy ensures that a person approved a change:
//! the contracts require it.

mod contracts;
mod handlers;
mod network;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::ToolId;
use hosts::native::{NativeContext, NativeHost};
use serde_json::{Value, json};

pub use contracts::unpack;

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

/// How many conversations are remembered.
const CONVERSATIONS_MAX: usize = 1_000;

/// The state behind the tools. Clones share it.
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
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// Which profiles each conversation has read, with their versions.
    read: BTreeMap<String, BTreeMap<String, u64>>,
    order: VecDeque<String>,
    /// The last saved post, so that a failed Notion page does not save it twice.
    saved: Option<(String, PathBuf)>,
}

impl Pen {
    pub fn new(workspace: Workspace, lang: Lang, remote: RemoteServices) -> Self {
        let posts = Posts::of(&workspace);
        let tracker = Tracker::of(&workspace);
        let memory = Mutex::default();
        Self { inner: Arc::new(Inner { workspace, posts, tracker, lang, remote, memory }) }
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

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.inner.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a conversation has read a profile.
    fn has_read(&self, conversation: &str, profile: &str, version: u64) {
        let mut memory = self.memory();
        if !memory.read.contains_key(conversation) {
            memory.order.push_back(conversation.to_owned());
            if memory.order.len() > CONVERSATIONS_MAX
                && let Some(oldest) = memory.order.pop_front()
            {
                memory.read.remove(&oldest);
            }
        }
        let profiles = memory.read.entry(conversation.to_owned()).or_default();
        profiles.insert(profile.to_owned(), version);
    }

    /// The version of a post's profile, or the profiles that were not read.
    fn grounded(&self, conversation: &str, profile_used: &str) -> Result<u64, Vec<String>> {
        let memory = self.memory();
        let read = memory.read.get(conversation);
        let names: Vec<&str> =
            profile_used.strip_prefix("mix:").unwrap_or(profile_used).split('+').collect();
        let version = |name: &&str| read.and_then(|read| read.get(*name)).copied();
        let missing = names.iter().filter(|name| version(name).is_none());
        let missing: Vec<String> = missing.map(|name| (*name).to_owned()).collect();
        match (missing.is_empty(), names.first().and_then(version)) {
            (true, Some(version)) => Ok(version),
            _ => Err(missing),
        }
    }
}

/// The tool ids for which this crate has handlers.
pub fn native_ids() -> BTreeSet<ToolId> {
    IDS.iter().filter_map(|id| id.parse().ok()).collect()
}

/// Adds the nine handlers to a host.
pub fn add_to(host: &mut NativeHost, pen: &Pen) {
    macro_rules! blocking {
        ($id:literal, $handler:path) => {
            let pen = pen.clone();
            host.add($id, move |args: Value, context: NativeContext| {
                let pen = pen.clone();
                async move {
                    let conversation = conversation_of(&context);
                    // Files are read and locked on a blocking thread.
                    let work = move || $handler(&pen, &args, &conversation);
                    let done = tokio::task::spawn_blocking(work).await;
                    Ok(answer(done.unwrap_or_else(|_| failed("internal", "the tool broke down"))))
                }
            });
        };
    }
    blocking!("read_style_profile", handlers::read_style_profile);
    blocking!("update_style_profile", handlers::update_style_profile);
    blocking!("list_profiles", handlers::list_profiles);
    blocking!("read_past_posts", handlers::read_past_posts);
    blocking!("save_to_file", handlers::save_to_file);
    blocking!("track_feedback", handlers::track_feedback);
    network::add_to(host, pen);
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
