//! The slash commands: `/tools`, `/why`, `/status`, `/cost` and so on.

use std::path::Path;
use std::sync::Arc;

use contract::{Call, CallId, nearest};
use conversation::Conversation;
use engine::PaidBy;
use models::{PriceTier, cost};
use policy::{ArgumentsGiven, ConversationId};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::call_line::WIDTH_ELSEWHERE;
use super::{Chat, conversation_failure, fresh_id};
use crate::commands::call::origin;
use crate::exit::Failure;
use crate::render::artifacts;
use crate::render::printer::{Printer, count, cyan, dim, one_line};
use crate::render::wrap::columns_of_stderr;

/// How a line was handled.
pub(super) enum Done {
    /// A message, or the slash form of a tool.
    NotOurs,
    Handled,
    Leave,
}

const COMMANDS: [(&str, &str); 8] = [
    ("/tools", "list the tools and their effects"),
    ("/why TOOL {json}", "explain whether a call would run, ask or be refused"),
    ("/status", "show the status that tools report"),
    ("/cost", "show tokens and cost so far"),
    ("/save [NAME]", "write artifacts, all or one, into this folder"),
    ("/new", "start a new conversation"),
    ("/help", "list these commands"),
    ("/quit", "exit"),
];

impl Chat {
    pub(super) async fn slash(
        &mut self,
        line: &str,
        printer: &mut Printer,
    ) -> Result<Done, Failure> {
        let Some(rest) = line.trim().strip_prefix('/') else { return Ok(Done::NotOurs) };
        let (word, argument) = split_tool(rest);
        match word {
            "tools" => self.list_tools(printer).await?,
            "why" => self.why(argument.trim(), printer).await?,
            "status" => self.status(printer).await?,
            "cost" => self.cost(printer).await?,
            "save" => self.save(argument.trim(), printer).await?,
            "new" => {
                self.id = ConversationId(fresh_id(&self.engine));
                self.is_begun = false;
                printer.message(dim(format!("conversation {}", self.id.0)))?;
            }
            "help" => {
                for (name, what) in COMMANDS {
                    printer.message(format!("  {:<16}  {}", name, dim(what)))?;
                }
                printer.message(dim(
                    "  /tool_name {json} or argument=value calls a tool without the model",
                ))?;
            }
            "quit" | "exit" => return Ok(Done::Leave),
            word => {
                if self.is_tool(word) {
                    return Ok(Done::NotOurs);
                }
                let lease = self.engine.registry().lease();
                let known = COMMANDS.iter().map(|(name, _)| {
                    name.split(' ').next().unwrap_or(name).trim_start_matches('/')
                });
                let tools = lease.tools().map(|tool| tool.contract.tool_id.as_str());
                let near = nearest(word, known.chain(tools));
                let fix = near
                    .map_or_else(|| "/help lists them".into(), |n| format!("did you mean /{n}?"));
                printer.message(format!("unknown command /{word}; {fix}"))?;
            }
        }
        Ok(Done::Handled)
    }

    /// Writes the newest version of each artifact, or of one.
    async fn save(&self, name: &str, printer: &mut Printer) -> Result<(), Failure> {
        let conversation = self.so_far().await?;
        let found = server::artifacts(&conversation);
        let is_meant =
            |one: &server::Artifact| name.is_empty() || one.title == name || one.file == name;
        let meant: Vec<_> = found.iter().filter(|one| is_meant(one)).collect();
        if meant.is_empty() {
            let names: Vec<_> = found.iter().map(|one| one.file.as_str()).collect();
            let known = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
            printer.message(format!("there is no such artifact; there are: {known}"))?;
        }
        for artifact in meant {
            let Some(newest) = artifact.versions.last() else { continue };
            match artifacts::save(Path::new("."), &artifact.file, &newest.text) {
                Ok(_) => printer.message(format!("saved {}", artifact.file))?,
                Err(failure) => printer.message(failure.to_string())?,
            }
        }
        Ok(())
    }

    /// Is it the id of a tool, or the last part of one?
    fn is_tool(&self, word: &str) -> bool {
        let lease = self.engine.registry().lease();
        // The reader of such lines knows ids only.
        !word.contains('-') && self.engine.tool(&lease, &self.engine.full_name(word)).is_some()
    }

    /// Is the message a tool call that needs no model? The rehearsal reads such lines itself.
    pub(super) fn calls_tool(&self, message: &str) -> bool {
        let line = message.trim().strip_prefix('/');
        let named = line.is_some_and(|line| self.is_tool(split_tool(line).0));
        named && self.model.facts().wire.is_some()
    }

    async fn list_tools(&self, printer: &mut Printer) -> Result<(), Failure> {
        let lease = self.engine.registry().lease();
        let off = self.engine.switched_off().await?;
        let ids = self.engine.tools(&lease).map(|tool| tool.contract.tool_id.as_str());
        let width = ids.map(str::len).max();
        let width = width.unwrap_or(0);
        let columns = columns_of_stderr().unwrap_or(WIDTH_ELSEWHERE);
        let row = |name: &str, state: &str, about: &str| {
            let left = columns.saturating_sub(2 + width + 2 + state.width().max(12) + 2 + 1);
            let about = one_line(about, left);
            format!("  {}  {state:<12}  {}", cyan(format!("{name:<width$}")), dim(about))
        };
        for tool in self.engine.tools(&lease) {
            let contract = &tool.contract;
            let id = contract.tool_id.as_str();
            let state = match off.iter().find(|one| one.tool == id) {
                Some(one) => format!("off: {}", one.because),
                None if !contract.allowed_modes.contains(&self.mode) => {
                    format!("not for {}", self.mode)
                }
                None if contract.requires_confirmation => "asks first".to_owned(),
                None => contract.side_effects.to_string(),
            };
            printer.message_as_is(row(id, &state, &contract.description))?;
        }
        for one in lease.excluded() {
            printer.message_as_is(row(&one.name, one.state(), &one.reason()))?;
        }
        Ok(())
    }

    /// `TOOL`, or `TOOL {json}`.
    async fn why(&self, about: &str, printer: &mut Printer) -> Result<(), Failure> {
        let (tool, args) = split_tool(about);
        let (args, given) = match args {
            "" => (json!({}), ArgumentsGiven::NoArguments),
            text => match serde_json::from_str(text) {
                Ok(args) => (args, ArgumentsGiven::Arguments),
                Err(fault) => {
                    printer.message(format!("the arguments are not JSON: {fault}"))?;
                    return Ok(());
                }
            },
        };
        let mut origin = origin(&self.engine, Some(&self.id.0), self.mode);
        origin.turn = self.so_far().await?.turns.len() as u64;
        let id = CallId("chat-why-0000".to_owned());
        let call = Call { id, tool: self.engine.full_name(tool), args };
        for line in self.engine.why(&origin, &call, given, PaidBy::Turn).await {
            printer.message(format!("  {line}"))?;
        }
        Ok(())
    }

    async fn status(&self, printer: &mut Printer) -> Result<(), Failure> {
        let origin = origin(&self.engine, Some(&self.id.0), self.mode);
        match self.conversations.dashboard(&origin).await {
            text if text.is_empty() => printer.message(dim("  no tool reports a status"))?,
            text => text.lines().try_for_each(|line| printer.message(format!("  {line}")))?,
        }
        Ok(())
    }

    /// The conversation; an empty one before its first message.
    async fn so_far(&self) -> Result<Arc<Conversation>, Failure> {
        match self.is_begun {
            true => self.conversations.get(&self.id).await.map_err(conversation_failure),
            false => Ok(Arc::default()),
        }
    }

    async fn cost(&self, printer: &mut Printer) -> Result<(), Failure> {
        let usage = self.so_far().await?.usage;
        let tokens = format!(
            "  {} in, {} out, {} from the cache",
            count(usage.input, "token"),
            usage.output,
            usage.cache_read
        );
        let money = match cost(self.model.facts(), &usage, PriceTier::Live) {
            Some(cost) => format!(", about ${:.4}", cost.dollars()),
            None if self.model.facts().wire.is_none() => ", free".to_owned(),
            None => ", price unknown".to_owned(),
        };
        printer.message(format!("{tokens}{money}"))?;
        Ok(())
    }
}

/// Splits the tool name from the rest.
fn split_tool(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(text.len());
    let (tool, rest) = text.split_at(end);
    (tool, rest.trim())
}
