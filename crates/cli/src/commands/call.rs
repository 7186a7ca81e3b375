//! `ghosthand call`: one tool, called as a model would call it.

pub(super) mod form_prompt;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use contract::{AskKind, Call, CallId, Mode};
use engine::{
    ApprovalRecord, CallContext, CallOrigin, Engine, EngineLimits, PaidBy, QuestionFault, Settled,
    Waiting, for_model,
};
use policy::{ConversationId, VerdictKind};
use serde_json::Value;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::artifacts;
use crate::render::printer::{Printer, dim};
use crate::wiring::confirm::confirmed;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::json_input::{parse, read_json};
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// Call a tool as a model would
///
/// The call is validated, judged by policy and recorded. The result goes to standard output; the
/// verdict, the time and the handler's output go to standard error. A tool that needs approval
/// asks here, or in `ghosthand approvals`.
#[derive(Args)]
pub(crate) struct CallArgs {
    /// The tool's id
    tool: String,
    /// The arguments as JSON; `-` reads standard input
    #[arg(default_value = "{}", value_name = "JSON")]
    args: String,
    /// Interaction mode: text or voice
    #[arg(long, default_value = "text")]
    mode: Mode,
    /// The conversation the call belongs to; recent results in it may be reused
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Run even if the conversation already has the result (the default without --conversation)
    #[arg(long)]
    fresh: bool,
    /// Approve without prompting
    #[arg(long)]
    yes: bool,
    /// Write the tool's artifacts into this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

impl CallArgs {
    /// The same call, for a tool named as its MCP server names it.
    pub(super) fn of_server(self, server: &str) -> Self {
        let tool = self.tool.to_ascii_lowercase();
        let tool = tool.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "_");
        let prefix = format!("{server}.");
        let tool = if tool.starts_with(&prefix) { tool } else { format!("{prefix}{tool}") };
        Self { tool, ..self }
    }

    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let args = match self.args.as_str() {
            "-" => read_json(Path::new("-"))?,
            text => parse(text, "the arguments")?,
        };
        on_runtime(async {
            let config = Config::load()?;
            let (engine, drift) =
                self.engine.open_for(&config, &self.tool, StoreUse::Write, printer)?;
            drift.print(Some(engine.full_name(&self.tool).as_str()), printer)?;
            let settled = self.settle(&engine, args, printer).await?;
            engine.flush().await;
            // The result is shown even if a file cannot be written.
            let saved = self.save(&settled);
            let ending = say(&settled, saved.as_deref().unwrap_or_default(), printer)?;
            saved.map(|_| ending)
        })
    }

    /// Writes the artifacts where a person wants them.
    fn save(&self, settled: &Settled) -> Result<Vec<PathBuf>, Failure> {
        let Some(folder) = &self.save else { return Ok(Vec::new()) };
        let files = settled.artifacts.iter();
        files.map(|file| artifacts::save(folder, &file.name, &file.text)).collect()
    }

    async fn settle(
        &self,
        engine: &Engine,
        args: Value,
        printer: &mut Printer,
    ) -> Result<Settled, Failure> {
        let mut origin = origin(engine, self.conversation.as_deref(), self.mode);
        let context = engine.context(paid_by(self.conversation.as_deref(), self.fresh));
        if std::io::stdin().is_terminal() {
            origin.can_ask.push(AskKind::Person);
        }
        let id = CallId(format!("{BY_HAND}{}-{}", engine.now().0, std::process::id()));
        let call = Call { id, tool: engine.full_name(&self.tool), args };
        let settled = questioned(engine, &context, &origin, &call, printer).await?;
        let Some(Waiting::Approval(asked)) = &settled.waiting else { return Ok(settled) };
        printer.message(&asked.request.preview)?;
        if !self.yes {
            printer.message(within(engine, asked))?;
        }
        let answer = match self.yes {
            true => "approve",
            false if !std::io::stdin().is_terminal() => return Ok(settled),
            false if confirmed("run it?", printer)? => "approve",
            false => "decline",
        };
        let id = &asked.request.id.0;
        let payload = serde_json::json!({ "request": id, "answer": answer }).to_string();
        let asked = engine
            .answer(&payload)
            .await
            .map_err(|fault| Failure::user(fault, "request it again"))?;
        Ok(engine.settle_on(&context, &origin, &asked.call).await)
    }
}

/// How long a question can be answered.
pub(super) fn within(engine: &Engine, asked: &ApprovalRecord) -> String {
    dim(format!("can be answered for {}", engine.time_to_answer(asked)))
}

/// The prefix of call ids of `ghosthand call`.
pub(super) const BY_HAND: &str = "terminal-";
/// The conversation of calls that name none.
const TERMINAL: &str = "terminal";

/// A call without a conversation always runs; results are reused only within a conversation.
pub(super) fn paid_by(conversation: Option<&str>, fresh: bool) -> PaidBy {
    match (conversation, fresh) {
        (None | Some(TERMINAL), _) | (_, true) => PaidBy::Person,
        (Some(_), false) => PaidBy::Turn,
    }
}

/// The origin of a call from the terminal: each command is a turn.
pub(super) fn origin(engine: &Engine, conversation: Option<&str>, mode: Mode) -> CallOrigin {
    CallOrigin {
        conversation: ConversationId(conversation.unwrap_or(TERMINAL).to_owned()),
        client: "terminal".to_owned(),
        mode,
        turn: engine.now().0,
        somebody_to_ask: true,
        can_ask: Vec::new(),
        model: None,
        active: true,
    }
}

/// Settles the call, and asks the handler's questions at the terminal.
async fn questioned(
    engine: &Engine,
    context: &CallContext,
    origin: &CallOrigin,
    call: &Call,
    printer: &mut Printer,
) -> Result<Settled, Failure> {
    loop {
        let settled = engine.settle_on(context, origin, call).await;
        let Some(Waiting::Input(wanted)) = &settled.waiting else { return Ok(settled) };
        if wanted.asks.kinds().iter().any(|kind| !origin.can_ask.contains(kind)) {
            return Ok(settled);
        }
        let mut open = Some(wanted.as_ref().clone());
        while let Some(wanted) = &open {
            let given = form_prompt::put(&wanted.asks, &mut std::io::stdin().lock(), printer)?;
            match engine.answer_input(origin, call, &given).await {
                Ok(rest) => open = rest,
                Err(fault @ QuestionFault::Unfit { .. }) => printer.message(fault.to_string())?,
                Err(fault) => return Err(Failure::user(fault, "call it again")),
            }
        }
    }
}

/// The result to standard output, everything else to standard error.
///
/// `saved` are the files of its artifacts, if they were written.
pub(super) fn say(
    settled: &Settled,
    saved: &[PathBuf],
    printer: &mut Printer,
) -> Result<ExitStatus, Failure> {
    let took = settled.duration().map(|ms| format!(", {ms} ms"));
    // A run that failed is shown as `failed`.
    let word = match (settled.verdict, &settled.outcome) {
        (VerdictKind::Run, Err(_)) => "failed",
        (verdict, _) => verdict.as_str(),
    };
    let verdict = format!("{word} ({}){}", settled.reason.rule, took.unwrap_or_default());
    printer.message(format!("{} {}", settled.tool, dim(verdict)))?;
    for note in &settled.notes {
        printer.message(format!("note: {note}"))?;
    }
    for intent in &settled.intents {
        printer.message(format!("intent: {}", intent.kind()))?;
    }
    for (at, artifact) in settled.artifacts.iter().enumerate() {
        let how = match saved.get(at) {
            Some(path) => format!("saved as {}", path.display()),
            None => "`ghosthand call --save DIR` writes it".to_owned(),
        };
        printer.message(format!("artifact: {}", artifacts::line(artifact, &how)))?;
    }
    if let Some(Waiting::Approval(asked)) = &settled.waiting {
        let id = asked.request.id.0.trim_start_matches("ask:");
        let short: String = id.chars().take(8).collect();
        printer.message(format!("waiting: `ghosthand approvals approve {short}` runs it"))?;
    }
    if let Some(Waiting::InDoubt(_)) = &settled.waiting {
        printer.message(
            "in doubt: `ghosthand ledger list` shows it, `ghosthand ledger resolve` settles it",
        )?;
    }
    if let Some(Waiting::Input(_)) = &settled.waiting {
        let fix = "call it in a terminal, or pass the answer in its arguments";
        printer.message(format!("waiting for an answer: {fix}"))?;
    }
    printer.json_text(&for_model(settled, &EngineLimits::machine()))?;
    Ok(if settled.outcome.is_ok() { ExitStatus::Success } else { ExitStatus::Faults })
}
