//! `ghosthand approvals`: lists pending approvals and answers them.

use clap::{Args, Subcommand};
use engine::{ApprovalFault, ApprovalRecord, Engine, PaidBy, Settled, Waiting};
use policy::RuleId;
use serde_json::json;

use crate::commands::call::{BY_HAND, say, within};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim};
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// List and answer pending approvals
#[derive(Args)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List pending approvals
    List {
        #[command(flatten)]
        engine: EngineArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Approve a request and run the call
    Approve {
        /// The request's id or a unique prefix of it
        id: String,
        #[command(flatten)]
        engine: EngineArgs,
    },
    /// Decline a request; the call does not run
    Decline {
        /// The request's id or a unique prefix of it
        id: String,
        /// The reason, shown to the model
        #[arg(long)]
        reason: Option<String>,
        #[command(flatten)]
        engine: EngineArgs,
    },
}

impl ApprovalsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        on_runtime(async {
            match self.what {
                What::List { engine, json } => list(&engine, json, printer).await,
                What::Approve { id, engine } => {
                    answer(
                        &engine,
                        &id,
                        |id| json!({ "request": id, "answer": "approve" }),
                        printer,
                    )
                    .await
                }
                What::Decline { id, reason, engine } => {
                    let payload = |id: &str| match &reason {
                        Some(reason) => {
                            json!({ "request": id, "answer": "decline", "reason": reason })
                        }
                        None => json!({ "request": id, "answer": "decline" }),
                    };
                    answer(&engine, &id, payload, printer).await
                }
            }
        })
    }
}

async fn list(engine: &EngineArgs, json: bool, printer: &mut Printer) -> CommandResult {
    let engine = engine.open(StoreUse::Read)?;
    let open = engine
        .open_approvals()
        .await
        .map_err(|f| Failure::user(f, "check the store with `ghosthand store check`"))?;
    if json {
        let requests: Vec<_> = open.iter().map(|asked| &asked.request).collect();
        printer.json(&requests)?;
        return Ok(ExitStatus::Success);
    }
    for asked in &open {
        let request = &asked.request;
        printer.data(cyan(short(asked)))?;
        request.preview.lines().try_for_each(|line| printer.data(format!("  {line}")))?;
        printer.data(format!("  {}", within(&engine, asked)))?;
    }
    if open.is_empty() {
        printer.message("no pending approvals")?;
    }
    Ok(ExitStatus::Success)
}

async fn answer(
    engine: &EngineArgs,
    start: &str,
    payload: impl Fn(&str) -> serde_json::Value,
    printer: &mut Printer,
) -> CommandResult {
    let engine = engine.open(StoreUse::Read)?;
    let asked = engine.find_approval(start).await.map_err(unanswerable)?;
    let payload = payload(&asked.request.id.0).to_string();
    let asked = engine.answer(&payload).await.map_err(unanswerable)?;
    let conversation = asked.origin.conversation.0.as_str();
    if [mcp::server::CONVERSATION_PREFIX, server::CALLS]
        .iter()
        .any(|one| conversation.starts_with(one))
    {
        engine.flush().await;
        printer.message("recorded; it takes effect when the client calls again")?;
        return Ok(ExitStatus::Success);
    }
    let settled = match asked.call.id.0.starts_with(BY_HAND) {
        true => engine.settle_on(&engine.context(PaidBy::Person), &asked.origin, &asked.call).await,
        false => engine.resume(&asked).await,
    };
    engine.flush().await;
    match &settled.waiting {
        _ if settled.reason.rule == RuleId::DECLINED => {
            printer.message(format!("declined; `{}` did not run", settled.tool))?;
            printer.message(dim(format!("the model reads: {}", settled.reason.model)))?;
            Ok(ExitStatus::Success)
        }
        Some(Waiting::Approval(again)) => {
            ask_again(&engine, &settled, again, printer)?;
            Ok(ExitStatus::Faults)
        }
        Some(Waiting::InDoubt(_) | Waiting::Input(_)) | None => say(&settled, &[], printer),
    }
}

/// The approval covered what was shown; the call now needs another one.
fn ask_again(
    engine: &Engine,
    settled: &Settled,
    again: &ApprovalRecord,
    printer: &mut Printer,
) -> Result<(), Failure> {
    printer.message(format!("`{}` did not run: it needs another approval", settled.tool))?;
    again.request.preview.lines().try_for_each(|line| printer.message(format!("  {line}")))?;
    printer.message(format!("  {}", within(engine, again)))?;
    printer.message(format!("`ghosthand approvals approve {}` runs it anyway", short(again)))?;
    Ok(())
}

/// The short form of a request id.
fn short(asked: &ApprovalRecord) -> String {
    asked.request.id.0.trim_start_matches("ask:").chars().take(8).collect()
}

/// An answer that was rejected, with a fix.
fn unanswerable(fault: ApprovalFault) -> Failure {
    let fix = match &fault {
        ApprovalFault::Expired { asked, .. } | ApprovalFault::Withdrawn(asked) => again(asked),
        ApprovalFault::NoRequest(_)
        | ApprovalFault::Ambiguous(_)
        | ApprovalFault::Void(_)
        | ApprovalFault::BadArguments { .. }
        | ApprovalFault::AlreadyAnswered
        | ApprovalFault::Store(_)
        | ApprovalFault::Unreadable(_) => {
            "`ghosthand approvals list` shows what is pending".to_owned()
        }
    };
    Failure::user(fault, fix)
}

/// How to request the same approval again.
fn again(ApprovalRecord { call, origin, .. }: &ApprovalRecord) -> String {
    let conversation = &origin.conversation.0;
    match call.id.0.starts_with(BY_HAND) {
        true => {
            let args = call.args.to_string().replace('\'', r"'\''");
            format!("request it again with `ghosthand call {} '{args}'`", call.tool)
        }
        false => format!("request it again with `ghosthand chat --conversation {conversation}`"),
    }
}
