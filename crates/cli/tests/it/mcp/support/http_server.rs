//! A server of ours over HTTP, in a process of its own, for as long as a test needs it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::support::program::command;

pub(crate) struct Listening {
    child: Child,
    /// `http://127.0.0.1:PORT/mcp`
    pub url: String,
}

impl Listening {
    pub(crate) fn start(dir: &Path, variables: &[(&str, &str)]) -> Self {
        let mut command = command(dir);
        command.args(["mcp", "--listen", "127.0.0.1:0"]).envs(variables.iter().copied());
        command.args(variables.is_empty().then_some("--no-token"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        let line = lines.by_ref().map_while(Result::ok).find(|line| {
            said.push(line.clone());
            line.contains("MCP at")
        });
        let line = line.unwrap_or_else(|| panic!("the server did not start: {said:?}"));
        // Somebody must read what it says later.
        std::thread::spawn(move || lines.for_each(drop));
        let url = line.split_whitespace().last().unwrap().to_owned();
        Self { child, url }
    }

    /// The same door inside the served chat.
    pub(crate) fn serve(dir: &Path, variables: &[(&str, &str)], flags: &[&str]) -> Self {
        let mut command = command(dir);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(flags);
        command.args(flags.is_empty().then_some("--no-token"));
        command.envs(variables.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().expect("it says where it listens").unwrap();
        // Somebody must read what it says later.
        std::thread::spawn(move || lines.for_each(drop));
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}"));
        Self { child, url: format!("http://{address}/mcp") }
    }

    /// Asks the server to end, and waits for it.
    pub(crate) fn ends(mut self) -> bool {
        let id = self.child.id().to_string();
        let asked = std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap();
        asked.success() && self.child.wait().unwrap().success()
    }

    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches("/mcp")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
