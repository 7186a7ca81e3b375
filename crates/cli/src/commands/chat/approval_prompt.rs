//! Approval prompts in the terminal, for a turn that waits.

use contract::Mode;
use conversation::{TextAnswer, TurnResult};
use engine::{ApprovalFault, ApprovalRecord};
use policy::{PlainAnswer, plain_answer};
use serde_json::{Value, json};

use super::line_editor::Input;
use super::slash_commands::Done;
use super::{Chat, conversation_failure};
use crate::commands::call::within;
use crate::exit::Failure;
use crate::render::printer::{Printer, bold, count, dim};

/// What to do after a prompt.
pub(super) enum Next {
    /// Answered: the turn continues.
    GoOn,
    /// The turn is stopped and the request withdrawn.
    Stop,
    /// The request stays open; the chat continues.
    Wait,
    /// The request stays open; the chat ends.
    Leave,
}

impl Chat {
    /// Asks about every waiting call.
    pub(super) async fn ask_person(&mut self, printer: &mut Printer) -> Result<Next, Failure> {
        let open = self.engine.open_approvals().await?;
        let ours: Vec<ApprovalRecord> =
            open.into_iter().filter(|asked| asked.origin.conversation == self.id).collect();
        if ours.is_empty() {
            printer.message("the outcome of a write is unknown; the conversation waits for you")?;
            printer.message(dim(
                "`ghosthand ledger list` shows it, `ghosthand ledger resolve` settles it",
            ))?;
            return Ok(Next::Wait);
        }
        for asked in ours {
            printer.message(format!(
                "{}\n{}",
                bold("Approve this call?"),
                asked.request.preview
            ))?;
            printer.message(within(&self.engine, &asked))?;
            match self.put(&asked, printer).await? {
                Next::GoOn => {}
                Next::Stop => {
                    self.conversations.stop(&self.id).await.map_err(conversation_failure)?;
                    let what = format!("(stopped; `{}` did not run)", asked.request.tool);
                    printer.message(dim(what))?;
                    return Ok(Next::Stop);
                }
                Next::Wait => return Ok(Next::Wait),
                Next::Leave => {
                    printer.message(dim(self.how_to_answer(&asked)))?;
                    return Ok(Next::Leave);
                }
            }
        }
        Ok(Next::GoOn)
    }

    /// Asks one question until it is answered or abandoned.
    async fn put(
        &mut self,
        asked: &ApprovalRecord,
        printer: &mut Printer,
    ) -> Result<Next, Failure> {
        let remember = asked.request.may_be_remembered;
        let (always, letters) = match remember {
            true => ("   [a] always in this conversation", "y, a, n, e"),
            false => ("", "y, n, e"),
        };
        let menu = format!("[y] yes{always}   [n] no   [e] edit arguments: ");
        loop {
            let Some(line) = self.read(&menu, "")? else {
                printer.message(dim(self.how_to_answer(asked)))?;
                return Ok(Next::Wait);
            };
            let line = match line {
                Input::Line(line) => line.trim().to_owned(),
                Input::Interrupted => return Ok(Next::Stop),
                Input::End => return Ok(Next::Leave),
            };
            let answer = match line.as_str() {
                "a" | "always" if remember => {
                    Some(json!({ "answer": "approve", "scope": "conversation" }))
                }
                "e" | "edit" => {
                    if self.edit(asked, printer).await? {
                        return Ok(Next::GoOn);
                    }
                    continue;
                }
                line if plain_answer(line) == Some(PlainAnswer::Yes) => {
                    Some(json!({ "answer": "approve" }))
                }
                line if plain_answer(line) == Some(PlainAnswer::No) => self.decline()?,
                line if line.starts_with('/') => {
                    let here = self.id.clone();
                    match self.slash(line, printer).await? {
                        Done::Leave => return Ok(Next::Leave),
                        Done::Handled if self.id != here => return Ok(Next::Wait),
                        Done::Handled => continue,
                        Done::NotOurs => None,
                    }
                }
                _ => None,
            };
            match answer {
                Some(answer) => {
                    if let Err(fault) = self.give(asked, answer).await {
                        printer.message(format!("the answer was rejected: {fault}"))?;
                    }
                    return Ok(Next::GoOn);
                }
                None => printer
                    .message(format!("answer {letters}; Ctrl-C stops the turn, Ctrl-D exits"))?,
            }
        }
    }

    /// A refusal with its reason; `None` if the person goes back.
    fn decline(&mut self) -> Result<Option<Value>, Failure> {
        let why = self.read("reason? (shown to the model; Enter for none) ", "")?;
        Ok(match why {
            Some(Input::Line(reason)) if reason.trim().is_empty() => {
                Some(json!({ "answer": "decline" }))
            }
            Some(Input::Line(reason)) => {
                Some(json!({ "answer": "decline", "reason": reason.trim() }))
            }
            Some(Input::Interrupted | Input::End) | None => None,
        })
    }

    /// Edits the arguments until they are valid; returns whether an answer was given.
    async fn edit(
        &mut self,
        asked: &ApprovalRecord,
        printer: &mut Printer,
    ) -> Result<bool, Failure> {
        let mut text = asked.request.args.to_string();
        loop {
            let line = self.read("arguments (Ctrl-C goes back): ", &text)?;
            let Some(Input::Line(line)) = line else { return Ok(false) };
            text = line;
            let args = match serde_json::from_str::<Value>(&text) {
                Ok(args @ Value::Object(_)) => args,
                Ok(_) => {
                    printer.message("the arguments must be a JSON object, as in {\"name\": 1}")?;
                    continue;
                }
                Err(fault) => {
                    printer.message(format!("this is not valid JSON: {fault}"))?;
                    continue;
                }
            };
            match self.give(asked, json!({ "answer": "edit", "args": args })).await {
                Ok(()) => return Ok(true),
                Err(fault @ ApprovalFault::BadArguments { .. }) => {
                    printer.message(fault.to_string())?
                }
                Err(fault) => {
                    printer.message(format!("the answer was rejected: {fault}"))?;
                    return Ok(true);
                }
            }
        }
    }

    async fn give(&self, asked: &ApprovalRecord, mut answer: Value) -> Result<(), ApprovalFault> {
        answer["request"] = json!(asked.request.id);
        self.engine.answer(&answer.to_string()).await.map(drop)
    }

    /// Blocks; nothing else runs while a person types.
    pub(super) fn read(&mut self, question: &str, first: &str) -> Result<Option<Input>, Failure> {
        tokio::task::block_in_place(|| self.prompt.ask(question, first))
    }

    fn how_to_answer(&self, asked: &ApprovalRecord) -> String {
        let id = &self.id.0;
        let plainly = match self.mode {
            Mode::Text => format!("`ghosthand chat yes --conversation {id}`, or "),
            Mode::Voice => String::new(),
        };
        let go_on = format!("then `ghosthand chat --conversation {id}`");
        format!("waiting: {plainly}`ghosthand approvals approve {}`, {go_on}", short(asked))
    }

    /// Treats a plain yes or no as the answer to a waiting request; `None` for other messages.
    pub(super) async fn answer_plainly(
        &mut self,
        message: &str,
        printer: &mut Printer,
    ) -> Result<Option<TurnResult>, Failure> {
        match self.conversations.answer_in_text(&self.id, message).await? {
            TextAnswer::Answered { asked, answer, .. } => {
                let word = match answer {
                    PlainAnswer::Yes => "yes",
                    PlainAnswer::No => "no",
                };
                printer.message(dim(format!("{word} to `{}`", asked.request.tool)))?;
                self.answer(printer).await.map(Some)
            }
            TextAnswer::WhichOne(open) => {
                printer.message(format!(
                    "{} are open; which one do you mean?",
                    count(open.len(), "question")
                ))?;
                for asked in open {
                    let (id, tool) = (short(&asked), &asked.request.tool);
                    printer.message(format!("  `ghosthand approvals approve {id}`  {tool}"))?;
                }
                Ok(Some(TurnResult::Waiting))
            }
            TextAnswer::Message { open } => {
                for asked in open {
                    let tool = &asked.request.tool;
                    let what = format!("the request for `{tool}` is withdrawn; it did not run");
                    printer.message(dim(what))?;
                }
                Ok(None)
            }
        }
    }
}

/// The short form of a request id.
fn short(asked: &ApprovalRecord) -> String {
    asked.request.id.0.trim_start_matches("ask:").chars().take(8).collect()
}
