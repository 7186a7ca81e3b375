//! `ghosthand approvals`: the questions that wait for a person.

use clap::{Args, Subcommand};
use engine::{Asked, Desk, PaidBy, Settled, Unanswerable, Waiting};
use policy::RuleId;
use serde_json::json;

use super::call::{BY_HAND, say, within};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim};
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::runtime::on_runtime;

/// List and answer the questions that wait for a person
#[derive(Args)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Show what waits
    List {
        #[command(flatten)]
        desk: EngineArgs,
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
    /// Say yes, and run the call
    Approve {
        /// The beginning of the request's id
        id: String,
        #[command(flatten)]
        desk: EngineArgs,
    },
    /// Say no; the call is not run
    Decline {
        /// The beginning of the request's id
        id: String,
        /// Why, for the model to read
        #[arg(long)]
        reason: Option<String>,
        #[command(flatten)]
        desk: EngineArgs,
    },
}

impl ApprovalsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        on_runtime(async {
            match self.what {
                What::List { desk, json } => list(&desk, json, printer).await,
                What::Approve { id, desk } => {
                    answer(&desk, &id, |id| json!({ "request": id, "answer": "approve" }), printer)
                        .await
                }
                What::Decline { id, reason, desk } => {
                    let payload = |id: &str| match &reason {
                        Some(reason) => {
                            json!({ "request": id, "answer": "decline", "reason": reason })
                        }
                        None => json!({ "request": id, "answer": "decline" }),
                    };
                    answer(&desk, &id, payload, printer).await
                }
            }
        })
    }
}

async fn list(desk: &EngineArgs, json: bool, printer: &mut Printer) -> CommandResult {
    let desk = desk.open()?;
    let open = desk.open_approvals().await.map_err(|f| Failure::user(f, "look at the store"))?;
    if json {
        let requests: Vec<_> = open.iter().map(|asked| &asked.request).collect();
        printer.json(&requests)?;
        return Ok(ExitStatus::Success);
    }
    for asked in &open {
        let request = &asked.request;
        printer.data(cyan(short(asked)))?;
        request.preview.lines().try_for_each(|line| printer.data(format!("  {line}")))?;
        printer.data(format!("  {}", within(&desk, asked)))?;
    }
    if open.is_empty() {
        printer.say("nothing waits")?;
    }
    Ok(ExitStatus::Success)
}

async fn answer(
    desk: &EngineArgs,
    start: &str,
    payload: impl Fn(&str) -> serde_json::Value,
    printer: &mut Printer,
) -> CommandResult {
    let desk = desk.open()?;
    let asked = desk.find_approval(start).await.map_err(unanswerable)?;
    let payload = payload(&asked.request.id.0).to_string();
    let asked = desk.answer(&payload).await.map_err(unanswerable)?;
    let conversation = asked.room.conversation.0.as_str();
    if [mcp::serve::CONVERSATIONS, server::CALLS].iter().any(|one| conversation.starts_with(one)) {
        desk.flush().await;
        printer.say("noted; it takes effect when the client calls again")?;
        return Ok(ExitStatus::Success);
    }
    let settled = match asked.call.id.0.starts_with(BY_HAND) {
        true => desk.settle_on(&desk.stage(PaidBy::Person), &asked.room, &asked.call).await,
        false => desk.resume(&asked).await,
    };
    desk.flush().await;
    match &settled.waiting {
        _ if settled.reason.rule == RuleId::DECLINED => {
            printer.say(format!("declined; `{}` has not run", settled.tool))?;
            printer.say(dim(format!("the model reads: {}", settled.reason.model)))?;
            Ok(ExitStatus::Success)
        }
        Some(Waiting::Approval(again)) => {
            ask_again(&desk, &settled, again, printer)?;
            Ok(ExitStatus::Faults)
        }
        Some(Waiting::InDoubt(_) | Waiting::Input(_)) | None => say(&settled, printer),
    }
}

/// The yes was good for what was shown; since then there is something more to know.
fn ask_again(
    desk: &Desk,
    settled: &Settled,
    again: &Asked,
    printer: &mut Printer,
) -> Result<(), Failure> {
    printer.say(format!("`{}` has not run: there is something new to approve", settled.tool))?;
    again.request.preview.lines().try_for_each(|line| printer.say(format!("  {line}")))?;
    printer.say(format!("  {}", within(desk, again)))?;
    printer.say(format!("`ghosthand approvals approve {}` runs it all the same", short(again)))?;
    Ok(())
}

/// Enough of a request's id to name it.
fn short(asked: &Asked) -> String {
    asked.request.id.0.trim_start_matches("ask:").chars().take(8).collect()
}

/// Why an answer was not taken, and what to do now.
fn unanswerable(fault: Unanswerable) -> Failure {
    let fix = match &fault {
        Unanswerable::Expired { asked, .. } | Unanswerable::Withdrawn(asked) => again(asked),
        Unanswerable::NoRequest(_)
        | Unanswerable::Ambiguous(_)
        | Unanswerable::Void(_)
        | Unanswerable::BadArguments { .. }
        | Unanswerable::AlreadyAnswered
        | Unanswerable::Store(_)
        | Unanswerable::Unreadable(_) => "`ghosthand approvals list` shows what waits".to_owned(),
    };
    Failure::user(fault, fix)
}

/// How the same question is asked once more.
fn again(Asked { call, room, .. }: &Asked) -> String {
    let conversation = &room.conversation.0;
    match call.id.0.starts_with(BY_HAND) {
        true => {
            let args = call.args.to_string().replace('\'', r"'\''");
            format!("ask again with `ghosthand call {} '{args}'`", call.tool)
        }
        false => format!("ask for it again: `ghosthand chat --conversation {conversation}`"),
    }
}
