//! What bodies and answers look like, for the OpenAPI document: made of the types that the
//! code reads and writes.

use std::collections::BTreeMap;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::approvals::{self, in_doubt};
use super::conversations::{self, agui, export, messages};
use super::json_body::Empty;
use super::tools::{self, features, left_out, run_tool};
use super::{ai_edit, kv, personas, session, settings, snippets, usage};
use crate::cards;

/// The shapes so far; types with names are described once.
pub(crate) struct Shapes(SchemaGenerator);

/// Of one operation, as far as they are known.
#[derive(Default)]
pub(crate) struct Shape {
    pub body: Option<Value>,
    pub answer: Option<Value>,
}

impl Shapes {
    pub(crate) fn new() -> Self {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        Self(settings.into_generator())
    }

    /// Every type that was named.
    pub(crate) fn named(&mut self) -> Map<String, Value> {
        self.0.take_definitions(true)
    }

    pub(crate) fn of(&mut self, method: &str, path: &str) -> Shape {
        match (method, path) {
            ("get", "/api/session") => self.answer::<session::Session>(),
            ("get", "/api/conversations") => self.answer::<Vec<conversations::Found>>(),
            ("post", "/api/conversations") => self.both::<conversations::New, snippets::Made>(),
            ("get", "/api/conversations/{id}") => self.answer::<Conversation>(),
            ("put", "/api/conversations/{id}") => self.body::<conversations::Renamed>(),
            ("post", "/api/conversations/{id}/messages") => self.both::<messages::Said, Begun>(),
            ("post", "/api/conversations/{id}/edit") => self.both::<messages::Edited, Begun>(),
            ("post", "/api/conversations/{id}/regenerate") => self.both::<messages::Again, Begun>(),
            ("post", "/api/conversations/import") => self.both::<export::File, snippets::Made>(),
            ("post", "/api/agui") => self.body::<agui::Input>(),
            ("post", "/api/conversations/{id}/stop") => self.both::<Empty, Stopped>(),
            ("post", "/api/conversations/{id}/branch") => self.both::<export::At, snippets::Made>(),
            ("get", "/api/tools") => self.answer::<Vec<tools::Line>>(),
            ("get", "/api/tools/left-out") => self.answer::<Vec<left_out::Missing>>(),
            ("post", "/api/tools/{id}/switch") => self.body::<tools::Switch>(),
            ("post", "/api/files/switch") => self.body::<tools::SwitchFile>(),
            ("get", "/api/tools/{id}/why") => self.answer::<Vec<String>>(),
            ("post", "/api/tools/{id}/run") => self.both::<run_tool::ByHand, run_tool::Ran>(),
            ("post", "/api/call/{tool}") => self.both::<BTreeMap<String, Value>, Called>(),
            ("get", "/api/features") => self.answer::<Vec<features::Shown<'_>>>(),
            ("post", "/api/tool_submit") => self.both::<features::Submitted, features::Reply>(),
            ("get", "/api/kv") => self.answer::<BTreeMap<String, Value>>(),
            ("put", "/api/kv/{key}") => self.body::<kv::New>(),
            ("get", "/api/kv/{key}/list") => self.answer::<kv::Listed>(),
            ("post", "/api/kv/{key}/push") => self.both::<kv::New, kv::Edited>(),
            ("delete", "/api/kv/{key}/item/{index}") => self.answer::<kv::Edited>(),
            ("get", "/api/personas") => self.answer::<Vec<personas::Shown>>(),
            ("post", "/api/personas") => self.both::<personas::Written, snippets::Made>(),
            ("put", "/api/personas/{id}") => self.body::<personas::Written>(),
            ("get", "/api/conversations/{id}/personas") => self.answer::<personas::Chosen>(),
            ("put", "/api/conversations/{id}/personas") => self.body::<personas::Chosen>(),
            ("get", "/api/settings") => self.answer::<settings::Form>(),
            ("put", "/api/settings") => self.body::<settings::Settings>(),
            ("get", "/api/doubts") => self.answer::<Vec<in_doubt::Doubt>>(),
            ("get", "/api/library") => self.answer::<Vec<snippets::Kind>>(),
            ("get", "/api/library/{kind}") => self.answer::<Vec<BTreeMap<String, Value>>>(),
            ("post", "/api/library/{kind}") => self.both::<Snippet, snippets::Made>(),
            ("get", "/api/library/{kind}/{id}") => self.answer::<Snippet>(),
            ("put", "/api/library/{kind}/{id}") => self.body::<Snippet>(),
            ("post", "/api/ai_edit") => self.both::<ai_edit::Edit, ai_edit::Written>(),
            ("post", "/api/suggest") => self.both::<ai_edit::For, ai_edit::Written>(),
            ("get", "/api/audit") => self.answer::<Vec<Audited>>(),
            ("get", "/api/cards") => self.answer::<CardRuns>(),
            ("post", "/api/cards") => self.both::<cards::Text, CardRun>(),
            ("get", "/api/cards/{run}") => self.answer::<CardRun>(),
            ("post", "/api/cards/{run}/work") => self.both::<cards::Order, Sentences>(),
            ("post", "/api/cards/{run}/retry" | "/api/cards/{run}/skip") => {
                self.both::<cards::Which, Sentences>()
            }
            ("post", "/api/cards/{run}/stop") => self.both::<Empty, Stopped>(),
            ("get", "/api/cards/{run}/deck") => self.answer::<Vec<CardShown>>(),
            ("get", "/api/cards/{run}/sentences") => self.answer::<Vec<SentenceShown>>(),
            ("put", "/api/cards/{run}/deck") => self.body::<cards::deck::Changed>(),
            ("post", "/api/cards/{run}/visible") => self.body::<cards::deck::Visible>(),
            ("post", "/api/cards/{run}/restore") => self.body::<cards::deck::Named>(),
            ("post", "/api/cards/{run}/undo") => self.both::<Empty, Undone>(),
            ("post", "/api/cards/import") => self.both::<cards::files::File, Imported>(),
            ("get", "/api/cards/known") => self.answer::<cards::deck::Known>(),
            ("put", "/api/cards/known") => self.body::<cards::deck::Learned>(),
            ("get", "/api/usage") => self.answer::<usage::Used>(),
            ("get", "/api/approvals") => self.answer::<Vec<approvals::Question>>(),
            ("post", "/api/approvals/{id}") => self.both::<approvals::Given, approvals::GoesOn>(),
            _ => Shape::default(),
        }
    }

    fn answer<A: JsonSchema>(&mut self) -> Shape {
        Shape { body: None, answer: Some(self.shape::<A>()) }
    }

    fn body<B: JsonSchema>(&mut self) -> Shape {
        Shape { body: Some(self.shape::<B>()), answer: None }
    }

    fn both<B: JsonSchema, A: JsonSchema>(&mut self) -> Shape {
        Shape { body: Some(self.shape::<B>()), answer: Some(self.shape::<A>()) }
    }

    fn shape<T: JsonSchema>(&mut self) -> Value {
        let schema: Schema = self.0.subschema_for::<T>();
        json!(schema)
    }
}

/// Types that are read or written by hand elsewhere; the tests hold answers against them.
macro_rules! described {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $kind:ty,)* })+) => {$(
        #[derive(JsonSchema)]
        #[serde(rename_all = "camelCase")]
        #[expect(dead_code, reason = "it is only described")]
        $(#[$about])*
        struct $name { $($field: $kind,)* }
    )+};
}

described! {
    Conversation {
        id: String,
        title: String,
        model: Option<String>,
        mode: Option<String>,
        entries: Vec<Value>,
        open: bool,
        running: bool,
        waiting: Vec<Value>,
        last: Value,
    }
    /// A tool's envelope. `meta` is there if it ran, `said` if it spoke meanwhile.
    Called {
        ok: bool,
        data: Value,
        intents: Vec<Value>,
        verdict: String,
        meta: Option<Value>,
        notes: Option<Vec<String>>,
        said: Option<Vec<String>>,
    }
    Begun { turn: u64, }
    Stopped { stopped: bool, }
    CardRuns { runs: Vec<Value>, model: String, rehearsal: bool, batches: bool, characters: u64, }
    /// A run of flashcards; `trouble` is in the reader's language.
    CardRun {
        id: String,
        document: String,
        from: String,
        to: String,
        sentences: u64,
        progress: Value,
        partial: bool,
        trouble: Option<Value>,
        busy: bool,
        counts: Value,
        estimate: Value,
    }
    Sentences { sentences: u64, }
    /// `pieces` are the sentences of `contexts`, cut where the card's word stands.
    CardShown {
        key: String,
        unit: String,
        meaning: String,
        shown: bool,
        edited: bool,
        known: bool,
        visible: bool,
        contexts: Vec<Value>,
        pieces: Vec<Vec<Value>>,
    }
    SentenceShown {
        index: u64,
        sid: String,
        gap: String,
        text: String,
        translation: Option<String>,
        state: String,
        trouble: Option<Value>,
        segments: Vec<Value>,
    }
    Undone { undone: bool, }
    Imported { run: Option<String>, preview: Value, }
    /// Any fields; the page uses these two.
    Snippet { title: Option<String>, content: Option<Value>, }
    /// One call as the audit has it. Arguments are names and sizes, never values.
    Audited {
        event: String,
        at: u64,
        tool: String,
        registry_version: String,
        call: String,
        conversation: String,
        mode: String,
        verdict: String,
        rule: String,
        ok: bool,
        error: Option<String>,
        duration: Option<u64>,
        over_budget: bool,
        degraded: bool,
        result_bytes: u64,
        args: Value,
        edited: Option<bool>,
    }
}
