//! `ghosthand store`: checks, exports, imports and copies stores.

mod copy;

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use store::{Counts, ExportFault, ImportFault};

use self::copy::CopyArgs;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, count};
use crate::wiring::open_store::store_address::StoreAddress;
use crate::wiring::open_store::{OpenedStore, StoreUse, not_opened, open_store};
use crate::wiring::runtime::on_runtime;

/// Check, export, import or copy the store
#[derive(Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    what: What,
    /// The store: a file, or postgres://USER@HOST/DATABASE [default: .ghosthand/store.db]
    #[arg(long, global = true, value_name = "STORE")]
    store: Option<PathBuf>,
}

#[derive(Subcommand)]
enum What {
    /// Check for damage, without changing anything
    Check,
    /// Write everything as JSON Lines
    Export {
        /// The output file; `-` is standard output
        #[arg(default_value = "-")]
        file: PathBuf,
    },
    /// Import an export into an unused store, all or nothing
    Import {
        /// The export file
        file: PathBuf,
    },
    /// Copy everything to another store, of any engine, and compare
    ///
    /// Stop the servers of the source first. A copy into PostgreSQL that was interrupted continues
    /// when the same command runs again. For a password, set $PGPASSWORD.
    Copy(CopyArgs),
}

impl StoreArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let store = || StoreAddress::of(self.store.as_deref(), &config);
        match &self.what {
            What::Check => check(&store()?, printer),
            What::Export { file } => export(&store()?, file, printer),
            What::Import { file } => import(&store()?, file, printer),
            What::Copy(copy) => copy.run(&config, printer),
        }
    }
}

fn check(address: &StoreAddress, printer: &mut Printer) -> CommandResult {
    let StoreAddress::File(path) = address else {
        let what = "a store in PostgreSQL is checked by its server";
        return Err(Failure::message(what, "run `pg_amcheck`; `ghosthand doctor` shows its state"));
    };
    let report = store::check(path).map_err(not_opened)?;
    for damage in &report.damage {
        printer.data(damage)?;
    }
    let size = count(report.file_bytes, "byte");
    printer.message(format!("{} in {size}", sum(&report.counts)))?;
    match report.damage.len() {
        0 => Ok(ExitStatus::Success),
        number => {
            let advice = "restore a backup, or export what is readable";
            printer.message(format!("damaged: {}; {advice}", count(number, "place")))?;
            Ok(ExitStatus::Faults)
        }
    }
}

fn export(address: &StoreAddress, file: &Path, printer: &mut Printer) -> CommandResult {
    if let StoreAddress::File(path) = address
        && !path.exists()
    {
        return Err(no_store(path));
    }
    on_runtime(async { exported(&open_store(address, StoreUse::Read)?, file, printer).await })
}

async fn exported(store: &OpenedStore, file: &Path, printer: &mut Printer) -> CommandResult {
    let counts = if file == Path::new("-") {
        store.export(std::io::stdout()).await.map_err(not_exported)?.1
    } else {
        let context = || format!("`{}` cannot be written", file.display());
        let draft = files::AtomicFile::new(file).with_context(context)?;
        let exported = store.export(BufWriter::new(draft)).await;
        let (writer, counts) = exported.map_err(not_exported)?;
        let mut draft = writer.into_inner().map_err(|error| error.into_error())?;
        draft.flush()?;
        draft.replace().with_context(context)?;
        counts
    };
    printer.message(format!("exported {}", sum(&counts)))?;
    Ok(ExitStatus::Success)
}

fn import(address: &StoreAddress, file: &Path, printer: &mut Printer) -> CommandResult {
    let source = File::open(file).map_err(|error| {
        let what =
            anyhow::Error::new(error).context(format!("`{}` cannot be read", file.display()));
        Failure::user(what, "name a file that `ghosthand store export` wrote")
    })?;
    let imported = on_runtime(async {
        let store = open_store(address, StoreUse::Write)?;
        Ok(store.import(BufReader::new(source)).await)
    })?;
    let counts = imported.map_err(|fault| match fault {
        ImportFault::Store(fault) => Failure::from(fault),
        fault @ (ImportFault::NotEmpty | ImportFault::Line { .. } | ImportFault::Source(_)) => {
            Failure::user(fault, "nothing was imported; use a complete export and a new store")
        }
    })?;
    printer.message(format!("imported {}", sum(&counts)))?;
    Ok(ExitStatus::Success)
}

fn sum(counts: &Counts) -> String {
    let Counts { keys, logs, records, messages, .. } = counts;
    let (keys, records) = (count(*keys, "key"), count(*records, "record"));
    let (logs, messages) = (count(*logs, "log"), count(*messages, "message"));
    format!("{keys}, {records} in {logs}, {messages}")
}

fn no_store(path: &Path) -> Failure {
    let what = format!("there is no store at `{}`", path.display());
    Failure::message(what, "name the file with --store")
}

fn not_exported(fault: ExportFault) -> Failure {
    match fault {
        ExportFault::Sink(error) => error.into(),
        ExportFault::Store(fault) => fault.into(),
    }
}
