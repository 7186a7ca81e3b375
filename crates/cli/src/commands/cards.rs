//! `ghosthand cards`: flashcards from texts.

pub(super) mod anki_connect;
mod edit;
mod export;
mod import;
mod known;
mod make;
mod progress;
mod push;
mod remove;
mod retry;
mod review;
pub(super) mod settings;
mod show;
mod source;
pub(super) mod speech;
mod status;

use std::path::PathBuf;
use std::sync::Arc;

use cards::{Answerer, CardsFault, Language, Library, Pair, RunId};
use clap::{Args, Subcommand};
use models::SystemClock;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::open_store::store_address::StoreAddress;
use crate::wiring::open_store::{StoreUse, open_store};
use crate::wiring::runtime::on_runtime;

/// Make flashcards from a text, review them, export them to Anki
///
/// A run turns one text into cards. It can be stopped at any time and resumes where it left
/// off; `retry` asks again about sentences that failed. Without an API key the cards have no
/// translations.
#[derive(Args)]
pub(crate) struct CardsArgs {
    #[command(subcommand)]
    what: What,
    /// The store: a file, created if missing, or postgres://USER@HOST/DATABASE
    /// [default: .ghosthand/store.db]
    #[arg(long, global = true, value_name = "STORE")]
    store: Option<PathBuf>,
    /// The language of what happened to sentences and runs
    #[arg(long, global = true, default_value = "en", value_parser = ["en", "uk", "ru"])]
    locale: String,
}

#[derive(Subcommand)]
enum What {
    Make(make::MakeArgs),
    Status(status::StatusArgs),
    Retry(retry::RetryArgs),
    Show(show::ShowArgs),
    Edit(edit::EditArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    Push(push::PushArgs),
    Review(review::ReviewArgs),
    Known(known::KnownArgs),
    Remove(remove::RemoveArgs),
    /// Print the tool definition that the model is given
    Tool {
        /// The language of the text
        #[arg(long, default_value = "lv", value_name = "CODE")]
        from: Language,
    },
}

impl What {
    /// Only what begins a run or adds words creates a store; all else is about runs that exist.
    fn store_use(&self) -> StoreUse {
        match self {
            What::Make(args) if args.is_estimate() => StoreUse::Read,
            What::Make(_) | What::Import(_) => StoreUse::Write,
            What::Known(args) => args.store_use(),
            What::Status(_)
            | What::Retry(_)
            | What::Show(_)
            | What::Edit(_)
            | What::Export(_)
            | What::Push(_)
            | What::Review(_)
            | What::Remove(_)
            | What::Tool { .. } => StoreUse::Read,
        }
    }
}

/// The language pair.
#[derive(Args)]
struct PairArgs {
    /// The language of the text
    #[arg(long, default_value = "lv", value_name = "CODE")]
    from: Language,
    /// The language of the translations
    #[arg(long, default_value = "ru", value_name = "CODE")]
    to: Language,
}

impl PairArgs {
    fn pair(&self) -> Result<Pair, Failure> {
        if self.from == self.to {
            let what = format!("the text and its translation are both in {}", self.from.name());
            return Err(Failure::usage(what, "give --from and --to different languages"));
        }
        Ok(Pair { from: self.from.clone(), to: self.to.clone() })
    }
}

/// What every `cards` command needs.
struct CardsContext {
    library: Library,
    config: Config,
    locale: String,
}

impl CardsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        if let What::Tool { from } = &self.what {
            let ask = settings::ask_settings(&config);
            printer.json(&cards::emit_flashcards_tool(from, &ask))?;
            return Ok(ExitStatus::Success);
        }
        settings::check_enabled(&config)?;
        if let What::Make(args) = &self.what {
            args.check()?;
        }
        on_runtime(async {
            let ctx = self.open(config)?;
            match self.what {
                What::Make(args) => args.run(ctx, printer).await,
                What::Status(args) => args.run(&ctx, printer).await,
                What::Retry(args) => args.run(ctx, printer).await,
                What::Show(args) => args.run(&ctx, printer).await,
                What::Edit(args) => args.run(&ctx, printer).await,
                What::Export(args) => args.run(&ctx, printer).await,
                What::Import(args) => args.run(&ctx, printer).await,
                What::Push(args) => args.run(&ctx, printer).await,
                What::Review(args) => args.run(&ctx, printer).await,
                What::Known(args) => args.run(&ctx, printer).await,
                What::Remove(args) => args.run(&ctx, printer).await,
                What::Tool { .. } => Ok(ExitStatus::Success),
            }
        })
    }

    fn open(&self, config: Config) -> Result<CardsContext, Failure> {
        let address = StoreAddress::of(self.store.as_deref(), &config)?;
        let store = open_store(&address, self.what.store_use())?.shared();
        let library = Library::new(store, Arc::new(SystemClock));
        Ok(CardsContext { library, config, locale: self.locale.clone() })
    }
}

impl CardsContext {
    fn answerer(&self) -> Result<Answerer, Failure> {
        settings::answerer(&self.config)
    }

    /// The named run, or the newest.
    async fn run(&self, named: Option<&RunId>) -> Result<cards::RunInfo, Failure> {
        self.library.find(named).await.map_err(failure)
    }
}

/// A cards fault as a failure with its fix.
fn failure(fault: CardsFault) -> Failure {
    let fix = fault.fix();
    Failure::user(fault, fix)
}

/// `5 s`, `3 min`, `2 h 5 min`, `4 d`.
fn span(millis: u64) -> String {
    let seconds = millis.div_ceil(1_000);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds.div_ceil(60)),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d", seconds.div_ceil(86_400)),
    }
}
