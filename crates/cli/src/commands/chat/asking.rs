//! Asks the person at the terminal what a waiting turn needs to know.

use std::io::{BufRead, IsTerminal};

use contract::Mode;
use engine::{Asked, Plain, TurnEnd};
use policy::{PlainAnswer, plain_answer};
use serde_json::{Value, json};

use super::Chat;
use crate::commands::call::within;
use crate::exit::Failure;
use crate::printer::{Printer, bold, count, dim};

impl Chat {
    /// Asks about every call that waits; says whether the turn can go on.
    pub(super) async fn ask_person(&mut self, printer: &mut Printer) -> Result<bool, Failure> {
        let open = self.desk.open_approvals().await?;
        let ours: Vec<Asked> =
            open.into_iter().filter(|asked| asked.room.conversation == self.id).collect();
        if ours.is_empty() {
            printer.say("nobody knows how a write ended; the conversation waits for a person")?;
            printer.say(dim(
                "`ghosthand ledger list` shows it, `ghosthand ledger resolve` settles it",
            ))?;
            return Ok(false);
        }
        for asked in ours {
            printer.say(format!("{}\n{}", bold("May it run?"), asked.request.preview))?;
            printer.say(within(&self.desk, &asked))?;
            if !std::io::stdin().is_terminal() {
                printer.say(dim(self.how_to_answer(&asked)))?;
                return Ok(false);
            }
            let remember = asked.request.may_be_remembered;
            let answer = tokio::task::block_in_place(|| choose(remember, printer))?;
            let mut payload = answer;
            payload["request"] = json!(asked.request.id);
            let taken = self.desk.answer(&payload.to_string()).await;
            if let Err(fault) = taken {
                printer.say(format!("the answer was not taken: {fault}"))?;
            }
        }
        Ok(true)
    }

    fn how_to_answer(&self, asked: &Asked) -> String {
        let id = &self.id.0;
        let plainly = match self.mode {
            Mode::Text => format!("`ghosthand chat yes --conversation {id}`, or "),
            Mode::Voice => String::new(),
        };
        let go_on = format!("then `ghosthand chat --conversation {id}`");
        format!("waiting: {plainly}`ghosthand approvals approve {}`, {go_on}", short(asked))
    }

    /// Takes a plain yes or no as the answer to the question that waits, and goes on; none if
    /// the message is one like any other.
    pub(super) async fn answer_plainly(
        &mut self,
        message: &str,
        printer: &mut Printer,
    ) -> Result<Option<TurnEnd>, Failure> {
        match self.desk.answer_plainly(&self.id, message).await? {
            Plain::Answered { asked, answer, .. } => {
                let word = match answer {
                    PlainAnswer::Yes => "yes",
                    PlainAnswer::No => "no",
                };
                printer.say(dim(format!("{word} to `{}`", asked.request.tool)))?;
                self.answer(printer).await.map(Some)
            }
            Plain::WhichOne(open) => {
                printer.say(format!(
                    "{} are open; which one is meant?",
                    count(open.len(), "question")
                ))?;
                for asked in open {
                    let (id, tool) = (short(&asked), &asked.request.tool);
                    printer.say(format!("  `ghosthand approvals approve {id}`  {tool}"))?;
                }
                Ok(Some(TurnEnd::Waiting))
            }
            Plain::Message { open } => {
                for asked in open {
                    let tool = &asked.request.tool;
                    let what = format!("the question about `{tool}` is withdrawn; it has not run");
                    printer.say(dim(what))?;
                }
                Ok(None)
            }
        }
    }
}

/// Enough of a request's id to name it.
fn short(asked: &Asked) -> String {
    asked.request.id.0.trim_start_matches("ask:").chars().take(8).collect()
}

/// One of yes, always where that can hold, no with a reason, or other arguments.
fn choose(may_be_remembered: bool, printer: &mut Printer) -> Result<Value, Failure> {
    let (always, letters) = match may_be_remembered {
        true => ("   [a] always in this conversation", "y, a, n, e"),
        false => ("", "y, n, e"),
    };
    loop {
        printer.say(dim(format!("[y] yes{always}   [n] no   [e] other arguments")))?;
        let line = read_line()?;
        return Ok(match line.as_str() {
            "a" | "always" if may_be_remembered => {
                json!({ "answer": "approve", "scope": "conversation" })
            }
            line if plain_answer(line) == Some(PlainAnswer::Yes) => json!({ "answer": "approve" }),
            line if line.is_empty() || plain_answer(line) == Some(PlainAnswer::No) => {
                printer.say(dim("why not? the model will read it; Enter for no reason"))?;
                match read_line()?.as_str() {
                    "" => json!({ "answer": "decline" }),
                    reason => json!({ "answer": "decline", "reason": reason }),
                }
            }
            "e" | "edit" => {
                printer.say(dim("the arguments as JSON"))?;
                match serde_json::from_str::<Value>(&read_line()?) {
                    Ok(args) => json!({ "answer": "edit", "args": args }),
                    Err(fault) => {
                        printer.say(format!("this is not valid JSON: {fault}"))?;
                        continue;
                    }
                }
            }
            other => {
                printer.say(format!("`{other}` is none of {letters}"))?;
                continue;
            }
        });
    }
}

fn read_line() -> Result<String, Failure> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}
