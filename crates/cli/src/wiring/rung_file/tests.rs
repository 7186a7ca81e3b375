//! What is stored, for which server, and for how long.

use std::path::Path;
use std::time::Duration;

use contract::{Digest, Rung, RungMemory};

use super::{FILE, KEPT_FOR, REFUSALS_MAX, RungFile, server};

const START: Duration = Duration::from_secs(1_800_000_000);

fn file(folder: &Path, base_url: &str, model: &str, now: fn() -> Duration) -> RungFile {
    RungFile { path: folder.join(".ghosthand").join(FILE), server: server(base_url, model), now }
}

#[test]
fn a_refusal_is_known_to_the_same_model_at_the_same_address_for_a_week() {
    let folder = tempfile::tempdir().unwrap();
    let at = |url, model, now| file(folder.path(), url, model, now);
    let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
    let here = "http://127.0.0.1:8080/v1?key=hidden";
    at(here, "small", || START).remember(one, &[Rung::Native, Rung::Forced]);
    assert_eq!(at(here, "small", || START).refused(one), [Rung::Native, Rung::Forced]);
    assert_eq!(at(here, "small", || START).refused(other), []);
    assert_eq!(at(here, "large", || START).refused(one), []);
    assert_eq!(at("http://127.0.0.1:8081/v1", "small", || START).refused(one), []);
    let last = at(here, "small", || START + KEPT_FOR - Duration::from_secs(1));
    assert_eq!(last.refused(one).len(), 2);
    assert_eq!(at(here, "small", || START + KEPT_FOR).refused(one), []);
    assert_eq!(at(here, "small", || START - Duration::from_secs(1)).refused(one), []);
    let text = std::fs::read_to_string(folder.path().join(".ghosthand").join(FILE)).unwrap();
    assert!(!text.contains("hidden"), "{text}");
}

#[test]
fn a_damaged_or_full_file_is_only_a_hint_less() {
    let folder = tempfile::tempdir().unwrap();
    let memory = file(folder.path(), "http://a", "m", || START);
    std::fs::create_dir(folder.path().join(".ghosthand")).unwrap();
    std::fs::write(&memory.path, "{ not json").unwrap();
    let schema = |number: usize| Digest::of(number.to_string().as_bytes());
    assert_eq!(memory.refused(schema(0)), []);
    for number in 0..=REFUSALS_MAX {
        memory.remember(schema(number), &[Rung::Native]);
    }
    assert_eq!(memory.refused(schema(0)), [], "the oldest makes room");
    assert_eq!(memory.refused(schema(REFUSALS_MAX)), [Rung::Native]);
    assert_eq!(memory.read().refused.len(), REFUSALS_MAX);
}
