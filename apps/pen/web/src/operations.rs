//! The operations of Ghostpen, and the types of their answers in the OpenAPI document.

use serde_json::{Value, json};
use server::{Empty, Operation, described};

use crate::{PenLimits, PenState, check, drafts, overview, posts, profiles, progress_stream, work};

/// Every operation, in the order of the document.
pub(crate) fn operations(limits: &PenLimits) -> Vec<Operation<PenState>> {
    folder_operations(limits).into_iter().chain(draft_operations()).collect()
}

fn folder_operations(limits: &PenLimits) -> Vec<Operation<PenState>> {
    vec![
        Operation::get("/api/pen", overview::show)
            .summary("Ghostpen's model, profiles, platforms and newest drafts")
            .answer::<PenOverview>()
            .query("lang", language()),
        Operation::post("/api/pen/check", check::check)
            .summary("Check a text, and split it into posts for every platform; no model is asked")
            .body::<check::TextToCheck>(r#"{"text":"Plans fail. We do not."}"#)
            .answer::<CheckedText>()
            .query("lang", language()),
        Operation::post("/api/pen/profiles", profiles::create)
            .summary("Make the first profile from posts, measured without a model")
            .status(201)
            .body::<profiles::PastedPosts>(POSTS_EXAMPLE)
            .answer::<StyleProfile>()
            .query("lang", language())
            .upload(limits.posts_chars_max.saturating_mul(4)),
        Operation::get("/api/pen/profiles/{profile}", profiles::show)
            .summary("A profile, beside what the saved posts show")
            .answer::<StyleProfile>()
            .query("lang", language()),
        Operation::get("/api/pen/posts", posts::list)
            .summary("The newest saved posts, or those with these words in any form")
            .answer::<SavedPosts>()
            .query("search", text())
            .query("platform", platform())
            .query("lang", language()),
        Operation::get("/api/pen/posts/{file}", posts::show)
            .summary("The text of a saved post")
            .answer::<SavedPost>(),
    ]
}

fn draft_operations() -> Vec<Operation<PenState>> {
    vec![
        Operation::get("/api/pen/drafts", overview::list)
            .summary("The newest drafts; the terminal has the same ones")
            .answer::<Vec<DraftSummary>>(),
        Operation::post("/api/pen/drafts", drafts::begin)
            .summary("Begin a draft for each platform from one idea; `write` lets the model write")
            .status(201)
            .body::<drafts::Idea>(r#"{"idea":"a post about plans","platforms":["linkedin","x"]}"#)
            .answer::<BegunDrafts>()
            .query("lang", language()),
        Operation::get("/api/pen/drafts/{draft}", drafts::show)
            .summary("A draft: its text, findings, last change and open question")
            .answer::<DraftShown>()
            .query("lang", language()),
        Operation::delete("/api/pen/drafts/{draft}", drafts::delete)
            .summary("Delete a draft; saved posts stay, and it can be restored for 30 days")
            .status(204),
        Operation::post("/api/pen/drafts/{draft}/restore", drafts::restore)
            .summary("Bring back a draft that was deleted")
            .status(204)
            .body::<Empty>("{}"),
        Operation::put("/api/pen/drafts/{draft}/plan", drafts::plan)
            .summary("Plan a draft for a day, or for none; nothing is published")
            .status(204)
            .body::<drafts::Plan>(r#"{"day":"2026-02-08"}"#),
        Operation::post("/api/pen/drafts/{draft}/prompt", drafts::prompt)
            .summary("The prompt that a session would send, to paste into any chat")
            .body::<drafts::PromptWish>("{}")
            .answer::<PromptText>()
            .query("lang", language()),
        Operation::post("/api/pen/drafts/{draft}/write", work::write)
            .summary("Let the model write the first text; it arrives over the stream")
            .status(202)
            .answer::<WorkBegun>()
            .body::<Empty>("{}")
            .query("lang", language()),
        Operation::post("/api/pen/drafts/{draft}/say", work::say)
            .summary("Say something of a draft, as in a session: a remark, an edit, `undo`, `save`")
            .status(202)
            .answer::<WorkBegun>()
            .body::<work::Line>(r#"{"line":"undo"}"#)
            .query("lang", language()),
        Operation::put("/api/pen/drafts/{draft}/text", work::edit)
            .summary("Put the author's own text into a draft, as a new version")
            .status(202)
            .answer::<WorkBegun>()
            .body::<work::Edited>(r#"{"text":"Plans fail. We do not."}"#)
            .query("lang", language()),
        Operation::post("/api/pen/drafts/{draft}/stop", work::stop)
            .summary("Stop the work on a draft; its text stays")
            .status(202)
            .body::<Empty>("{}")
            .answer::<WorkStopped>(),
        Operation::get("/api/pen/drafts/{draft}/stream", progress_stream::stream)
            .summary("The work on a draft over SSE: `progress`, then `end`")
            .query("lang", language()),
    ]
}

const POSTS_EXAMPLE: &str = concat!(
    r#"{"posts":"One day I stopped planning.\n---\n"#,
    r#"I wrote it down anyway, twice.\n---\nThen it worked out by itself."}"#
);

fn text() -> Value {
    json!({ "type": "string" })
}

/// `uk` or `en`; anything else is English.
fn language() -> Value {
    text()
}

fn platform() -> Value {
    json!({ "type": "string", "enum": pen::Platform::ALL })
}

described! {
    /// `model` is null without a key.
    PenOverview {
        model: Option<String>,
        notion: String,
        search: bool,
        folder: String,
        profiles: Vec<Value>,
        platforms: Vec<Value>,
        feedback: Vec<Value>,
        characters: u64,
        drafts: Vec<Value>,
    }
    /// The findings of a text; `threads` are its posts on every platform.
    CheckedText {
        platform: String,
        length: u64,
        length_max: u64,
        violations: Vec<Value>,
        unchecked: Vec<String>,
        threads: Vec<Value>,
    }
    StyleProfile {
        name: String,
        kind: String,
        version: u64,
        language: String,
        voice: Value,
        platforms: Value,
        examples: Vec<Value>,
        measured: Option<Value>,
        saved: Option<Value>,
        differences: Option<Vec<Value>>,
    }
    SavedPosts { posts: Vec<Value>, total: u64, }
    SavedPost { file: String, text: String, }
    DraftSummary {
        id: String,
        topic: String,
        platform: Option<String>,
        status: String,
        updated: String,
        planned: Option<String>,
        preview: String,
        busy: bool,
    }
    BegunDrafts { drafts: Vec<Value>, }
    /// `seat` is what the last work on it has shown, `changes` what the last change did.
    DraftShown {
        id: String,
        topic: String,
        platform: Option<String>,
        status: String,
        updated: String,
        planned: Option<String>,
        text: String,
        version: u64,
        versions: u64,
        changes: Vec<Value>,
        question: Option<Value>,
        busy: bool,
        seat: Value,
    }
    PromptText { text: String, }
    WorkBegun { busy: bool, }
    WorkStopped { stopped: bool, }
}
