//! What tests of Ghostpen share: a project with a profile, a provider, and a person who types.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::model_project::{FarSide, KEY};
use crate::support::program::Run;
use crate::support::terminal::at_terminal;

pub(crate) const GOLDEN: &str =
    include_str!("../../../../../apps/pen/tests/data/golden-profile.json");

/// A draft that keeps every rule of the golden profile.
pub(crate) const GOOD: &str = "Плани не рятують.\n\nЯ писав їх роками. І кидав.\n\nОсь у чому штука: план боїться \
                    життя.\n\nА ви плануєте?\n\n#робота #план #чесно";
pub(crate) const BETTER: &str = "Плани брешуть.\n\nЯ вірив їм довго. Дарма.\n\nДавайте чесно: план любить тишу.\n\nА ви \
                      як?\n\n#робота #план #чесно";

pub(crate) fn with_golden() -> FarSide {
    let far = FarSide::new();
    put_profile(&far, GOLDEN, "default");
    far
}

pub(crate) fn put_profile(far: &FarSide, text: &str, name: &str) {
    let folder = far.path().join("data/profiles");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.json")), text).unwrap();
}

pub(crate) fn profile(far: &FarSide) -> Value {
    let text = fs::read_to_string(far.path().join("data/profiles/default.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn posts(far: &FarSide) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(far.path().join("data/output/generated")) else { return vec![] };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

pub(crate) fn logs(far: &FarSide) -> Vec<String> {
    let entries = fs::read_dir(far.path().join("data/output/logs")).unwrap();
    entries.flatten().map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
}

/// A session whose person types these lines.
#[track_caller]
pub(crate) fn session(far: &FarSide, lines: &[&str], args: &[&str]) -> Run {
    let typed: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let run = far.pipe(&typed, &[&["pen", "--lang", "uk"], args].concat());
    assert!(!run.out.contains(KEY) && !run.err.contains(KEY), "the key is told: {run:?}");
    run
}

pub(crate) const TOPIC: &str = "напиши пост про плани для LinkedIn";

/// Types into the program in a real terminal; everything it showed.
#[track_caller]
pub(crate) fn terminal(far: &FarSide, args: &[&str], steps: &[(&str, &str)]) -> String {
    let program = [&[env!("CARGO_BIN_EXE_ghostpen"), "--lang", "uk"], args].concat();
    at_terminal(far.path(), &program, &steps, None)
}

pub(crate) fn described() -> Value {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let mut voice = golden["voice"].clone();
    voice["formality"] = json!("діловий, на відстані");
    let rules = |name: &str| {
        json!({ "structure": golden["platforms"][name]["structure"],
                "formatting": golden["platforms"][name]["formatting"],
                "hashtags": "3-5 в кінці" })
    };
    json!({ "voice": voice, "platforms": { "linkedin": rules("linkedin") }, "why_good": ["Чесний."] })
}
