//! Files that the person attached in the conversation of the run: listed and read.
//!
//! Must hold: a handler sees only files of its own conversation and of its owner, with
//! `"attachments": ["read"]`; each file that it reads is in the audit events.

use std::sync::Arc;

use ::attachments::{Attachment, AttachmentFault, AttachmentLimits, Attachments};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::Digest;
use policy::ServiceFault;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;
use crate::surface::HandlerEvent;

/// More files of a conversation are not listed.
const FILES_MAX: usize = 200;

fn attachments(run: &RunState) -> Attachments {
    let (store, clock) = (Arc::clone(&run.grant.store), Arc::clone(&run.grant.clock));
    Attachments::new(store, clock, AttachmentLimits::machine())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {}

/// The files, oldest names first: `[{id, name, mediaType, bytes, hasText}]`.
pub(crate) async fn list(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let List {} = arguments::parse(Service::AttachmentsList, args)?;
    let _slot = run.slot().await?;
    let files = files(&run).await?;
    Ok(files.iter().map(about).collect())
}

async fn files(run: &RunState) -> Result<Vec<Attachment>, ServiceFault> {
    let (owner, conversation) = (&run.grant.owner, &run.grant.conversation.0);
    let found = attachments(run).of_conversation(owner, conversation, FILES_MAX).await;
    found.map_err(|fault| unusable(&fault))
}

fn about(file: &Attachment) -> Value {
    json!({
        "id": file.digest,
        "name": file.name,
        "mediaType": file.kind.media_type(),
        "bytes": file.bytes,
        "hasText": file.text.is_some(),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    id: String,
}

/// The text of a file as a model reads it: `{text, isCut}`.
pub(crate) async fn text(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Read { id } = arguments::parse(Service::AttachmentsText, args)?;
    let _slot = run.slot().await?;
    let file = find(&run, &id).await?;
    let max = run.grant.limits.file_bytes_max;
    let Some(text) = attachments(&run).text(&file, max).await.map_err(|fault| unusable(&fault))?
    else {
        let name = &file.name;
        return Err(FaultCode::NotText.fault(format!("`{name}` has no text; read its bytes")));
    };
    let stored = file.text.as_ref();
    let is_cut = stored.is_some_and(|stored| stored.is_cut || stored.bytes > text.len() as u64);
    tell(&run, &file, "text").await?;
    Ok(json!({ "text": text, "isCut": is_cut }))
}

/// The bytes of a file, in Base64.
pub(crate) async fn bytes(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let Read { id } = arguments::parse(Service::AttachmentsBytes, args)?;
    let _slot = run.slot().await?;
    let file = find(&run, &id).await?;
    let max = run.grant.limits.file_bytes_max as u64;
    if file.bytes > max {
        let Attachment { name, bytes, .. } = &file;
        let what = format!("`{name}` has {bytes} bytes; a handler reads at most {max}");
        return Err(FaultCode::TooLarge.fault(what));
    }
    let (files, mut whole) = (attachments(&run), Vec::new());
    for number in 0.. {
        match files.piece(&file, number).await.map_err(|fault| unusable(&fault))? {
            Some(piece) => whole.extend(piece),
            None => break,
        }
    }
    tell(&run, &file, "bytes").await?;
    Ok(Value::String(STANDARD.encode(whole)))
}

/// A file of this conversation and owner.
async fn find(run: &RunState, id: &str) -> Result<Attachment, ServiceFault> {
    let missing = || {
        let shown: String = id.chars().take(80).collect();
        FaultCode::NotFound.fault(format!(
            "no file `{shown}` is attached in this conversation; `attachments.list` has their ids"
        ))
    };
    let digest: Digest = id.parse().map_err(|_| missing())?;
    let file = match attachments(run).find(&run.grant.owner, &digest).await {
        Ok(file) => file,
        Err(AttachmentFault::NotFound) => return Err(missing()),
        Err(fault) => return Err(unusable(&fault)),
    };
    match file.is_in_conversation(&run.grant.conversation.0) {
        true => Ok(file),
        false => Err(missing()),
    }
}

/// Records which file was read, and not what is in it.
async fn tell(run: &RunState, file: &Attachment, what: &str) -> Result<(), ServiceFault> {
    let data = json!({ "id": file.digest, "bytes": file.bytes, "what": what });
    let event = HandlerEvent::Audit { event: "attachment_read".to_owned(), data };
    run.grant.surface.event(event).await
}

fn unusable(fault: &AttachmentFault) -> ServiceFault {
    FaultCode::Unavailable.fault(format!("the attached files cannot be read: {fault}"))
}

#[cfg(test)]
mod tests {
    use ::attachments::{AttachmentLimits, Attachments, Use};
    use serde_json::json;
    use std::sync::Arc;

    use crate::handler_services::tests::{World, ask, fault};

    const READS: &str = "read_only";

    /// Adds a file, and attaches it in a conversation.
    async fn attach(world: &World, owner: &str, conversation: &str, bytes: &[u8]) -> String {
        let clock = Arc::new(store::SystemClock);
        let store = Arc::clone(&world.store);
        let files = Attachments::new(store, clock, AttachmentLimits::machine());
        let mut upload = files.begin(owner).await.unwrap();
        upload.write(bytes).await.unwrap();
        let added = upload.finish("notes.txt").await.unwrap();
        files.keep(owner, &added.digest, Use::Conversation(conversation)).await.unwrap();
        added.digest.to_string()
    }

    #[tokio::test]
    async fn a_tool_reads_the_files_of_its_own_conversation_and_owner() {
        let world = World::new();
        let id = attach(&world, "shared", "chat", b"one\ntwo").await;
        let elsewhere = attach(&world, "shared", "other", b"not for you").await;
        let other = attach(&world, "ben", "chat", b"not yours").await;
        let run = world.run(READS, json!({"attachments": ["read"]}));
        let listed = ask(&run, "attachments.list", json!({})).await.unwrap();
        let file = json!({"id": id, "name": "notes.txt", "mediaType": "text/plain", "bytes": 7,
            "hasText": true});
        assert_eq!(listed, json!([file]));
        let read = ask(&run, "attachments.text", json!({"id": id})).await.unwrap();
        assert_eq!(read, json!({"text": "one\ntwo", "isCut": false}));
        let read = ask(&run, "attachments.bytes", json!({"id": id})).await.unwrap();
        assert_eq!(read, "b25lCnR3bw==");
        for id in [elsewhere.as_str(), other.as_str(), "x", ""] {
            for name in ["attachments.text", "attachments.bytes"] {
                assert_eq!(ask(&run, name, json!({"id": id})).await, Err("NOT_FOUND".to_owned()));
            }
        }
        let told = format!("{:?}", world.surface.events());
        assert_eq!(told.matches("attachment_read").count(), 2, "{told}");
        assert!(!told.contains("two"), "{told}");
    }

    #[tokio::test]
    async fn without_the_capability_nothing_is_listed_or_read() {
        let world = World::new();
        let id = attach(&world, "shared", "chat", b"one").await;
        let run = world.run(READS, json!({"files": ["data"]}));
        for name in ["attachments.list", "attachments.text", "attachments.bytes"] {
            let args = if name.ends_with("list") { json!({}) } else { json!({"id": id}) };
            let refused = fault(&run, name, args).await;
            assert_eq!(refused.code, "NOT_ALLOWED");
            assert!(refused.message.contains("\"attachments\": [\"read\"]"), "{refused:?}");
        }
        let run = world.run("none", json!({"attachments": ["read"]}));
        let refused = fault(&run, "attachments.list", json!({})).await;
        assert_eq!(refused.code, "NOT_ALLOWED");
    }

    #[tokio::test]
    async fn what_is_too_large_is_refused_or_cut() {
        let mut world = World::new();
        world.limits.file_bytes_max = 10;
        let id = attach(&world, "shared", "chat", b"twelve words").await;
        let run = world.run(READS, json!({"attachments": ["read"]}));
        let read = ask(&run, "attachments.text", json!({"id": id})).await.unwrap();
        assert_eq!(read, json!({"text": "twelve wor", "isCut": true}));
        let refused = fault(&run, "attachments.bytes", json!({"id": id})).await;
        assert_eq!(refused.code, "TOO_LARGE");
    }
}
