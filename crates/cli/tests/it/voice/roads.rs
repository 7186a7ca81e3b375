//! Sessions with a provider's speech model: real sockets, the tools of the project.

use std::fs;
use std::path::Path;

use fake_providers::{FakeVoice, VoiceStep, VoiceWire};
use serde_json::json;
use tokio::runtime::Runtime;

use super::project;
use super::talk::{loudness, tone, wav};
use crate::support::program::{Run, command, run_with};

const KEY: &str = "sk-canary-of-a-speech-model";

/// A speech model on loopback.
struct Spoken {
    voice: FakeVoice,
    _runtime: Runtime,
}

impl Spoken {
    fn new(wire: VoiceWire) -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        let voice = runtime.block_on(FakeVoice::start(wire)).unwrap();
        voice.key(KEY);
        Self { voice, _runtime: runtime }
    }
}

/// Talks with the recording of a question; the key is in the environment only.
fn talk(dir: &Path, args: &[&str]) -> Run {
    fs::write(dir.join("question.wav"), wav(48_000, &tone(48_000, 1_000))).unwrap();
    let mut command = command(dir);
    command.args(["voice", "question.wav"]).args(args);
    run_with(command.env("OPENAI_API_KEY", KEY).env("GEMINI_API_KEY", KEY))
}

fn settings(dir: &Path, provider: &str, base_url: &str) {
    let text =
        format!("model = \"rehearsal\"\n[providers.{provider}]\nbase_url = \"{base_url}\"\n");
    fs::write(dir.join("ghosthand.toml"), text).unwrap();
}

#[test]
fn a_recording_is_heard_by_each_provider_s_model_and_a_tool_answers() {
    let roads = [
        ("realtime", "openai", VoiceWire::Realtime),
        ("live", "openai", VoiceWire::Live),
        ("gemini", "gemini", VoiceWire::Gemini),
    ];
    for (road, provider, wire) in roads {
        let dir = project();
        let spoken = Spoken::new(wire);
        let voice = &spoken.voice;
        voice.hears(["search the knowledge base for the tide clock"]);
        if wire != VoiceWire::Live {
            let arguments = json!({ "query": "tide clock" });
            voice.script([
                VoiceStep::calls("call-1", "kb_search", arguments),
                VoiceStep::says("It tells the hour and the tide.", 900),
            ]);
        }
        settings(dir.path(), provider, &voice.base_url());
        let args = ["--road", road, "--out", "answer.wav", "--conversation", "spoken"];
        let found = talk(dir.path(), &args);
        assert_eq!(found.code, 0, "{road}: {}\n{}", found.out, found.err);
        voice.assert_used_up();
        assert!(found.err.contains(&format!("{provider}:")), "{road}: {}", found.err);
        assert!(found.out.contains("asked: kb_search"), "{road}: {}", found.out);
        assert!(found.out.contains("u1 heard"), "{road}: {}", found.out);
        assert!(found.out.contains("session ended: end of audio"), "{road}: {}", found.out);
        let (loudest, _) = loudness(&dir.path().join("answer.wav"), 24_000);
        assert!(loudest > 4_000, "{road}: {loudest}");
        let replayed = crate::support::program::run(dir.path(), &["replay", "spoken"]);
        assert!(replayed.err.contains("byte for byte the same"), "{road}: {replayed:?}");
        assert!(!format!("{found:?}{replayed:?}").contains(KEY));
    }
}

#[test]
fn what_is_wrong_with_a_road_is_said_with_what_to_do() {
    let dir = project();
    let spoken = Spoken::new(VoiceWire::Realtime);
    spoken.voice.key("another key");
    settings(dir.path(), "openai", &spoken.voice.base_url());
    let found = talk(dir.path(), &["--road", "realtime"]);
    assert_eq!(found.code, 1, "{found:?}");
    let words = found.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("refuses the connection with 401: incorrect key: [secret]"), "{words}");
    assert!(words.contains("check the key"), "{words}");
    assert!(!format!("{found:?}").contains(KEY));

    let check = |settings: &str, road: &str, text: &str| {
        fs::write(dir.path().join("ghosthand.toml"), settings).unwrap();
        let found = run_with(command(dir.path()).args(["voice", "question.wav", "--road", road]));
        assert_eq!(found.code, 1, "{found:?}");
        let words = found.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(text), "{text}: {words}");
    };
    check("", "realtime", "`openai` needs a key, and `OPENAI_API_KEY` is not set");
    check("", "gemini", "`gemini` needs a key, and `GEMINI_API_KEY` is not set");
    check("", "telepathy", "there is no road or speech model `telepathy`");
    check("", "openai:", "there is no road or speech model `openai:`");
    let odd = "[providers.odd]\nbase_url = \"nowhere\"\n";
    check(odd, "odd:model", "an address begins with http:// or https://");
}
