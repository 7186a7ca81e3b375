//! The far side of a server: a client that speaks the protocol line by line, by hand.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::program::command;

/// Which protocol the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Old,
    New,
}

/// A client of `ghosthand mcp`. Messages that are no answers are kept.
pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    era: Era,
    capabilities: Value,
    next: u64,
    pub heard: Vec<Value>,
}

impl Client {
    pub(crate) fn start(dir: &Path, era: Era, capabilities: Value) -> Self {
        Self::with_flags(dir, era, capabilities, &[])
    }

    pub(crate) fn with_flags(dir: &Path, era: Era, capabilities: Value, flags: &[&str]) -> Self {
        let mut command = command(dir);
        command.arg("mcp").args(flags);
        Self::of(command, era, capabilities)
    }

    pub(crate) fn with_variables(dir: &Path, era: Era, variables: &[(&str, &str)]) -> Self {
        let mut command = command(dir);
        command.arg("mcp").envs(variables.iter().copied());
        Self::of(command, era, json!({}))
    }

    pub(crate) fn of(mut command: Command, era: Era, capabilities: Value) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (next, heard) = (1, Vec::new());
        let mut client = Self { child, input, output, era, capabilities, next, heard };
        if era == Era::Old {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": client.capabilities,
                "clientInfo": { "name": "hand", "version": "1" }
            });
            client.ask("initialize", hello);
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    /// Sends a request; gives its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> u64 {
        if self.era == Era::New {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({ "name": "hand", "version": "1" });
        }
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message, whatever it is.
    pub(crate) fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server is gone");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON on stdout: {line}"))
    }

    /// Waits for the answer to a request, and keeps what comes before it.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }

    /// A request and its result.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn call(&mut self, tool: &str, args: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": args }))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the server's input and waits for its end.
    pub(crate) fn close(self) -> i32 {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().unwrap().code().unwrap_or(-1)
    }
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}
