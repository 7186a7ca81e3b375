//! `ghosthand ledger`: the record of every call that writes.

use clap::{ArgGroup, Args, Subcommand};
use policy::{LedgerState, Resolution, Timestamp};

use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan};
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::json_input;
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// Show and resolve calls that write
#[derive(Args)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    what: LedgerWhat,
}

#[derive(Subcommand)]
enum LedgerWhat {
    /// List the entries, latest change last
    List {
        #[command(flatten)]
        engine: EngineArgs,
    },
    /// Show one entry
    Show {
        /// The entry's id or a unique prefix of it
        id: String,
        #[command(flatten)]
        engine: EngineArgs,
    },
    /// Record the outcome of a call in doubt
    #[command(group = ArgGroup::new("outcome").args(["happened", "did_not_happen"]).required(true))]
    Resolve {
        /// The entry's id or a unique prefix of it
        id: String,
        /// The call took effect, with this result as JSON
        #[arg(long, value_name = "JSON")]
        happened: Option<String>,
        /// The call had no effect
        #[arg(long)]
        did_not_happen: bool,
        #[command(flatten)]
        engine: EngineArgs,
    },
}

impl LedgerArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let fix = "`ghosthand ledger list` shows the entries";
        on_runtime(async {
            match self.what {
                LedgerWhat::List { engine } => {
                    let engine = engine.open(StoreUse::Read)?;
                    let lines = engine.ledger().await.map_err(|f| Failure::user(f, fix))?;
                    if lines.is_empty() {
                        printer.message("no calls have written anything yet")?;
                    }
                    for line in &lines {
                        let id: String = line.id.chars().take(8).collect();
                        let state = match engine.is_overdue(&line.entry) {
                            true => "in doubt",
                            false => word(&line.entry.state),
                        };
                        let (tool, at) = (&line.entry.tool, moment(line.entry.changed_at()));
                        printer.data(format!("{}  {state:<9}  {at}  {tool}", cyan(id)))?;
                    }
                }
                LedgerWhat::Show { id, engine } => {
                    let line = engine
                        .open(StoreUse::Read)?
                        .ledger_entry(&id)
                        .await
                        .map_err(|f| Failure::user(f, fix))?;
                    printer.json(&line)?;
                }
                LedgerWhat::Resolve { id, happened, did_not_happen: _, engine } => {
                    let what = match happened {
                        Some(text) => {
                            Resolution::Happened { data: json_input::parse(&text, "the result")? }
                        }
                        // The parser lets in one of the two flags.
                        None => Resolution::DidNotHappen,
                    };
                    let line = engine
                        .open(StoreUse::Read)?
                        .resolve(&id, what)
                        .await
                        .map_err(|f| Failure::user(f, fix))?;
                    printer.data(format!("{}  {}", line.entry.tool, word(&line.entry.state)))?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}

/// The local time.
fn moment(at: Timestamp) -> String {
    let at = i64::try_from(at.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let zoned = at.unwrap_or_default().to_zoned(jiff::tz::TimeZone::system());
    zoned.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn word(state: &LedgerState) -> &'static str {
    match state {
        LedgerState::Intended => "intended",
        LedgerState::Started { .. } => "started",
        LedgerState::Done { .. } => "done",
        LedgerState::Failed { .. } => "failed",
        LedgerState::InDoubt { .. } => "in doubt",
    }
}
