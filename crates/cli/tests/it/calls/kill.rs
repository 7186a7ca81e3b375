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
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::Mode;
use engine::{Engine, Settled, Waiting};
use hosts::native::NativeHost;
use policy::LedgerState;
use serde_json::{Value, json};
use store::{
    Change, Expected, Expiry, Json, Key, Kv, KvEntry, ListEdit, ListEditResult, Log, Page,
    PageRequest, Prefix, Queue, Revision, SqliteOptions, SqliteStore, Store, StoreFault,
    Subscription,
};

use crate::support::in_process::{call, engine, on_stage, origin, schema, write_tool};

const FOLDER: &str = "GHOSTHAND_TEST_KILLED_FOLDER";
/// `3 before`, `3 after`, or `never`.
const CUT: &str = "GHOSTHAND_TEST_KILLED_CUT";

type Answered<'a, T> = store::BoxFuture<'a, Result<T, StoreFault>>;

/// When the process has come as far as it shall.
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
}

/// The real store, and a place to die at.
struct Journal {
    inner: SqliteStore,
    cut: Cut,
    writes: AtomicUsize,
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// The blow comes from outside; nothing happens here any more.
async fn die<T>() -> T {
    say("here");
    std::future::pending().await
}

impl Store for Journal {
    fn kv(&self) -> &dyn Kv {
        self
    }
    fn log(&self) -> &dyn Log {
        self.inner.log()
    }
    fn queue(&self) -> &dyn Queue {
        self.inner.queue()
    }
}

impl Kv for Journal {
    fn set<'a>(
        &'a self,
        key: &'a Key,
        value: Json,
        expected: Expected,
        expiry: Expiry,
    ) -> Answered<'a, Revision> {
        // Notes are written behind and guard no write; all else is the journal.
        let is_journal = !key.as_str().starts_with("conversation/");
        let number = is_journal.then(|| self.writes.fetch_add(1, Ordering::SeqCst));
        Box::pin(async move {
            if number.map(Cut::Before) == Some(self.cut) {
                return die().await;
            }
            let written = self.inner.kv().set(key, value, expected, expiry).await;
            if number.map(Cut::After) == Some(self.cut) {
                return die().await;
            }
            written
        })
    }
    fn get<'a>(&'a self, key: &'a Key) -> Answered<'a, Option<KvEntry>> {
        self.inner.kv().get(key)
    }
    fn delete<'a>(&'a self, key: &'a Key, expected: Expected) -> Answered<'a, Option<Revision>> {
        self.inner.kv().delete(key, expected)
    }
    fn list<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> Answered<'a, Page<KvEntry, Key>> {
        self.inner.kv().list(prefix, page)
    }
    fn keys<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> Answered<'a, Page<Key, Key>> {
        self.inner.kv().keys(prefix, page)
    }
    fn revision(&self) -> Answered<'_, Revision> {
        self.inner.kv().revision()
    }
    fn watch<'a>(
        &'a self,
        prefix: &'a Prefix,
        after: Revision,
    ) -> Answered<'a, Subscription<Change>> {
        self.inner.kv().watch(prefix, after)
    }
    fn edit_list<'a>(&'a self, key: &'a Key, edit: ListEdit) -> Answered<'a, ListEditResult> {
        self.inner.kv().edit_list(key, edit)
    }
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
    let store = Journal { inner, cut, writes: AtomicUsize::new(0) };
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
        // It was answered before the blow.
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
    panic!("the victim ended without a word: {:?}", child.wait());
}

/// The folder of one life: a tool that a person must agree to, and no store yet.
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

/// What the ledger says of the one call, read by a process that never died.
fn known(folder: &Path) -> Option<LedgerState> {
    on_stage(async {
        let ledger = open(folder, Cut::Never).ledger().await.unwrap();
        assert!(ledger.len() <= 1, "{ledger:?}");
        ledger.into_iter().next().map(|line| line.entry.state)
    })
}

#[test]
fn a_line_is_added_at_most_once_wherever_the_process_is_killed() {
    let mut lives = 0;
    let mut in_doubt = 0;
    'cuts: for number in 0.. {
        for cut in [Cut::Before(number), Cut::After(number)] {
            let folder = folder();
            let folder = folder.path();
            if run(folder, cut) == Ended::Itself(true) {
                break 'cuts;
            }
            lives += 1;
            let (before, place) = (lines(folder), cut.text());
            let first = run(folder, Cut::Never);
            let second = run(folder, Cut::Never);
            let after = lines(folder);
            assert!(after <= 1, "{place}: {after} lines");
            assert!(before <= after);
            let again = (first, second);
            let refused = (Ended::Itself(false), Ended::Itself(false));
            match known(folder) {
                // Whoever asks gets the result that was written down.
                Some(LedgerState::Done { .. }) => {
                    let recorded = (Ended::Itself(true), Ended::Itself(true));
                    assert_eq!((after, again), (1, recorded), "{place}");
                }
                // Nobody knows, and nobody says otherwise.
                Some(LedgerState::Started { .. } | LedgerState::InDoubt { .. }) => {
                    assert_eq!(again, refused, "{place}");
                    in_doubt += 1;
                }
                other => panic!("{place}: {after} lines, and the ledger says {other:?}"),
            }
        }
    }
    // The question and its place, the answer, the four steps of a write.
    assert!(lives >= 12, "the process was killed at {lives} places only");
    assert!(in_doubt >= 2, "the dangerous moments were met: {in_doubt}");
}
