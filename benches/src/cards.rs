//! Flashcards: the cost of a sentence without the model, and the speed of segmentation.
//!
//! In: texts of ordinary sentences with the usual traps. Segmentation is compared with PySBD and
//! NLTK's Punkt; both get a part of the book, because the whole would take them too long.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use cards::{
    Answerer, AskSettings, Chunking, Language, Library, Manifest, NewRun, OfflineModel, Pair,
    Patience, Sending, WorkEnd, WorkOptions, segment,
};
use engine::Cancel;
use models::SystemClock;
use store::{SqliteOptions, SqliteStore};

use crate::measure::{against, best_of, forget_peak_memory, peak_memory_mb, per_second, row, us};
use crate::peers::{Peers, figures};

/// The time limit of a sentence without the model.
const OWN_TARGET: Duration = Duration::from_micros(100);
const RUN_SENTENCES: usize = 2_000;
const BOOK_SENTENCES: usize = 100_000;
const PART_SENTENCES: usize = 2_000;
const RUNS: usize = 3;

pub(crate) fn run() -> Result<()> {
    own_time()?;
    book()
}

/// A whole run with a model that answers at once: segment, ask, read, store, merge.
fn own_time() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let text = text(RUN_SENTENCES);
    let (took, ()) = best_of(RUNS, || runtime.block_on(one_run(&text)))?;
    let each = took / u32::try_from(RUN_SENTENCES)?;
    row("a sentence, all but its model", &us(each), &against(OWN_TARGET, each));
    Ok(())
}

async fn one_run(text: &str) -> Result<()> {
    let store = SqliteStore::temporary(SqliteOptions::machine())?;
    let library = Library::new(Arc::new(store), Arc::new(SystemClock));
    let pair = Pair { from: "en".parse()?, to: "uk".parse()? };
    let chunking = Chunking { sentences_max: 10, ..Chunking::usual() };
    let beginning = NewRun { document: "book".to_owned(), pair, chunking };
    let head = library.begin(text, &beginning).await?;
    let by = Answerer { model: Arc::new(OfflineModel::default()), batches: None };
    let options = WorkOptions {
        sending: Sending::Live,
        requests_at_once_max: 4,
        cost_max: None,
        ask: AskSettings::usual(),
        patience: Patience::UntilEnded,
        cancel: Cancel::default(),
    };
    let end = library.work(&head.id, &by, &options, Arc::new(|_| {})).await?;
    ensure!(end == WorkEnd::Ready, "the run ended with {end:?}");
    Ok(())
}

fn book() -> Result<()> {
    let english: Language = "en".parse()?;
    let book = text(BOOK_SENTENCES);
    forget_peak_memory();
    let (took, found) = best_of(RUNS, || Ok(segment(&book, &english).sentences.len()))?;
    let rate = found as f64 / took.as_secs_f64();
    let memory = peak_memory_mb(std::process::id());
    let held = memory.map(|mb| format!("{mb} MB at most")).unwrap_or_default();
    let note = format!("{} sentences of {} MB; {held}", found, book.len() >> 20);
    row("sentences cut per second", &per_second(rate), &note);
    let (took, _) = best_of(RUNS, || {
        Ok(Manifest::of(&book, &english, "book", Chunking::usual()).sentences.len())
    })?;
    let rate = found as f64 / took.as_secs_f64();
    row("and named, signed, chunked per second", &per_second(rate), "the manifest of the book");
    neighbours()
}

fn neighbours() -> Result<()> {
    let peers = Peers::open()?;
    let part = text(PART_SENTENCES);
    let english: Language = "en".parse()?;
    let (took, found) = best_of(RUNS, || Ok(segment(&part, &english).sentences.len()))?;
    let ours = found as f64 / took.as_secs_f64();
    let note = format!("{found} sentences in a part of {PART_SENTENCES}");
    row("the same part, ours", &per_second(ours), &note);
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), &part)?;
    for (name, package) in [("PySBD", "pysbd"), ("NLTK Punkt", "nltk")] {
        let measured = peers.python("sentences", &["pysbd", "nltk"]).and_then(|python| {
            figures(python.script("cards_sentences.py").arg(package).arg(file.path()))
        });
        match measured.as_deref() {
            Some([seconds, sentences, megabytes]) => {
                let rate = sentences / seconds;
                let note = format!(
                    "{sentences:.0} sentences, {megabytes:.0} MB at most; ours is {:.0} × as fast",
                    ours / rate
                );
                row(name, &per_second(rate), &note);
            }
            Some(_) | None => row(name, "–", "it cannot be installed here"),
        }
    }
    Ok(())
}

/// This many sentences, with abbreviations, initials, quotes and numbers.
fn text(sentences: usize) -> String {
    const LINES: [&str; 10] = [
        "The old clock in the hall struck seven, and nobody moved.",
        "Dr. A. Smith lives at No. 5.",
        "\"Where are you going?\" she asked.",
        "He bought bread, milk, etc. and went home.",
        "It cost $3.50 in 1999.",
        "We waited… and waited.",
        "The U.S. Senate voted at 5 p.m. on Friday.",
        "Nothing happened!",
        "Why should it?",
        "On Jan. 5 the river froze, as it does every year.",
    ];
    let mut text = String::new();
    for number in 0..sentences {
        let line = LINES.get(number % LINES.len()).copied().unwrap_or_default();
        text.push_str(line);
        text.push_str(if number % 50 == 49 { "\n\n" } else { " " });
    }
    text
}
