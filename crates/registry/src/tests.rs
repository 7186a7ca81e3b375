//! The registry as a whole: any input is read or reported, and a turn keeps its registry.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::{Build, BuildStamp, LiveRegistry, Registry, ReloadFault, read_tools};

const SCHEMA: &str = r##"{
  "toolId": "note_add", "version": "1.0.0", "description": "Add a note.",
  "category": "action", "sideEffects": "writes", "idempotent": false,
  "requiresConfirmation": false, "allowedModes": ["text"], "latencyBudgetMs": 500,
  "capabilities": {"kv": ["notes/"], "net": ["api.example.com"]}, "timeoutMs": 9000,
  "parameters": {
    "type": "object", "additionalProperties": false, "required": ["text"],
    "properties": {
      "text": {"type": "string", "maxLength": 500, "pattern": "^.*$", "default": "a"},
      "when": {"$ref": "#/$defs/when"}
    },
    "$defs": {"when": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}}
  },
  "returns": {"type": "object", "properties": {"id": {"type": "integer"}}, "additionalProperties": false}
}
"##;
const DOC: &str = "# Note\n\n## Summary\nAdds.\n\n## Preconditions\n- None.\n\n## Postconditions\n- Kept.\n\n\
    ## Invariants\n- None.\n\n## Failure Modes\n- None.\n\n## Examples\n\n### One\n```json\n{\"text\": \"Buy milk\", \"when\": null}\n```\n\
    Result:\n```json\n{\"id\": 1}\n```\n\n```json invalid\n{\"text\": 1}\n```\n\n## Common Mistakes\n- None.\n";
const FILES: [(&str, &str); 4] = [
    ("schema.json", SCHEMA),
    ("doc_summary.md", "Add a note.\nAsk first.\n"),
    ("doc.md", DOC),
    ("handler.js", "import { x } from './x.js';\nexport async function execute() {}\n"),
];

fn write_tool(root: &Path, edit: impl Fn(&str, &str) -> Vec<u8>) {
    let folder = root.join("note-add");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in FILES {
        fs::write(folder.join(name), edit(name, text)).unwrap();
    }
}

fn read(root: &Path) -> Build {
    read_tools(root, &BTreeSet::new()).unwrap()
}

/// One way to damage a file.
#[derive(Debug, Clone)]
enum Damage {
    Cut(usize),
    Drop(usize, usize),
    Put(usize, Vec<u8>),
    Repeat(usize, usize),
}

fn spoil(text: &str, damage: &[Damage]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for damage in damage {
        let length = bytes.len();
        let at = |place: usize| place % (length + 1);
        match damage {
            Damage::Cut(place) => bytes.truncate(at(*place)),
            Damage::Drop(place, count) => {
                drop(bytes.drain(at(*place)..(at(*place) + count).min(length)))
            }
            Damage::Put(place, put) => {
                drop(bytes.splice(at(*place)..at(*place), put.iter().copied()))
            }
            Damage::Repeat(place, count) => {
                let part = bytes[at(*place)..(at(*place) + count).min(length)].to_vec();
                bytes.splice(at(*place)..at(*place), part);
            }
        }
    }
    bytes
}

fn damage() -> impl Strategy<Value = Damage> {
    let words = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "null",
        "true",
        "-1",
        "1e999",
        "\\u",
        "\\ud800",
        "```",
        "## ",
        "$ref",
        "#/",
        "%",
        "~",
        "\u{feff}",
        "\r",
        "\0",
        "é",
        "🖐",
        "\"type\": \"object\",",
        "99999999999999999999",
    ]);
    prop_oneof![
        any::<usize>().prop_map(Damage::Cut),
        (any::<usize>(), 1..40usize).prop_map(|(place, count)| Damage::Drop(place, count)),
        (any::<usize>(), words)
            .prop_map(|(place, word)| Damage::Put(place, word.as_bytes().to_vec())),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..6))
            .prop_map(|(place, put)| Damage::Put(place, put)),
        (any::<usize>(), 1..60usize).prop_map(|(place, count)| Damage::Repeat(place, count)),
    ]
}

/// The same cases in every run.
fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() }
}

/// Any bytes in any of the four files give a registry or faults with places, never a panic.
#[test]
fn any_bytes_are_read_or_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::new(config(1500));
    let spoilt = (0..4usize, prop::collection::vec(damage(), 1..4));
    let outcome = runner.run(&spoilt, |(file, damage)| {
        write_tool(dir.path(), |name, text| match name == FILES[file].0 {
            true => spoil(text, &damage),
            false => text.as_bytes().to_vec(),
        });
        let build = read(dir.path());
        prop_assert_eq!(build.registry.is_empty(), build.faults.has_errors());
        for fault in build.faults.iter() {
            prop_assert!(fault.place.line == 0 || fault.place.column > 0);
            prop_assert!(fault.place.column <= fault.place.source.chars().count() + 1);
            prop_assert!(!fault.fix.is_empty() && !fault.what.is_empty());
        }
        Ok(())
    });
    outcome.unwrap();
}

/// Random bytes.
#[test]
fn pure_noise_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::new(config(300));
    let noise = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 4);
    let outcome = runner.run(&noise, |noise| {
        write_tool(dir.path(), |name, _| {
            let index = FILES.iter().position(|(file, _)| *file == name).unwrap();
            noise[index].clone()
        });
        let build = read(dir.path());
        prop_assert!(build.faults.has_errors() && build.registry.is_empty());
        Ok(())
    });
    outcome.unwrap();
}

fn registry() -> Registry {
    let dir = tempfile::tempdir().unwrap();
    write_tool(dir.path(), |_, text| text.as_bytes().to_vec());
    let build = read(dir.path());
    assert_eq!(build.registry.len(), 1, "{:?}", build.faults);
    build.registry
}

fn empty() -> Registry {
    read(tempfile::tempdir().unwrap().path()).registry
}

/// TK-06
#[test]
fn tk_06_a_written_registry_is_loaded_and_written_identically() {
    let stamp =
        BuildStamp { git_commit: "abc".into(), build_timestamp: "2026-01-01T00:00:00Z".into() };
    let first = registry().to_json(&stamp).unwrap();
    let loaded = Registry::from_json(&first, "x").unwrap();
    assert_eq!(loaded, registry());
    assert_eq!(loaded.to_json(&stamp).unwrap(), first);
}

/// TK-06
#[test]
fn tk_06_a_registry_in_use_cannot_be_reloaded() {
    let live = LiveRegistry::new(registry());
    let version = live.version();
    let lease = live.lease();
    let refused = live.reload(empty());
    assert_eq!(refused, Err(ReloadFault::InUse { turns: 1, current: version.clone() }));
    assert_eq!(lease.version(), &version);
    drop(lease);
    assert_eq!(live.reload(empty()), Ok(()));
    assert_eq!(live.version().as_str(), "1.0.00000000");
}

#[test]
fn an_update_changes_the_newest_registry_while_a_turn_runs() {
    let live = LiveRegistry::new(registry());
    let lease = live.lease();
    live.offer(empty());
    live.update(|newest| {
        assert!(newest.is_empty());
        registry()
    });
    drop(lease);
    assert_eq!(live.lease().len(), 1);
    live.update(|current| current.retained(|_| false));
    assert!(live.lease().is_empty());
}

/// TK-06
#[test]
fn tk_06_a_turn_keeps_its_registry_and_the_next_one_gets_the_new() {
    let live = LiveRegistry::new(registry());
    let (one, two) = (live.lease(), live.lease());
    live.offer(empty());
    let new = live.lease();
    assert_eq!((one.len(), two.len(), new.len()), (1, 1, 0));
    assert_eq!(live.version(), *new.version());
    drop(one);
    assert_eq!((two.len(), live.lease().len()), (1, 0));
}

#[test]
fn the_summaries_are_one_line_per_tool() {
    assert_eq!(registry().summaries(), "**note_add** (action): Add a note.\nAsk first.\n");
}

#[test]
fn a_native_tool_needs_no_handler_file() {
    let dir = tempfile::tempdir().unwrap();
    write_tool(dir.path(), |_, text| text.as_bytes().to_vec());
    fs::remove_file(dir.path().join("note-add/handler.js")).unwrap();
    assert!(read(dir.path()).faults.has_errors());
    let natives = BTreeSet::from(["note_add".parse().unwrap()]);
    let build = read_tools(dir.path(), &natives).unwrap();
    assert_eq!(build.registry.len(), 1, "{:?}", build.faults);
}

#[test]
fn a_form_beside_the_contract_is_part_of_the_tool() {
    let dir = tempfile::tempdir().unwrap();
    let with_form = SCHEMA.replacen("\"toolId\"", "\"ui\": \"ui.json\", \"toolId\"", 1);
    write_tool(dir.path(), |name, text| match name {
        "schema.json" => with_form.clone().into_bytes(),
        _ => text.as_bytes().to_vec(),
    });
    fs::write(dir.path().join("note-add/ui.json"), "{\"type\": \"form\"}").unwrap();
    let build = read(dir.path());
    let tool = build.registry.get("note_add").unwrap();
    assert_eq!(tool.ui, Some(serde_json::json!({"type": "form"})));
    assert_eq!(tool.order, 0);
}
