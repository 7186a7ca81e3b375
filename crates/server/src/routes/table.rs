//! All operations of the API; the router and the OpenAPI document are generated from them.

mod order;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::approvals::{self, approval_stream, in_doubt, inbox, questions};
use super::conversations::settings as chosen;
use super::conversations::{self, agui, artifacts, export, live_stream, messages};
use super::json_body::Empty;
use super::models::{presets, providers};
use super::operation::Operation;
use super::tools::{self, features, left_out, run_tool};
use super::usage::periods::UTC_OFFSET_MAX as OFFSET_MAX;
use super::{
    ai_edit, attachments, call_tool, kb, kv, models, openapi, personas, picture, session, settings,
    snippets, usage,
};
use crate::auth::logins::LoginLine;
use crate::server::limits::ServerLimits;
use crate::state::AppState;

/// The operations in the order of the document.
pub(crate) fn operations(limits: &ServerLimits) -> Vec<Operation<AppState>> {
    let groups = [
        account(),
        models(),
        conversations(limits),
        order::operations(),
        attachments(limits),
        folders(),
        tools(),
        owner_data(),
        observation(),
    ];
    groups.into_iter().flatten().collect()
}

/// Who is signed in.
fn account() -> Vec<Operation<AppState>> {
    vec![
        Operation::get("/api/session", session::session)
            .summary("The caller, and the model that answers")
            .answer::<session::Session>(),
        Operation::delete("/api/session", session::sign_out)
            .summary("Sign this browser out; its cookie is no longer accepted")
            .status(204),
        Operation::get("/api/logins", session::logins::list)
            .summary("The browsers in which the owner is signed in")
            .answer::<Vec<LoginLine>>(),
        Operation::delete("/api/logins", session::logins::end_all)
            .summary("Sign the owner out everywhere, in this browser too")
            .status(204),
        Operation::delete("/api/logins/{id}", session::logins::end)
            .summary("Sign the owner out of one browser")
            .status(204),
        Operation::get("/api/usage/periods", usage::periods::periods)
            .summary("What the owner used today, in 7 and in 30 days, for each model, and its cost")
            .answer::<usage::periods::UsagePeriods>()
            .query(
                "utcOffset",
                json!({ "type": "integer", "minimum": -OFFSET_MAX, "maximum": OFFSET_MAX }),
            ),
    ]
}

/// The models to choose from, and the providers that have them.
fn models() -> Vec<Operation<AppState>> {
    vec![
        Operation::get("/api/models", models::models)
            .summary("The models to choose from, and what each can do; `fresh` asks again")
            .answer::<models::ModelChoices>()
            .query("fresh", json!({ "type": "boolean" })),
        Operation::put("/api/models/preferences", models::prefer)
            .summary("Save the owner's favourite models, and the model of new conversations")
            .status(204)
            .body::<models::GivenPreferences>(r#"{"favourites":[]}"#),
        Operation::get("/api/providers", providers::list)
            .summary("The providers of models, without their keys; for the operator")
            .answer::<Vec<::providers::ProviderLine>>(),
        Operation::put("/api/providers/{name}", providers::keep)
            .summary("Try a provider with a small request, and keep it with its key")
            .body::<providers::GivenProvider>(
                r#"{"kind":"ollama","address":"http://127.0.0.1:11434/v1"}"#,
            )
            .answer::<::providers::KeptProvider>(),
        Operation::delete("/api/providers/{name}", providers::remove)
            .summary("Remove a provider that was added here, with its key")
            .status(204),
        Operation::post("/api/providers/find", providers::find)
            .summary("Look for model servers on this machine, or at an address")
            .body::<providers::WhereToLook>("{}")
            .answer::<Vec<::providers::FoundServer>>(),
        Operation::get("/api/presets", presets::list)
            .summary("List the owner's presets: settings of conversations under a name")
            .answer::<Vec<presets::Preset>>(),
        Operation::put("/api/presets/{name}", presets::keep)
            .summary("Save a preset")
            .status(204)
            .body::<presets::GivenPreset>(r#"{"settings":{}}"#),
        Operation::delete("/api/presets/{name}", presets::remove)
            .summary("Delete a preset")
            .status(204),
    ]
}

/// Conversations, their messages and their stream.
fn conversations(limits: &ServerLimits) -> Vec<Operation<AppState>> {
    vec![
        Operation::get("/api/conversations", conversations::list)
            .summary("List the owner's conversations, newest first; `search` matches titles and messages")
            .answer::<Vec<conversations::FoundConversation>>()
            .query("search", text())
            .query("archived", one_of(&["no", "only", "all"])),
        Operation::post("/api/conversations", conversations::create)
            .summary("Create a conversation")
            .status(201)
            .body::<conversations::NewConversation>(r#"{"title":"A chat"}"#)
            .answer::<snippets::Created>(),
        Operation::get("/api/conversations/{id}", conversations::show)
            .summary("A conversation as people see it; with `last` only so many of its last entries")
            .query("last", count())
            .answer::<openapi::Conversation>(),
        Operation::put("/api/conversations/{id}", conversations::rename)
            .summary("Rename a conversation")
            .status(204)
            .body::<conversations::RenameConversation>(r#"{"title":"A chat"}"#),
        Operation::get("/api/conversations/{id}/settings", chosen::show)
            .summary("What was chosen for a conversation: model, system prompt, tools, sampling")
            .answer::<chosen::GivenSettings>(),
        Operation::put("/api/conversations/{id}/settings", chosen::change)
            .summary("Change them all; they count from the next message on")
            .status(204)
            .body::<chosen::GivenSettings>(r#"{"toolsOff":["dice.*"]}"#),
        Operation::put("/api/conversations/{id}/model", chosen::choose_model)
            .summary("Choose the model that answers in a conversation")
            .status(204)
            .body::<chosen::ChosenModel>(r#"{"model":null}"#),
        Operation::delete("/api/conversations/{id}", conversations::remove)
            .summary("Delete a conversation and its keys")
            .status(204),
        Operation::post("/api/conversations/{id}/messages", messages::send)
            .summary("Send a message; the answer arrives over the stream")
            .status(202)
            .body::<messages::NewMessage>(r#"{"text":"Hello"}"#)
            .answer::<openapi::Begun>(),
        Operation::delete("/api/conversations/{id}/messages/{turn}", messages::remove)
            .summary("Delete a turn; with `after=true` all later turns too")
            .status(204),
        Operation::post("/api/conversations/{id}/edit", messages::edit)
            .summary("Edit a message: deletes the turn and all later ones, then sends the new text")
            .status(202)
            .body::<messages::EditMessage>(r#"{"turn":1,"text":"Hi"}"#)
            .answer::<openapi::Begun>(),
        Operation::post("/api/conversations/{id}/regenerate", messages::regenerate)
            .summary("Send the message of the last turn, or of `turn`, again")
            .status(202)
            .body::<messages::Regenerate>("{}")
            .answer::<openapi::Begun>(),
        Operation::post("/api/conversations/{id}/version", messages::choose_version)
            .summary("Use another version of a message that was sent again, and what followed it")
            .status(204)
            .body::<messages::ChooseVersion>(r#"{"turn":1}"#),
        Operation::post("/api/conversations/{id}/stop", messages::stop)
            .summary("Stop the running turn")
            .status(202)
            .body::<Empty>("{}")
            .answer::<openapi::Stopped>(),
        Operation::get("/api/conversations/{id}/stream", live_stream::stream)
            .summary("The live stream: AG-UI events over SSE, resumable with `Last-Event-ID`")
            .query("after", text()),
        Operation::post("/api/conversations/{id}/branch", export::branch)
            .summary("Copy a conversation up to an event into a new one")
            .status(201)
            .body::<export::BranchAt>(r#"{"event":1}"#)
            .answer::<snippets::Created>(),
        Operation::get("/api/conversations/{id}/export", export::export)
            .summary("Export a conversation as a file: `as=json` or `as=md`")
            .query("as", one_of(&["json", "md"]))
            .media_types(&["text/markdown"]),
        Operation::get("/api/conversations/{id}/artifacts", artifacts::list)
            .summary("List the artifacts of a conversation: pages, drawings, tables, long code")
            .answer::<Vec<artifacts::ArtifactLine>>(),
        Operation::get("/api/conversations/{id}/artifacts/{artifact}", artifacts::show)
            .summary("The newest version of an artifact, or `version`; with `as=file` to save")
            .query("version", count())
            .query("as", one_of(&["file"]))
            .answer::<artifacts::ShownArtifact>()
            .media_types(&["text/plain"]),
        Operation::post("/api/conversations/import", export::import)
            .summary("Import a file of `export?as=json` as a new conversation; nothing in it can run")
            .status(201)
            .body::<export::ConversationFile>(IMPORT_EXAMPLE)
            .answer::<snippets::Created>()
            .upload(limits.import_bytes_max),
        Operation::post("/api/agui", agui::run)
            .summary("One AG-UI run: takes a `RunAgentInput`, streams the events of the run")
            .body::<agui::RunAgentInput>(RUN_EXAMPLE),
    ]
}

/// Files of messages.
fn attachments(limits: &ServerLimits) -> Vec<Operation<AppState>> {
    vec![
        Operation::post("/api/attachments", attachments::add)
            .summary("Add a file for a message; the body is its bytes, `name` its name")
            .status(201)
            .query("name", text())
            .answer::<attachments::FileView>()
            .file_body(limits.attachments.file_bytes_max),
        Operation::get("/api/attachments/{digest}", attachments::show)
            .summary("A file; with `as=text` its text, with `as=about` what it is")
            .query("as", one_of(&["file", "text", "about"]))
            .query("name", text())
            .answer::<attachments::FileView>()
            .media_types(&["application/octet-stream", "text/plain"]),
        Operation::delete("/api/attachments/{digest}", attachments::discard)
            .summary("Forget a file that no message has")
            .status(204),
    ]
}

/// Folders of documents that models search.
fn folders() -> Vec<Operation<AppState>> {
    vec![
        Operation::get("/api/kb", kb::list)
            .summary(
                "List the owner's folders of documents; with `conversation` those searched there",
            )
            .query("conversation", name())
            .answer::<Vec<kb::FolderView>>(),
        Operation::post("/api/kb", kb::create)
            .summary("Create a folder, for all conversations or for one")
            .status(201)
            .body::<kb::NewFolder>(r#"{"name":"Contracts"}"#)
            .answer::<kb::FolderView>(),
        Operation::get("/api/kb/search", kb::search)
            .summary("Search the documents, as the tool `search_documents` does")
            .query("q", text())
            .query("conversation", name())
            .answer::<openapi::FoundPassages>(),
        Operation::get("/api/kb/embeddings", kb::embeddings)
            .summary("How far the documents are embedded; null without an embedding model")
            .answer::<Option<kb::EmbeddingsView>>(),
        Operation::get("/api/kb/section", kb::section)
            .summary("Lines of a document, as the tool `read_document` reads them")
            .query("document", name())
            .query("conversation", name())
            .query("first", count())
            .query("last", count())
            .answer::<openapi::DocumentSection>(),
        Operation::delete("/api/kb/{id}", kb::remove)
            .summary("Delete a folder, and its documents that nothing else uses")
            .status(204),
        Operation::post("/api/kb/{id}/files", kb::add_file)
            .summary("Add an attachment to a folder")
            .status(201)
            .body::<attachments::MessageFile>(FILE_EXAMPLE)
            .answer::<kb::FolderView>(),
        Operation::delete("/api/kb/{id}/files/{digest}", kb::remove_file)
            .summary("Remove a document from a folder")
            .status(204),
    ]
}

/// Tools: listed, switched, run by people, called by programs.
fn tools() -> Vec<Operation<AppState>> {
    vec![
        Operation::get("/api/tools", tools::list)
            .summary("List all tools with their flags and switches")
            .answer::<Vec<tools::ToolSummary>>(),
        Operation::get("/api/tools/left-out", left_out::list)
            .summary("List tools that are left out because of faults, with each fault and its location")
            .answer::<Vec<left_out::LeftOutTool>>(),
        Operation::post("/api/tools/{id}/switch", tools::switch)
            .summary("Switch a tool on or off")
            .status(204)
            .body::<tools::Switch>(r#"{"on":true}"#),
        Operation::post("/api/files/switch", tools::switch_file)
            .summary("Switch all tools of a file on or off")
            .status(204)
            .body::<tools::SwitchFile>(r#"{"file":"FILE","on":true}"#),
        Operation::get("/api/tools/{id}/why", tools::why)
            .summary("Explain what policy would decide about a call now, stage by stage")
            .answer::<Vec<String>>()
            .query("conversation", name())
            .query("args", text()),
        Operation::post("/api/tools/{id}/run", run_tool::run)
            .summary("Run a tool by hand, from a form generated from its schema")
            .body::<run_tool::RunRequest>(r#"{"args":{}}"#)
            .answer::<run_tool::RunResult>(),
        Operation::post("/api/call/{tool}", call_tool::call)
            .summary("Call a tool; a repeated `Idempotency-Key` never runs it twice")
            .body::<BTreeMap<String, Value>>(r#"{"text":"Hello"}"#)
            .answer::<openapi::Called>(),
        Operation::get("/api/call/openapi.json", call_tool::shown)
            .summary("An OpenAPI document of the caller's tools, one operation each; `tools=a,b*` selects")
            .query("tools", text()),
        Operation::get("/api/features", features::features)
            .summary("The forms and widgets of tools in a conversation")
            .answer::<Vec<features::ShownFeature<'_>>>()
            .query("conversation", name()),
        Operation::post("/api/tool_submit", features::submit)
            .summary("Submit a tool's form to its handler")
            .body::<features::SubmitForm>(r#"{"tool":"look","handler":"save","params":{}}"#)
            .answer::<features::HandlerReply>(),
    ]
}

/// What an owner stores: keys, personas, settings, snippets.
fn owner_data() -> Vec<Operation<AppState>> {
    vec![
        Operation::get("/api/kv", kv::get_some)
            .summary(
                "Read keys of the owner: `key=` for each; `conversation=` fills in placeholders",
            )
            .answer::<BTreeMap<String, Value>>()
            .query("key", name())
            .query("keys", text())
            .query("conversation", name()),
        Operation::put("/api/kv/{key}", kv::set)
            .summary("Set a value")
            .status(204)
            .body::<kv::NewValue>(r#"{"value":1}"#),
        Operation::delete("/api/kv/{key}", kv::remove).summary("Delete a key").status(204),
        Operation::get("/api/kv/{key}/list", kv::range)
            .summary("Read items of a list: `start`, `stop`, `conversation`")
            .answer::<kv::ListRange>()
            .query("start", integer())
            .query("stop", integer())
            .query("conversation", name()),
        Operation::post("/api/kv/{key}/push", kv::push)
            .summary("Append an item to a list")
            .body::<kv::NewValue>(r#"{"value":1}"#)
            .answer::<kv::ListChange>(),
        Operation::delete("/api/kv/{key}/item/{index}", kv::remove_item)
            .summary("Remove an item from a list")
            .answer::<kv::ListChange>(),
        Operation::get("/api/personas", personas::list)
            .summary("List the owner's personas")
            .answer::<Vec<personas::PersonaView>>(),
        Operation::post("/api/personas", personas::create)
            .summary("Create a persona")
            .status(201)
            .body::<personas::WrittenPersona>(r#"{"name":"Ada"}"#)
            .answer::<snippets::Created>(),
        Operation::put("/api/personas/{id}", personas::change)
            .summary("Change a persona")
            .status(204)
            .body::<personas::WrittenPersona>(r#"{"name":"Ada"}"#),
        Operation::delete("/api/personas/{id}", personas::remove)
            .summary("Delete a persona")
            .status(204),
        Operation::get("/api/conversations/{id}/personas", personas::chosen)
            .summary("The personas of a conversation")
            .answer::<personas::ChosenPersonas>(),
        Operation::put("/api/conversations/{id}/personas", personas::choose)
            .summary("Choose the personas of a conversation")
            .status(204)
            .body::<personas::ChosenPersonas>(r#"{"ids":[]}"#),
        Operation::get("/api/settings", settings::settings)
            .summary("The owner's settings")
            .answer::<settings::SettingsForm>(),
        Operation::put("/api/settings", settings::set_settings)
            .summary("Save the owner's settings")
            .status(204)
            .body::<settings::Settings>(r#"{"userName":"Ana"}"#),
        Operation::get("/api/library", snippets::kinds)
            .summary("List the kinds of snippets")
            .answer::<Vec<snippets::SnippetKind>>(),
        Operation::get("/api/library/{kind}", snippets::snippets)
            .summary("List the snippets of a kind")
            .answer::<Vec<BTreeMap<String, Value>>>(),
        Operation::post("/api/library/{kind}", snippets::add_snippet)
            .summary("Create a snippet")
            .status(201)
            .body::<openapi::Snippet>(r#"{"title":"A","content":"B"}"#)
            .answer::<snippets::Created>(),
        Operation::get("/api/library/{kind}/{id}", snippets::snippet)
            .summary("A snippet")
            .answer::<openapi::Snippet>(),
        Operation::put("/api/library/{kind}/{id}", snippets::set_snippet)
            .summary("Change a snippet")
            .status(204)
            .body::<openapi::Snippet>(r#"{"title":"A","content":"B"}"#),
        Operation::delete("/api/library/{kind}/{id}", snippets::remove_snippet)
            .summary("Delete a snippet")
            .status(204),
    ]
}

/// Help from the model, usage, and questions that wait for a person.
fn observation() -> Vec<Operation<AppState>> {
    vec![
        Operation::post("/api/ai_edit", ai_edit::edit)
            .summary("Have the model edit a text")
            .body::<ai_edit::EditRequest>(r#"{"text":"helo","instruction":"correct the spelling"}"#)
            .answer::<ai_edit::WrittenText>(),
        Operation::post("/api/suggest", ai_edit::suggest)
            .summary("Have the model suggest the next message")
            .body::<ai_edit::SuggestRequest>(r#"{"conversation":"ID"}"#)
            .answer::<ai_edit::WrittenText>(),
        Operation::get("/api/picture", picture::picture)
            .summary("A picture from elsewhere, fetched with the rules of tools")
            .required_query("url", web_address())
            .media_types(&["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]),
        Operation::get("/api/audit", usage::audit)
            .summary("The newest calls in the owner's conversations")
            .answer::<Vec<openapi::Audited>>(),
        Operation::get("/api/usage", usage::usage)
            .summary("Tokens used in a conversation")
            .answer::<usage::UsageReport>()
            .query("conversation", name()),
        Operation::get("/api/inbox", inbox::show)
            .summary("Everything that waits for the owner: questions, calls in doubt, notices")
            .answer::<inbox::Inbox>(),
        Operation::get("/api/approvals", approvals::list)
            .summary("List the owner's open questions")
            .answer::<Vec<approvals::Question>>(),
        Operation::get("/api/approvals/stream", approval_stream::stream)
            .summary("Sends `change` over SSE whenever the inbox changes"),
        Operation::post("/api/approvals/{id}", approvals::answer)
            .summary(
                "Answer a question; a turn continues, a program's call runs when it is sent again",
            )
            .status(202)
            .body::<approvals::GivenAnswer>(r#"{"answer":"approve"}"#)
            .answer::<approvals::AnswerAccepted>(),
        Operation::get("/api/conversations/{id}/questions", questions::list)
            .summary("List what the handlers of a conversation's voice session ask the person")
            .answer::<Vec<questions::HandlerQuestion>>(),
        Operation::post("/api/conversations/{id}/questions/{call}", questions::answer)
            .summary("Answer a handler's question; the voice session goes on, and the first answer counts")
            .status(204)
            .body::<questions::QuestionAnswer>(r#"{"name":"meal","action":"cancel"}"#),
        Operation::get("/api/doubts", in_doubt::list)
            .summary("List the owner's calls whose outcome is unknown")
            .answer::<Vec<in_doubt::CallInDoubt>>(),
        Operation::get("/api/openapi.json", openapi::show).summary("This document"),
    ]
}

const FILE_EXAMPLE: &str = concat!(
    r#"{"digest":"sha256:00000000000000000000000000000000"#,
    r#"00000000000000000000000000000000","name":"a.pdf"}"#,
);
const IMPORT_EXAMPLE: &str =
    r#"{"title":"A chat","entries":[{"entry":"user","turn":1,"text":"Hello"}]}"#;
const RUN_EXAMPLE: &str =
    r#"{"threadId":"a","runId":"1","messages":[{"id":"m","role":"user","content":"Hi"}]}"#;

/// A name of something: any text without control characters.
pub(crate) const NAME: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

fn name() -> Value {
    json!({ "type": "string", "pattern": NAME })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn web_address() -> Value {
    json!({ "type": "string", "pattern": "^https?://" })
}

fn integer() -> Value {
    json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
}

fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}
