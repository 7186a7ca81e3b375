//! `ghosthand replay`: replays a recorded conversation, forks it, or writes it as a story.

use std::path::PathBuf;

use clap::Args;
use conversation::{Conversation, ConversationEvent, Conversations, ReplayCalls, Replayed, Story};
use files::write_atomically;
use policy::ConversationId;

use crate::commands::chat::conversation_failure;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure, not_written};
use crate::render::printer::{Printer, count, cyan, dim, one_line};
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// Replay a recorded conversation offline and compare it byte for byte
///
/// The recording answers for the model and the tools; nothing is sent or run.
#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// The conversation; without one, lists them
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Copy the conversation up to this event into a new one
    #[arg(long, value_name = "EVENT", conflicts_with = "export")]
    fork: Option<u64>,
    /// The id of the fork
    #[arg(long = "as", value_name = "ID", requires = "fork")]
    named: Option<String>,
    /// Write the conversation as a Markdown story that `ghosthand test` can run
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Show every event
    #[arg(long)]
    events: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// How many turns it has, written and spoken, and how it begins.
fn summary(conversation: &Conversation) -> String {
    let said = conversation.messages();
    let first = said.first().map(|text| one_line(text, 60)).unwrap_or_default();
    format!("{}  {first}", count(said.len(), "turn"))
}

impl ReplayArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        on_runtime(async {
            let conversations =
                Conversations::new(self.engine.open_unlocked(&config, StoreUse::Read)?);
            let Some(id) = self.id.clone().map(ConversationId) else {
                let ids = conversations.ids().await.map_err(conversation_failure)?;
                if ids.is_empty() {
                    printer.message("no conversations yet; start one with `ghosthand chat`")?;
                }
                for id in ids {
                    let conversation =
                        conversations.get(&id).await.map_err(conversation_failure)?;
                    let about = dim(summary(&conversation));
                    printer.data(format!("{}  {about}", cyan(&id.0)))?;
                }
                return Ok(ExitStatus::Success);
            };
            let records = conversations.events(&id).await.map_err(conversation_failure)?;
            if records.is_empty() {
                let what = format!("there is no conversation `{}`", id.0);
                return Err(Failure::message(what, "`ghosthand replay` lists them"));
            }
            if self.events {
                for record in &records {
                    let json = serde_json::to_string(&record.event)?;
                    printer.data(format!("{:>4}  {json}", record.sequence))?;
                }
            }
            if let Some(last) = self.fork {
                let events = records.len() as u64;
                if !(1..=events).contains(&last) {
                    let what = format!("`{}` has no event {last}", id.0);
                    let fix = format!("give one from 1 to {events}; --events shows them");
                    return Err(Failure::message(what, fix));
                }
                let to = self.named.clone().unwrap_or_else(|| format!("{}-{last}", id.0));
                let copied = conversations
                    .fork(&id, last, &ConversationId(to.clone()))
                    .await
                    .map_err(conversation_failure)?;
                printer.message(format!("{} copied", count(copied, "event")))?;
                printer.data(format!("ghosthand chat --conversation {to}"))?;
                return Ok(ExitStatus::Success);
            }
            let events: Vec<ConversationEvent> =
                records.into_iter().map(|record| record.event).collect();
            if let Some(path) = &self.export {
                let story = Story { title: id.0.clone(), events };
                write_atomically(path, story.to_markdown().as_bytes())
                    .map_err(|error| not_written(path, error))?;
                printer.message(format!("wrote {}", path.display()))?;
                return Ok(ExitStatus::Success);
            }
            let replayed = conversations
                .replay(&id, &events, ReplayCalls::Recorded)
                .await
                .map_err(conversation_failure)?;
            say(&replayed, printer)
        })
    }
}

/// Prints the result of a replay.
pub(in crate::commands) fn say(replayed: &Replayed, printer: &mut Printer) -> CommandResult {
    for changed in &replayed.changed {
        let now = changed.now.map_or_else(|| "gone".to_owned(), |now| now.short());
        let then = changed.then.short();
        printer.data(format!("{}  changed: {then} then, {now} now", cyan(&changed.tool)))?;
    }
    match &replayed.difference {
        None if replayed.changed.is_empty() => {
            printer.message(format!(
                "{} replayed, byte for byte the same",
                count(replayed.events, "event")
            ))?;
            Ok(ExitStatus::Success)
        }
        None => Ok(ExitStatus::Faults),
        Some(difference) => {
            let none = || "(nothing)".to_owned();
            let line = |text: &Option<String>| text.clone().unwrap_or_else(none);
            printer.data(format!("event {} came out differently", difference.event))?;
            printer.data(format!("  then  {}", line(&difference.recorded)))?;
            printer.data(format!("  now   {}", line(&difference.replayed)))?;
            Ok(ExitStatus::Faults)
        }
    }
}
