//! `ghosthand store copy`: a whole store from one engine to the other.

use std::path::PathBuf;

use clap::Args;
use postgres::{CopyFault, copy};
use store::engine::ImportFault;

use super::{no_store, not_exported, sum};
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::open_store::store_address::StoreAddress;
use crate::wiring::open_store::{StoreUse, open_copy_target, open_store};
use crate::wiring::runtime::on_runtime;

/// The two stores of a copy.
#[derive(Args)]
pub(super) struct CopyArgs {
    /// The store to copy: a file, or postgres://USER@HOST/DATABASE
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// An unused store, or one that an earlier copy did not finish
    #[arg(value_name = "TO")]
    to: PathBuf,
}

impl CopyArgs {
    pub(super) fn run(&self, config: &Config, printer: &mut Printer) -> CommandResult {
        let from = StoreAddress::of(Some(&self.from), config)?;
        let to = StoreAddress::of(Some(&self.to), config)?;
        if let StoreAddress::File(path) = &from
            && !path.exists()
        {
            return Err(no_store(path));
        }
        let copied = on_runtime(async {
            let source = open_store(&from, StoreUse::Read)?;
            let target = open_copy_target(&to)?;
            printer.message(format!("copying {} to {}", from.place(), to.place()))?;
            copy(source.side(), target.side()).await.map_err(not_copied)
        })?;
        printer.message(format!("copied {}; the copy has the same content", sum(&copied)))?;
        Ok(ExitStatus::Success)
    }
}

fn not_copied(fault: CopyFault) -> Failure {
    match fault {
        CopyFault::Source(fault) | CopyFault::Check(fault) => not_exported(fault),
        CopyFault::Target(ImportFault::Store(fault)) => fault.into(),
        fault @ CopyFault::Target(ImportFault::NotEmpty) => {
            Failure::user(fault, "name a store that was never used; nothing was changed")
        }
        fault @ CopyFault::Target(ImportFault::Line { .. } | ImportFault::Source(_)) => {
            Failure::user(fault, "run the same command again")
        }
        fault @ CopyFault::Differs { .. } => {
            Failure::user(fault, "stop all servers of the source, and copy to another store")
        }
    }
}
