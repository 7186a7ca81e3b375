//! The commands, one file each.
//!
//! Commands that run tools or models are here; [`authoring`] has those for authors of tools,
//! [`records`] those that read the store, and [`setup`] those about this installation.

mod authoring;
mod call;
mod cards;
mod chat;
mod emit;
mod mcp;
pub(crate) mod pen;
mod records;
mod serve;
mod setup;
mod why;

use clap::Subcommand;

use self::authoring::{
    build, check, decode, diff, encode, faults, lock, lower, new, show, test, tools,
};
use self::records::{approvals, audit, ledger, metrics, replay, store};
use self::setup::{completions, config, doctor, models};
use crate::exit::CommandResult;
use crate::render::printer::Printer;

#[derive(Subcommand)]
pub(crate) enum Command {
    New(new::NewArgs),
    Check(check::CheckArgs),
    Build(build::BuildArgs),
    Show(show::ShowArgs),
    Test(test::TestArgs),
    Diff(diff::DiffArgs),
    Lock(lock::LockArgs),
    Lower(lower::LowerArgs),
    Encode(encode::EncodeArgs),
    Decode(decode::DecodeArgs),
    Emit(emit::EmitArgs),
    Pen(pen::PenArgs),
    Call(call::CallArgs),
    Chat(chat::ChatArgs),
    Serve(serve::ServeArgs),
    Cards(cards::CardsArgs),
    Why(why::WhyArgs),
    Replay(replay::ReplayArgs),
    Models(models::ModelsArgs),
    Mcp(mcp::McpArgs),
    Config(config::ConfigArgs),
    Approvals(approvals::ApprovalsArgs),
    Ledger(ledger::LedgerArgs),
    Audit(audit::AuditArgs),
    Metrics(metrics::MetricsArgs),
    Tools(tools::ToolsArgs),
    Doctor(doctor::DoctorArgs),
    Store(store::StoreArgs),
    Faults(faults::FaultsArgs),
    Completions(completions::CompletionsArgs),
}

impl Command {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        match self {
            Command::New(args) => args.run(printer),
            Command::Check(args) => args.run(printer),
            Command::Build(args) => args.run(printer),
            Command::Show(args) => args.run(printer),
            Command::Test(args) => args.run(printer),
            Command::Diff(args) => args.run(printer),
            Command::Lock(args) => args.run(printer),
            Command::Lower(args) => args.run(printer),
            Command::Encode(args) => args.run(printer),
            Command::Decode(args) => args.run(printer),
            Command::Emit(args) => args.run(printer),
            Command::Pen(args) => args.run(printer),
            Command::Call(args) => args.run(printer),
            Command::Chat(args) => args.run(printer),
            Command::Serve(args) => args.run(printer),
            Command::Cards(args) => args.run(printer),
            Command::Replay(args) => args.run(printer),
            Command::Models(args) => args.run(printer),
            Command::Mcp(args) => args.run(printer),
            Command::Config(args) => args.run(printer),
            Command::Why(args) => args.run(printer),
            Command::Approvals(args) => args.run(printer),
            Command::Ledger(args) => args.run(printer),
            Command::Audit(args) => args.run(printer),
            Command::Metrics(args) => args.run(printer),
            Command::Tools(args) => args.run(printer),
            Command::Doctor(args) => args.run(printer),
            Command::Store(args) => args.run(printer),
            Command::Faults(args) => args.run(printer),
            Command::Completions(args) => args.run(printer),
        }
    }
}
