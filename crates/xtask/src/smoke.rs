//! What a new user does first: `make run`, open the page, send a message, stop.
//!
//! Starts `make run` itself on a free port, with an empty home and an empty store. Every wait
//! has a limit, and the server is always stopped.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// From a clean clone everything is built first.
const BUILD_TIME_MAX: Duration = Duration::from_secs(35 * 60);
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);
/// Running answers may finish for five seconds, calls for five more.
const END_TIME_MAX: Duration = Duration::from_secs(30);

const SAID: &str = "roll 2d6";
const TOOL: &str = "dice";

/// Keys that would make another model answer than the stand-in.
const KEYS: [&str; 4] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];

/// Runs it all and says in one line what was seen.
pub(crate) fn run(root: &Path) -> Result<()> {
    let home = Home::new(root)?;
    let mut program = Program::start(root, &home.0)?;
    let server = program.server()?;
    let Server { address, .. } = &server;
    let page = exchange(&server, "GET", "/", None)?;
    ensure!(
        page.contains("<html") && page.contains("app.js"),
        "no page at http://{address}/: {page}"
    );
    let begun: Value =
        serde_json::from_str(&exchange(&server, "POST", "/api/conversations", Some("{}"))?)?;
    let id = begun["id"].as_str().context("a new conversation has no id")?;
    let mut stream = Stream::open(&server, id)?;
    let message = json!({ "text": SAID }).to_string();
    exchange(&server, "POST", &format!("/api/conversations/{id}/messages"), Some(&message))?;
    let seen = stream.turn()?;
    let status = program.stop()?;
    ensure!(TcpStream::connect(address).is_err(), "somebody still listens on {address}");
    let Seen { tool, answer } = seen;
    say(&format!(
        "smoke: the page is at http://{address}/, `{tool}` ran, the answer was {answer:?}"
    ));
    say(&format!("smoke: it ended with {status}"));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a tool of the workshop prints what it found")]
fn say(line: &str) {
    println!("{line}");
}

/// An empty folder below `target`, gone in the end.
struct Home(PathBuf);

impl Home {
    fn new(root: &Path) -> Result<Self> {
        let path = root.join(format!("target/smoke-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Where the server is, and what lets in.
struct Server {
    address: String,
    token: String,
}

/// `make run` and all that it started.
struct Program {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Program {
    fn start(root: &Path, home: &Path) -> Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "it is what a person types")]
        let mut make = Command::new("make");
        make.args(["--no-print-directory", "run", "ARGS=--listen 127.0.0.1:0"]).current_dir(root);
        make.env("HOME", home).env("GHOSTHAND_STORE_FILE", home.join("store.db"));
        // Rust's own folders stay where they are, or everything would be downloaded again.
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let was = std::env::var_os("HOME").map(|home| Path::new(&home).join(folder));
            let kept = std::env::var_os(name).map(PathBuf::from).or(was);
            if let Some(kept) = kept.filter(|kept| kept.is_dir()) {
                make.env(name, kept);
            }
        }
        for key in KEYS {
            make.env_remove(key);
        }
        // `cargo xtask` tells this program about itself. A build script that watches one of these
        // variables would run again, and with it half of the build.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_"))
                || name == "CARGO_MANIFEST_DIR"
                || name == "CARGO_MANIFEST_PATH"
                || name == "CARGO_MANIFEST_LINKS"
            {
                make.env_remove(&name);
            }
        }
        make.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = make.spawn().context("`make` cannot be started")?;
        let stdout = child.stdout.take().context("`make run` has no output")?;
        let (send, lines) = channel();
        std::thread::spawn(move || {
            let all = BufReader::new(stdout).lines().map_while(Result::ok);
            all.take_while(|line| send.send(line.clone()).is_ok()).for_each(drop);
        });
        Ok(Self { child, lines, said: Vec::new() })
    }

    /// Where it is, by the link that it prints when it is ready.
    fn server(&mut self) -> Result<Server> {
        let end = Instant::now() + BUILD_TIME_MAX;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some((_, link)) = line.split_once("http://") {
                        let (address, token) = link.trim().split_once("/login#").with_context(
                            || "the printed link has no token; is `--no-token` given?",
                        )?;
                        return Ok(Server { address: address.into(), token: token.into() });
                    }
                    self.said.push(line);
                }
                Err(RecvTimeoutError::Timeout) => {
                    bail!("`make run` named no address for {} s", BUILD_TIME_MAX.as_secs())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait()?;
                    bail!(
                        "`make run` ended with {status} and named no address\n{}",
                        self.said.join("\n")
                    )
                }
            }
        }
    }

    /// Asks it to end, as Ctrl-C does for all processes of a terminal's job.
    fn stop(&mut self) -> Result<ExitStatus> {
        self.signal("-INT")?;
        let end = Instant::now() + END_TIME_MAX;
        // Its output closes when the last of them has ended.
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(self.child.wait()?),
                Err(RecvTimeoutError::Timeout) => {
                    bail!("the server did not end within {} s", END_TIME_MAX.as_secs())
                }
            }
        }
    }

    fn signal(&self, name: &str) -> Result<()> {
        #[expect(clippy::disallowed_methods, reason = "the one way to a group without a library")]
        let mut kill = Command::new("kill");
        kill.args([name, "--", &format!("-{}", self.child.id())]);
        kill.stderr(Stdio::null()).status().context("`kill` cannot be started")?;
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.signal("-KILL"));
        drop(self.child.wait());
    }
}

/// One exchange; an answer that is not good is an error.
fn exchange(server: &Server, method: &str, path: &str, body: Option<&str>) -> Result<String> {
    let Server { address, token } = server;
    let mut socket = connect(address)?;
    let body = body.unwrap_or_default();
    write!(
        socket,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         authorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut response = String::new();
    socket.read_to_string(&mut response).with_context(|| format!("{method} {path}"))?;
    let (head, body) = response.split_once("\r\n\r\n").context("the server sent no answer")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    ensure!(status.starts_with('2'), "{method} {path} was answered with {status}: {body}");
    Ok(body.to_owned())
}

fn connect(address: &str) -> Result<TcpStream> {
    let socket = TcpStream::connect(address).with_context(|| format!("connecting to {address}"))?;
    socket.set_read_timeout(Some(ANSWER_TIME_MAX))?;
    Ok(socket)
}

/// The live stream of a conversation.
struct Stream(BufReader<TcpStream>);

/// What a turn gave.
struct Seen {
    tool: String,
    answer: String,
}

impl Stream {
    fn open(Server { address, token }: &Server, id: &str) -> Result<Self> {
        let mut socket = connect(address)?;
        let path = format!("/api/conversations/{id}/stream");
        let token = format!("authorization: Bearer {token}");
        write!(socket, "GET {path} HTTP/1.1\r\nhost: {address}\r\n{token}\r\n\r\n")?;
        Ok(Self(BufReader::new(socket)))
    }

    /// Reads until the turn has ended; a tool must have run and something been answered.
    fn turn(&mut self) -> Result<Seen> {
        let (mut seen, mut kinds) =
            (Seen { tool: String::new(), answer: String::new() }, BTreeSet::new());
        let mut has_result = false;
        let end = Instant::now() + ANSWER_TIME_MAX;
        loop {
            ensure!(Instant::now() < end, "the turn has no end; it had {kinds:?}");
            let mut line = String::new();
            let read = self.0.read_line(&mut line);
            let read = read.with_context(|| format!("reading the stream, after {kinds:?}"))?;
            ensure!(read > 0, "the stream ended in the middle of the turn, after {kinds:?}");
            let Some(data) = line.strip_prefix("data:") else { continue };
            let event: Value = serde_json::from_str(data.trim()).context("an event is not JSON")?;
            let kind = event["type"].as_str().unwrap_or_default().to_owned();
            match kind.as_str() {
                "TOOL_CALL_START" => {
                    seen.tool = event["toolCallName"].as_str().unwrap_or_default().to_owned();
                }
                "TOOL_CALL_RESULT" => has_result = true,
                "TEXT_MESSAGE_CONTENT" => {
                    seen.answer.push_str(event["delta"].as_str().unwrap_or_default());
                }
                "RUN_ERROR" => bail!("the turn failed: {event}"),
                "RUN_FINISHED" => break,
                _ => {}
            }
            kinds.insert(kind);
        }
        ensure!(seen.tool.contains(TOOL) && has_result, "no tool ran; the turn had {kinds:?}");
        ensure!(!seen.answer.trim().is_empty(), "nothing was answered; the turn had {kinds:?}");
        Ok(seen)
    }
}
