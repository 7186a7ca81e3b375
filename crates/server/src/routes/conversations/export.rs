//! Branches, exports and imports conversations.

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::Mode;
use conversation::{
    Conversation, ConversationEvent, ConversationSettings, EndReason, Entry, EventRecord, Step,
    StepState, view,
};
use policy::ConversationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::conversations::conversation_index::{ConversationSummary, Stay};
use crate::conversations::organisation::{Organisation, clean_tags};
use crate::fault::{Fault, HandlerResult};
use crate::routes::conversations::settings::GivenSettings;
use crate::routes::conversations::{check_room, opening};
use crate::routes::json_body::JsonBody;
use crate::routes::settings::an_optional_object;
use crate::state::AppState;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BranchAt {
    /// The last event of the copy.
    #[schemars(range(min = 1))]
    event: u64,
}

pub(crate) async fn branch(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(BranchAt { event }): JsonBody<BranchAt>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let line = app.index.line(&owner, &id).await?;
    if event == 0 {
        return Err(Fault::bad_request("a copy has at least one event", "give `event` from 1"));
    }
    check_room(&app, &owner).await?;
    let from = ConversationId(line.id.clone());
    let records = app.conversations.events(&from).await?;
    // A complete answer includes its end.
    let next = records.iter().find(|record| record.sequence == event.saturating_add(1));
    let ends = |record: &&EventRecord| matches!(record.event, ConversationEvent::Ended { .. });
    let last = next.filter(ends).map_or(event, |end| end.sequence);
    let copy = app.index.add(&owner, Some(&line.title), Stay::Kept).await?;
    let to = ConversationId(copy.id.clone());
    app.conversations.fork(&from, last, &to).await?;
    // The copy goes on with what is chosen now, not with what was chosen back then.
    let now = Conversation::read(records.iter().map(|record| &record.event)).settings;
    app.conversations.change_settings(&to, |settings| *settings = now.clone()).await?;
    app.index.organise_copy(&owner, &copy.id, &line.organisation).await?;
    app.index.changed(&owner, &to).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": copy.id }))))
}

#[derive(Deserialize)]
pub(crate) struct ExportQuery {
    #[serde(rename = "as")]
    kind: Option<String>,
}

/// What people have seen, without text that only the model reads.
pub(crate) async fn export(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Query(ExportQuery { kind }): Query<ExportQuery>,
) -> HandlerResult<Response> {
    let line = app.index.line(&owner, &id).await?;
    let conversation = app.conversations.get(&ConversationId(line.id.clone())).await?;
    match kind.as_deref() {
        None | Some("json") => {
            let name = [(header::CONTENT_DISPOSITION, file_name(&line.title, "json"))];
            Ok((name, Json(in_json(&line, &conversation))).into_response())
        }
        Some("md") => {
            let kind = [
                (header::CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned()),
                (header::CONTENT_DISPOSITION, file_name(&line.title, "md")),
            ];
            Ok((kind, in_markdown(&line.title, &conversation)).into_response())
        }
        Some(_) => Err(Fault::bad_request("unknown format", "give `as=json` or `as=md`")),
    }
}

const NAME_CHARS_MAX: usize = 80;

/// The title as the name of a file: without characters that a file system or a header refuses.
fn file_name(title: &str, end: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    let name: String = title.chars().filter(|c| is_plain(*c)).take(NAME_CHARS_MAX).collect();
    let name = name.trim().trim_matches('.').trim();
    let name = if name.is_empty() { "conversation" } else { name };
    let encoded = encoded(name);
    format!("attachment; filename=\"conversation.{end}\"; filename*=UTF-8''{encoded}.{end}")
}

/// The header for a file that is saved under this name.
pub(super) fn attachment(name: &str) -> String {
    format!("attachment; filename*=UTF-8''{}", encoded(name))
}

fn encoded(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

/// An exported conversation.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversationFile {
    title: String,
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = ["text", "voice", null]))]
    mode: Option<Mode>,
    /// What a person chose for the conversation.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "an_optional_object"
    )]
    settings: Option<GivenSettings>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20))]
    tags: Vec<String>,
    entries: Vec<Value>,
}

fn in_json(line: &ConversationSummary, conversation: &Conversation) -> ConversationFile {
    let entries = view(conversation).into_iter().map(|entry| {
        let mut json = json!(entry);
        if let Some(fields) = json.as_object_mut() {
            fields.remove("event");
            fields.remove("versions");
        }
        json
    });
    let mode = conversation.opened.as_ref().map(|opened| opened.mode);
    let settings = GivenSettings::of(&conversation.settings);
    let settings = (settings != GivenSettings::default()).then_some(settings);
    let (title, tags) = (line.title.clone(), line.organisation.tags.clone());
    ConversationFile { title, mode, settings, tags, entries: entries.collect() }
}

/// Imports a file as a new conversation. Nothing in it can run.
pub(crate) async fn import(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(file): JsonBody<ConversationFile>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let ConversationFile { title, mode, settings, tags, entries } = file;
    let max = app.limits.import_entries_max;
    if entries.len() > max {
        return Err(Fault::too_large(format!("a file may have at most {max} entries")));
    }
    let entries: Vec<Entry> =
        entries.into_iter().enumerate().map(read).collect::<HandlerResult<_>>()?;
    let tagged = Organisation { tags: clean_tags(&tags)?, ..Organisation::default() };
    check_room(&app, &owner).await?;
    let settings = settings.unwrap_or_default().checked()?;
    let opened = opening(&app, &owner, mode.unwrap_or(Mode::Text), None).await?;
    let id = ConversationId(app.index.add(&owner, Some(&title), Stay::Kept).await?.id);
    app.index.organise_copy(&owner, &id.0, &tagged).await?;
    let imported = app.conversations.import(&id, opened, settings, entries).await;
    match imported {
        Ok(()) => app.index.changed(&owner, &id).await?,
        Err(fault) => {
            // Delete what was written; the conversation is not listed yet.
            if let Err(fault) = app.conversations.delete(&id).await {
                tracing::debug!(%fault, "cannot delete a failed import");
            }
            app.index.remove(&owner, &id.0).await?;
            return Err(fault.into());
        }
    }
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

fn read((at, entry): (usize, Value)) -> HandlerResult<Entry> {
    serde_json::from_value(entry).map_err(|bad| {
        let fix = "give a file as `export?as=json` writes it";
        Fault::bad_request(format!("entry {} cannot be read: {bad}", at + 1), fix)
    })
}

/// A heading for each side: everything that follows a message up to the next one is the answer.
fn in_markdown(title: &str, conversation: &Conversation) -> String {
    let mut out = format!("# {title}\n");
    out.push_str(&settings_in_markdown(&conversation.settings));
    let mut is_answering = false;
    for entry in view(conversation) {
        let is_message = matches!(entry, Entry::User { .. });
        let Some(text) = entry_in_markdown(entry) else { continue };
        if is_message {
            out.push_str("\n## You\n");
        } else if !is_answering {
            out.push_str("\n## Answer\n");
        }
        is_answering = !is_message;
        out.push('\n');
        out.push_str(&text);
    }
    out
}

/// What was chosen for the conversation, as a list.
fn settings_in_markdown(settings: &ConversationSettings) -> String {
    let mut lines = Vec::new();
    lines.extend(settings.model.as_ref().map(|model| format!("- Model: {model}\n")));
    if !settings.tools_off.is_empty() {
        lines.push(format!("- Tools that are off: {}\n", settings.tools_off.join(", ")));
    }
    let sampling = json!(GivenSettings::of(settings).sampling);
    let sampling = sampling.as_object().cloned().unwrap_or_default().into_iter();
    lines.extend(sampling.map(|(name, value)| format!("- {name}: {value}\n")));
    let prompt = settings.system_prompt.as_ref();
    let prompt = prompt.map(|prompt| format!("\n## System prompt\n\n{}", quoted(prompt)));
    let list = lines.concat();
    let list = if list.is_empty() { list } else { format!("\n{list}") };
    format!("{list}{}", prompt.unwrap_or_default())
}

fn entry_in_markdown(entry: Entry) -> Option<String> {
    match entry {
        Entry::User { text, files, .. } => {
            let names = files.iter().map(|file| format!("- file: {}\n", file.name));
            Some(format!("{text}\n{}", names.collect::<String>()))
        }
        Entry::Assistant { text, .. } => Some(format!("{}\n", text.trim_end())),
        Entry::System { text, .. } => Some(quoted(&text)),
        Entry::Step(step) => Some(step_in_markdown(&step)),
        Entry::BrokeOff { .. } => {
            Some("*The answer broke off here; the model was asked again.*\n".to_owned())
        }
        Entry::Ended { how, .. } => Some(format!("*{}*\n", end_in_words(&how))),
        Entry::Thinking { .. } => None,
    }
}

fn step_in_markdown(step: &Step) -> String {
    let how = match &step.state {
        StepState::Done { .. } => "done",
        StepState::Failed { .. } => "failed",
        StepState::Open => "not finished",
        StepState::Asked { .. } | StepState::Questioned { .. } => "waits for a person",
        StepState::InDoubt => "outcome unknown",
    };
    // More backticks than any inside, so that nothing ends the code early.
    let args = step.args.to_string();
    let longest = args.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    format!("- `{}` ({how}) with {ticks}{args}{ticks}\n", step.tool)
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}

fn end_in_words(how: &EndReason) -> String {
    match how {
        EndReason::Answered => "Answered.".to_owned(),
        EndReason::CutOff => "The answer was cut off at the maximum length.".to_owned(),
        EndReason::Refused { text } => format!("The model refused: {text}"),
        EndReason::TooManyRounds => "The model kept calling tools and was stopped.".to_owned(),
        EndReason::NoAnswer => "The model gave no answer.".to_owned(),
        EndReason::Cancelled => "Stopped.".to_owned(),
        EndReason::MovedOn => "Superseded by the next message.".to_owned(),
        EndReason::Failed { fault } => format!("The model failed: {}", fault.message),
    }
}
