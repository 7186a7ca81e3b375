//! The commands, one file each.

mod approvals;
mod audit;
mod build;
mod call;
mod cards;
mod chat;
mod check;
mod completions;
mod config;
mod decode;
mod diff;
mod doctor;
mod emit;
mod encode;
mod faults;
mod ledger;
mod lock;
mod lower;
mod mcp;
mod metrics;
mod models;
mod new;
mod pen;
mod replay;
mod serve;
mod show;
mod store;
mod test;
mod tools;
mod why;

use clap::Subcommand;

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
