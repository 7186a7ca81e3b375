//! Asks the person at the terminal what a waiting turn needs to know.

use std::io::{BufRead, IsTerminal};

use engine::Asked;
use serde_json::{Value, json};

use super::Chat;
use crate::exit::Failure;
use crate::printer::{Printer, bold, dim};

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
            if !std::io::stdin().is_terminal() {
                let id: String =
                    asked.request.id.0.trim_start_matches("ask:").chars().take(8).collect();
                let (approve, go_on) =
                    ("ghosthand approvals approve", "ghosthand chat --conversation");
                printer
                    .say(dim(format!("waiting: `{approve} {id}`, then `{go_on} {}`", self.id.0)))?;
                return Ok(false);
            }
            let answer = tokio::task::block_in_place(|| choose(printer))?;
            let mut payload = answer;
            payload["request"] = json!(asked.request.id);
            let taken = self.desk.answer(&payload.to_string()).await;
            if let Err(fault) = taken {
                printer.say(format!("the answer was not taken: {fault}"))?;
            }
        }
        Ok(true)
    }
}

/// One of yes, always, no with a reason, or other arguments.
fn choose(printer: &mut Printer) -> Result<Value, Failure> {
    loop {
        let choices = "[y] yes   [a] always in this conversation   [n] no   [e] other arguments";
        printer.say(dim(choices))?;
        let line = read_line()?;
        return Ok(match line.as_str() {
            "y" | "yes" => json!({ "answer": "approve" }),
            "a" | "always" => json!({ "answer": "approve", "scope": "conversation" }),
            "n" | "no" | "" => {
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
                        printer.say(format!("this is no JSON: {fault}"))?;
                        continue;
                    }
                }
            }
            other => {
                printer.say(format!("`{other}` is none of y, a, n, e"))?;
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
