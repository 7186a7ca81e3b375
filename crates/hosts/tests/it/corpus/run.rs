//! Makes all attempts once as the current user, and records the results.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hosts::python::find_python;
use hosts::sandbox::doctor::Kind;
use hosts::sandbox::{Calls, Files, LANDLOCK_NEWEST, Sandbox, SandboxPolicy, pretend_landlock};
use hosts::spawn::{Program, spawn_stdio_child};
use hosts::{JsHost, JsHostConfig, PyHost, PyHostConfig, doctor};
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::Attempt;
use super::numbers::numbers;
use super::world::World;
use crate::harness::{Script, body, py, py_config, runtime};

const PRELUDE: &str = include_str!("prelude.py");
const DRIVER: &str = include_str!("driver.py");
/// The time limit of endless code.
const ENDLESS_MS: u64 = 300;
const PATIENT: Duration = Duration::from_secs(120);
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/urandom"];

pub(super) fn all(place: &Path, kernel: u8) {
    pretend_landlock(kernel);
    let worker = place.parent().unwrap().join("worker");
    let world = World::new(place);
    let mut attempts = Attempt::all();
    attempts.retain(|attempt| kernel > LANDLOCK_NEWEST || !attempt.is_for("once"));
    let mut table = Table::default();
    runtime().block_on(async {
        // Children that open no files do not depend on Landlock.
        if kernel > LANDLOCK_NEWEST {
            engine(&worker, &mut table).await;
            javascript(&worker, &attempts, &mut table).await;
        }
        python(&worker, &attempts, &world, &mut table).await;
        for (area, calls) in [("mcp", Calls::Program), ("net", Calls::Networked)] {
            server(&worker, place, (area, calls), &attempts, &world, &mut table).await;
        }
    });
    world.check();
    std::fs::write(place.join("table"), table.0).unwrap();
}

/// Area, attempt, and `held` or how it succeeded; a control is `held` if it succeeded.
#[derive(Default)]
struct Table(String);

impl Table {
    fn add(&mut self, area: &str, attempt: &Attempt, end: &str) {
        let end = match (attempt.is_for("control"), end.starts_with("held")) {
            (true, true) => "it was refused, but should succeed",
            (true, false) if end != "it worked" => end,
            (false, false) => end,
            (true, false) | (false, true) => "held",
        };
        let name = format!("{area}: {}", attempt.name);
        self.line(attempt.counts_as(area), &name, end);
    }

    fn line(&mut self, area: &str, name: &str, end: &str) {
        let end = end.replace(['\n', '\t'], " ");
        writeln!(self.0, "{area}\t{name}\t{end}").unwrap();
    }
}

/// What a compromised JavaScript engine could do.
async fn engine(worker: &Path, table: &mut Table) {
    let report = doctor(worker.to_owned(), Kind::Engine).await.unwrap();
    assert_eq!(report.gap(SandboxPolicy::Required), None);
    for name in &report.blocked {
        table.line("engine", name, "held");
    }
    for name in &report.open {
        table.line("engine", name, "it worked");
    }
}

async fn javascript(worker: &Path, attempts: &[Attempt], table: &mut Table) {
    let host = JsHost::start(JsHostConfig::with_program(worker.to_owned()));
    for attempt in attempts.iter().filter(|attempt| attempt.is_for("js")) {
        let mut script: Script = body(&attempt.code).never_repeated();
        if !attempt.is_for("control") {
            script = script.limit_ms(ENDLESS_MS);
        }
        let end = match script.run_on(&host).await.answer {
            HandlerOutcome::Returned(value) if value == "held" => "held".to_owned(),
            HandlerOutcome::Returned(_) => "it worked".to_owned(),
            HandlerOutcome::Threw(_) | HandlerOutcome::Broke(_) => "held".to_owned(),
        };
        table.add("js", attempt, &end);
    }
}

async fn python(worker: &Path, attempts: &[Attempt], world: &World, table: &mut Table) {
    let host = PyHost::start(PyHostConfig { program: worker.to_owned(), ..py_config() });
    let source = format!(
        "{PRELUDE}\ndef execute(args, context):\n    globals()['NUMBERS'] = args['numbers']\n    return attempt(args['code'], args['world'])\n"
    );
    // A single folder, so that a worker is reused until it is killed.
    let mut script = py(&source).never_repeated();
    for attempt in attempts.iter().filter(|attempt| attempt.is_for("python")) {
        let args = json!({ "code": attempt.code, "world": world.seen(), "numbers": numbers() });
        script = script.args(args);
        let end = match script.run_on(&host).await.answer {
            HandlerOutcome::Returned(value) => value["data"].as_str().unwrap_or("?").to_owned(),
            HandlerOutcome::Broke(HandlerFailure::Died { because }) => format!("held: {because}"),
            HandlerOutcome::Threw(thrown) => thrown.message,
            HandlerOutcome::Broke(breakdown) => breakdown.to_string(),
        };
        table.add("python", attempt, &end);
    }
}

/// A program that talks over stdin and stdout, as MCP servers do.
async fn server(
    worker: &Path,
    place: &Path,
    (area, calls): (&str, Calls),
    attempts: &[Attempt],
    world: &World,
    table: &mut Table,
) {
    let dir = place.join(area);
    std::fs::create_dir(&dir).unwrap();
    // One is open to any user; the other only to its owner and root.
    let mode = if calls == Calls::Program { 0o777 } else { 0o700 };
    std::fs::set_permissions(&dir, PermissionsExt::from_mode(mode)).unwrap();
    let files = Files {
        read: SYSTEM.map(PathBuf::from).into(),
        write: vec![dir.clone(), "/dev/null".into()],
    };
    let sandbox =
        Sandbox { calls, open_files_max: 1_024, ..Sandbox::program(files, 256 << 20, 1 << 20) };
    let source = format!("{PRELUDE}{DRIVER}");
    let program = Program {
        program: find_python(&[]).unwrap(),
        args: vec!["-I".into(), "-S".into(), "-c".into(), source],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        dir,
    };
    let mut left: Vec<_> = attempts.iter().filter(|attempt| attempt.is_for(area)).collect();
    while !left.is_empty() {
        let child = spawn_stdio_child(
            worker.to_owned(),
            program.clone(),
            sandbox.clone(),
            SandboxPolicy::Required,
        )
        .await;
        let child = child.unwrap_or_else(|fault| panic!("{area}: {fault}"));
        let codes: Vec<_> = left.iter().map(|attempt| &attempt.code).collect();
        let order = json!({ "attempts": codes, "world": world.seen(), "numbers": numbers() });
        let (read, mut write) = child.stream.into_split();
        write.write_all(format!("{order}\n").as_bytes()).await.unwrap();
        let mut lines = BufReader::new(read).lines();
        for attempt in std::mem::take(&mut left) {
            if !left.is_empty() {
                left.push(attempt);
                continue;
            }
            let line =
                tokio::time::timeout(PATIENT, lines.next_line()).await.expect("it is silent");
            match line.ok().flatten() {
                Some(line) => {
                    let end: Value = serde_json::from_str(&line).unwrap();
                    table.add(area, attempt, end.as_str().unwrap());
                }
                // It was killed for that attempt; the next child makes the others.
                None => {
                    table.add(area, attempt, "held");
                    left.push(attempt);
                }
            }
        }
        if !left.is_empty() {
            left.remove(0);
        }
    }
}
