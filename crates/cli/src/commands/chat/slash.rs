//! What a person can type beside messages: `/tools`, `/why`, `/status`, `/cost` and the like.

use contract::{Call, CallId, nearest};
use models::{Order, cost};
use policy::ConversationId;
use serde_json::json;

use super::{Chat, fresh_id, said};
use crate::commands::call::room;
use crate::exit::Failure;
use crate::printer::{Printer, cyan, dim, one_line};

/// What became of a line.
pub(super) enum Done {
    /// It is a message, or a tool's own slash form.
    NotOurs,
    Handled,
    Leave,
}

const COMMANDS: [(&str, &str); 7] = [
    ("/tools", "the tools, with what each may do"),
    ("/why TOOL", "whether a call would run, ask or be refused, and why"),
    ("/status", "what tools report of themselves"),
    ("/cost", "tokens and money so far"),
    ("/new", "begin another conversation"),
    ("/help", "this list"),
    ("/quit", "end"),
];

impl Chat {
    pub(super) async fn slash(
        &mut self,
        line: &str,
        printer: &mut Printer,
    ) -> Result<Done, Failure> {
        let Some(rest) = line.trim().strip_prefix('/') else { return Ok(Done::NotOurs) };
        let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match word {
            "tools" => self.list_tools(printer).await?,
            "why" => self.why(argument.trim(), printer).await?,
            "status" => self.status(printer).await?,
            "cost" => self.cost(printer).await?,
            "new" => {
                self.id = ConversationId(fresh_id(&self.desk));
                self.open().await?;
                printer.say(dim(format!("conversation {}", self.id.0)))?;
            }
            "help" => {
                for (name, what) in COMMANDS {
                    printer.say(format!("  {:<10}  {}", name, dim(what)))?;
                }
                printer.say(dim("  a tool can be called as /tool_name argument=value"))?;
            }
            "quit" | "exit" => return Ok(Done::Leave),
            word => {
                if self.has_tool(word) {
                    return Ok(Done::NotOurs);
                }
                let lease = self.desk.registry().lease();
                let known = COMMANDS.iter().map(|(name, _)| {
                    name.split(' ').next().unwrap_or(name).trim_start_matches('/')
                });
                let tools = lease.tools().map(|tool| tool.contract.tool_id.as_str());
                let near = nearest(word, known.chain(tools));
                let fix = near
                    .map_or_else(|| "/help lists them".into(), |n| format!("did you mean /{n}?"));
                printer.say(format!("there is no /{word}; {fix}"))?;
            }
        }
        Ok(Done::Handled)
    }

    /// A tool by its id, or by the last part of it.
    fn has_tool(&self, word: &str) -> bool {
        let lease = self.desk.registry().lease();
        let fits = |id: &str| id == word || id.rsplit('.').next() == Some(word);
        self.desk.tools(&lease).any(|tool| fits(tool.contract.tool_id.as_str()))
    }

    async fn list_tools(&self, printer: &mut Printer) -> Result<(), Failure> {
        let lease = self.desk.registry().lease();
        let off = self.desk.switched_off().await?;
        let width = lease.tools().map(|tool| tool.contract.tool_id.as_str().len()).max();
        for tool in self.desk.tools(&lease) {
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
            let name = format!("{id:<0$}", width.unwrap_or(0));
            printer.say(format!(
                "  {}  {:<12}  {}",
                cyan(name),
                state,
                dim(one_line(&contract.description, 60))
            ))?;
        }
        Ok(())
    }

    async fn why(&self, tool: &str, printer: &mut Printer) -> Result<(), Failure> {
        let mut room = room(&self.desk, &self.id.0, self.mode);
        room.turn = self.desk.talk(&self.id).await.map_err(said)?.turns.len() as u64;
        let id = CallId("chat-why-0000".to_owned());
        let call = Call { id, tool: self.desk.full_name(tool), args: json!({}) };
        for line in self.desk.why(&room, &call).await {
            printer.say(format!("  {line}"))?;
        }
        Ok(())
    }

    async fn status(&self, printer: &mut Printer) -> Result<(), Failure> {
        let room = room(&self.desk, &self.id.0, self.mode);
        match self.desk.dashboard(&room).await {
            text if text.is_empty() => printer.say(dim("  no tool reports anything"))?,
            text => text.lines().try_for_each(|line| printer.say(format!("  {line}")))?,
        }
        Ok(())
    }

    async fn cost(&self, printer: &mut Printer) -> Result<(), Failure> {
        let usage = self.desk.talk(&self.id).await.map_err(said)?.usage;
        let tokens = format!(
            "  {} tokens in, {} out, {} from the cache",
            usage.input, usage.output, usage.cache_read
        );
        let money = match cost(self.model.facts(), &usage, Order::Live) {
            Some(cost) => format!(", about ${:.4}", cost.dollars()),
            None if self.model.facts().wire.is_none() => ", free of charge".to_owned(),
            None => ", price not known".to_owned(),
        };
        printer.say(format!("{tokens}{money}"))?;
        Ok(())
    }
}
