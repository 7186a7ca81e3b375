//! The server that is attacked: Ana's things in it, Bob's token, and programs of both.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testkit::tool_folder;

use super::raw_request::{Reply, send};
use crate::serve::served_pad::{Ended, served};
use crate::support::program::{command, run};

pub(crate) const ANA: &str = "Bearer ana-0123456789abcdef";
pub(crate) const BOB: &str = "Bearer bob-0123456789abcdef";
/// A program of Ana's that may call `send` and answer nothing.
pub(crate) const PROGRAM: &str = "Bearer program-0123456789";
/// The client that Ana sits at.
pub(crate) const DESK: &str = "Bearer desk-0123456789abcd";
pub(crate) const WRONG: &str = "Bearer wrong-0123456789abcdef";

/// No reply to anybody but Ana may have this in it.
pub(crate) const PRIVATE: &str = "private-7f3a91";

const CONFIG: &str = "[mcp_tokens.program]\ntoken_env = 'PROGRAM'\nclient = 'ana'\n\
                      [mcp_tokens.desk]\ntoken_env = 'DESK'\nclient = 'ana'\nasks_a_person = true\n";

const HANDLER: &str = "export async function execute({ args }) {
  return { ok: true, data: { sent: args.text } };
}
";

pub(crate) struct Target {
    pub dir: tempfile::TempDir,
    pub address: String,
    _server: Ended,
    /// Paths of the API with Ana's own ids in them, and their methods.
    pub operations: Vec<(String, String)>,
}

impl Target {
    pub(crate) fn open() -> Self {
        Self::with(&[])
    }

    /// With further variables of the environment.
    pub(crate) fn with(variables: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        write_tool(dir.path(), HANDLER);
        fs::write(dir.path().join("ghosthand.toml"), CONFIG).unwrap();
        let tokens = "ana=ana-0123456789abcdef\nbob=bob-0123456789abcdef\n";
        fs::write(dir.path().join("tokens.txt"), tokens).unwrap();
        let mut command = command(dir.path());
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--token-file", "tokens.txt"])
            .env("PROGRAM", PROGRAM.trim_start_matches("Bearer "))
            .env("DESK", DESK.trim_start_matches("Bearer "))
            .envs(variables.iter().copied());
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GHOSTHAND_MODEL"] {
            command.env_remove(name);
        }
        let (child, link) = served(&mut command);
        let address = link.strip_suffix("/login").unwrap().to_owned();
        let mut target = Self { dir, address, _server: Ended(child), operations: Vec::new() };
        target.furnish();
        target
    }

    pub(crate) fn say(&self, token: &str, method: &str, path: &str, body: &Value) -> Reply {
        let headers = [("authorization", token), ("content-type", "application/json")];
        send(&self.address, method, path, &headers, &body.to_string())
    }

    #[track_caller]
    pub(crate) fn ana(&self, method: &str, path: &str, body: &Value) -> Value {
        let reply = self.say(ANA, method, path, body);
        assert!((200..300).contains(&reply.status), "{method} {path}: {reply:?}");
        serde_json::from_str(&reply.body).unwrap_or_default()
    }

    /// Something of every kind, all of it Ana's.
    fn furnish(&mut self) {
        let talk = self.ana("POST", "/api/conversations", &json!({ "title": PRIVATE }));
        let persona = self.ana("POST", "/api/personas", &json!({ "name": PRIVATE }));
        let snippet = json!({ "title": PRIVATE, "content": PRIVATE });
        let snippet = self.ana("POST", "/api/library/notes", &snippet);
        self.ana("PUT", "/api/kv/secret", &json!({ "value": PRIVATE }));
        self.ana("POST", "/api/kv/list/push", &json!({ "value": PRIVATE }));
        self.ana("PUT", "/api/settings", &json!({ "userName": PRIVATE }));
        let text = json!({ "text": format!("Suns rej {PRIVATE}."), "name": PRIVATE,
            "from": "lv", "to": "uk" });
        let cards = self.ana("POST", "/api/cards", &text);
        let question = self.asked(ANA, "furnished");
        let id = |value: &Value| value["id"].as_str().unwrap_or("none").to_owned();
        let (talk, persona, snippet, cards) = (id(&talk), id(&persona), id(&snippet), id(&cards));
        let document = self.ana("GET", "/api/openapi.json", &json!({}));
        for (path, methods) in document["paths"].as_object().unwrap() {
            let of = |start: &str, id: &str| path.starts_with(start).then(|| id.to_owned());
            let own = of("/api/conversations/", &talk)
                .or_else(|| of("/api/personas/", &persona))
                .or_else(|| of("/api/library/", &snippet))
                .or_else(|| of("/api/approvals/", &question))
                .unwrap_or_else(|| "send".to_owned());
            let filled = path
                .replace("{id}", &own)
                .replace("{run}", &cards)
                .replace("{turn}", "1")
                .replace("{tool}", "send")
                .replace("{kind}", "notes")
                .replace("{key}", "secret")
                .replace("{index}", "0");
            let methods = methods.as_object().unwrap().keys();
            let methods = methods.map(|method| (method.to_uppercase(), filled.clone()));
            self.operations.extend(methods);
        }
        assert!(self.operations.len() > 60, "{:?}", self.operations);
    }

    /// A call that waits for a person; gives the question's id.
    pub(crate) fn asked(&self, token: &str, text: &str) -> String {
        let reply = self.say(token, "POST", "/api/call/send", &json!({ "text": text }));
        let id = reply.json()["approval"]["id"].as_str().map(str::to_owned);
        id.unwrap_or_else(|| panic!("nobody is asked: {reply:?}"))
    }

    /// The same under a key.
    pub(crate) fn keyed(&self, token: &str, key: &str, path: &str, args: &Value) -> Reply {
        let headers = [
            ("authorization", token),
            ("content-type", "application/json"),
            ("idempotency-key", key),
        ];
        send(&self.address, "POST", path, &headers, &args.to_string())
    }

    /// All that Ana can read, without times that pass, and without the logins of these tests.
    pub(crate) fn everything(&self) -> Vec<(String, String)> {
        let moves = ["stream", "/audit", "/export", "/api/logins"];
        let is_still = |path: &str| !moves.iter().any(|part| path.contains(part));
        let reads =
            self.operations.iter().filter(|(method, path)| method == "GET" && is_still(path));
        let mut all: Vec<_> = reads
            .map(|(_, path)| (path.clone(), self.say(ANA, "GET", path, &json!({})).body))
            .collect();
        for path in ["/api/kv?key=secret", "/api/kv?key=list"] {
            all.push((path.to_owned(), self.say(ANA, "GET", path, &json!({})).body));
        }
        all
    }

    /// How many effects there were.
    pub(crate) fn ledger(&self) -> usize {
        let listed = run(self.dir.path(), &["ledger", "list"]);
        assert_eq!(listed.code, 0, "{listed:?}");
        listed.out.lines().filter(|line| line.contains("send")).count()
    }
}

pub(crate) fn write_tool(dir: &Path, handler: &str) {
    let folder = dir.join("tools/send");
    let schema = json!({
        "toolId": "send", "version": "1.0.0", "description": "Send a text.",
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "requiresConfirmation": true, "allowedModes": ["text"], "latencyBudgetMs": 5_000,
        "parameters": { "type": "object", "additionalProperties": false, "required": ["text"],
            "properties": { "text": { "type": "string", "description": "What is sent." } } },
    });
    let summary = "Send a text.\nUse it to try attacks.\n";
    tool_folder::write_tool(&folder, &schema.to_string(), summary, r#"{ "text": "a" }"#).unwrap();
    fs::write(folder.join("handler.js"), handler).unwrap();
}
