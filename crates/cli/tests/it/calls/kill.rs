//! A write runs at most once: a process is killed with SIGKILL before and after every write of
//! the journal, then started again. The store and the native tool, which appends a line to a
//! file, are real.
//!
//! The test starts its own program again with only `victim` to run. A victim that finishes prints
//! what it knows; one that is to die prints `here` and waits to be killed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use contract::Mode;
use engine::{Engine, Settled, Waiting};
use hosts::native::NativeHost;
use policy::LedgerState;
use serde_json::{Value, json};
use store::{SqliteOptions, SqliteStore};
use testkit::faulty_store::{Counted, FaultyStore, StoreFailure};

use crate::support::in_process::{call, engine, on_stage, origin, schema, write_tool};

const FOLDER: &str = "GHOSTHAND_TEST_KILLED_FOLDER";
/// `3 before`, `3 after`, or `never`.
const CUT: &str = "GHOSTHAND_TEST_KILLED_CUT";

/// The write at which the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Before(usize),
    After(usize),
    Never,
}

impl Cut {
    fn parse(text: &str) -> Self {
        match text.split_once(' ') {
            Some((number, "before")) => Cut::Before(number.parse().unwrap()),
            Some((number, _)) => Cut::After(number.parse().unwrap()),
            None => Cut::Never,
        }
    }

    fn text(self) -> String {
        match self {
            Cut::Before(number) => format!("{number} before"),
            Cut::After(number) => format!("{number} after"),
            Cut::Never => "never".to_owned(),
        }
    }

    fn failure(self) -> (StoreFailure, usize) {
        match self {
            Cut::Before(number) => (StoreFailure::DieBefore, number),
            Cut::After(number) => (StoreFailure::DieAfter, number),
            Cut::Never => (StoreFailure::DieBefore, usize::MAX),
        }
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// An engine over the folder, as every process opens it.
fn open(folder: &Path, cut: Cut) -> Engine {
    let inner = SqliteStore::open(&folder.join("store.db"), SqliteOptions::machine()).unwrap();
    let mut native = NativeHost::new(1 << 20);
    let lines = folder.join("lines.txt");
    native.add("t", move |args: Value, _context| {
        let lines = lines.clone();
        async move {
            let mut file =
                std::fs::OpenOptions::new().create(true).append(true).open(lines).unwrap();
            writeln!(file, "{}", args["text"]).unwrap();
            file.sync_all().unwrap();
            Ok(json!({ "ok": true, "data": "added" }))
        }
    });
    // The parent process kills this one when it reads the line.
    let store = FaultyStore::new(Arc::new(inner), cut.failure(), Counted::Keys, || say("here"));
    engine(&folder.join("tools"), Arc::new(store), native)
}

/// Settles the call; a person who is asked says yes.
async fn settle(engine: &Engine) -> Settled {
    let call = call("call-0123456789", json!({ "text": "hello" }));
    let settled = engine.settle(&origin("c", Mode::Text), &call).await;
    let Some(Waiting::Approval(asked)) = &settled.waiting else { return settled };
    let yes = json!({ "request": asked.request.id, "answer": "approve" }).to_string();
    match engine.answer(&yes).await {
        Ok(asked) => engine.resume(&asked).await,
        // It was answered before the process was killed.
        Err(_) => engine.resume(asked).await,
    }
}

/// Does nothing when it is run as an ordinary test.
#[test]
fn victim() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let cut = Cut::parse(&std::env::var(CUT).unwrap());
    on_stage(async {
        let engine = open(Path::new(&folder), cut);
        let settled = settle(&engine).await;
        engine.flush().await;
        say(&format!("end {}", settled.outcome.is_ok()));
    });
}

fn start(folder: &Path, cut: Cut) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "calls::kill::victim", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(CUT, cut.text())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How a process ended.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Killed,
    /// By itself, with or without a result.
    Itself(bool),
}

fn run(folder: &Path, cut: Cut) -> Ended {
    let mut child = start(folder, cut);
    let said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    for line in said {
        if line.ends_with("here") {
            child.kill().unwrap();
            child.wait().unwrap();
            return Ended::Killed;
        }
        if let Some((_, is_ok)) = line.rsplit_once("end ") {
            child.wait().unwrap();
            return Ended::Itself(is_ok == "true");
        }
    }
    panic!("the victim ended without output: {:?}", child.wait());
}

/// A new folder with a tool that needs a person's approval, and no store yet.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut schema = schema();
    schema["requiresConfirmation"] = json!(true);
    schema["latencyBudgetMs"] = json!(1_000);
    write_tool(&folder.path().join("tools"), &schema, None);
    folder
}

fn lines(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("lines.txt")).unwrap_or_default().lines().count()
}

/// The ledger's state of the call, read by a process that is not killed.
fn known(folder: &Path) -> Option<LedgerState> {
    on_stage(async {
        let ledger = open(folder, Cut::Never).ledger().await.unwrap();
        assert!(ledger.len() <= 1, "{ledger:?}");
        ledger.into_iter().next().map(|line| line.entry.state)
    })
}

#[test]
fn a_line_is_added_at_most_once_wherever_the_process_is_killed() {
    let mut kills = 0;
    let mut in_doubt = 0;
    'cuts: for number in 0.. {
        for cut in [Cut::Before(number), Cut::After(number)] {
            let folder = folder();
            let folder = folder.path();
            if run(folder, cut) == Ended::Itself(true) {
                break 'cuts;
            }
            kills += 1;
            let (before, place) = (lines(folder), cut.text());
            let first = run(folder, Cut::Never);
            let second = run(folder, Cut::Never);
            let after = lines(folder);
            assert!(after <= 1, "{place}: {after} lines");
            assert!(before <= after);
            let again = (first, second);
            let refused = (Ended::Itself(false), Ended::Itself(false));
            match known(folder) {
                // Later calls get the recorded result.
                Some(LedgerState::Done { .. }) => {
                    let recorded = (Ended::Itself(true), Ended::Itself(true));
                    assert_eq!((after, again), (1, recorded), "{place}");
                }
                // The outcome is unknown, and later calls say so.
                Some(LedgerState::Started { .. } | LedgerState::InDoubt { .. }) => {
                    assert_eq!(again, refused, "{place}");
                    in_doubt += 1;
                }
                other => panic!("{place}: {after} lines, and the ledger says {other:?}"),
            }
        }
    }
    // The question and its index, the answer, the four steps of a write.
    assert!(kills >= 12, "the process was killed at only {kills} writes");
    assert!(in_doubt >= 2, "only {in_doubt} kills left the outcome unknown");
}
