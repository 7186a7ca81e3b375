//! A push into a running Anki: nothing is added twice, and nothing of a person is overwritten.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cards::{AnkiOptions, CardChange, PushReport, RunId, Sound};
use contract::BoxFuture;
use serde_json::{Value, json};

use crate::exports::notes_of_package;
use crate::world::{World, good, model};

/// An Anki that keeps notes as AnkiConnect tells them.
#[derive(Default, Clone)]
struct FakeAnki(Arc<Mutex<Inside>>);

#[derive(Default)]
struct Inside {
    /// By guid: the fields in their order.
    notes: BTreeMap<String, Vec<String>>,
    files: BTreeMap<String, Vec<u8>>,
    actions: Vec<&'static str>,
}

const NAMES: [&str; 12] = [
    "Key",
    "Front",
    "Back",
    "Unit",
    "Forms",
    "Context 1",
    "Translation 1",
    "Context 2",
    "Translation 2",
    "Context 3",
    "Translation 3",
    "Source",
];

impl FakeAnki {
    fn call(&self, action: &'static str, with: &Value) -> Result<Value, String> {
        let mut inside = self.0.lock().unwrap();
        inside.actions.push(action);
        let text = |name: &str| with[name].as_str().unwrap_or_default().to_owned();
        Ok(match action {
            "version" => json!(6),
            "createDeck" => json!(1),
            "getMediaDirPath" => json!("/media/"),
            "findNotes" => {
                assert_eq!(text("query"), "\"note:Ghosthand Flashcard\"");
                json!((0..inside.notes.len()).collect::<Vec<_>>())
            }
            "notesInfo" => {
                let info = |id: &Value| {
                    let at = usize::try_from(id.as_u64().unwrap()).unwrap();
                    let fields = inside.notes.values().nth(at).unwrap();
                    let field = |(name, value): (&&str, &String)| {
                        ((*name).to_owned(), json!({ "value": value, "order": 0 }))
                    };
                    let fields: serde_json::Map<_, _> =
                        NAMES.iter().zip(fields).map(field).collect();
                    json!({ "noteId": at, "modelName": "Ghosthand Flashcard", "fields": fields })
                };
                with["notes"].as_array().unwrap().iter().map(info).collect()
            }
            "storeMediaFile" => {
                let bytes = STANDARD.decode(text("data")).unwrap();
                inside.files.insert(text("filename"), bytes);
                json!(text("filename"))
            }
            "deleteMediaFile" => json!(inside.files.remove(&text("filename")).is_some()),
            "importPackage" => {
                let path = text("path");
                let name = path.strip_prefix("/media/").unwrap();
                let package = inside.files.get(name).unwrap().clone();
                inside.notes.extend(notes_of_package(&package));
                json!(true)
            }
            "updateNoteFields" => {
                let note = &with["note"];
                let at = usize::try_from(note["id"].as_u64().unwrap()).unwrap();
                let fields = inside.notes.values_mut().nth(at).unwrap();
                for (name, value) in note["fields"].as_object().unwrap() {
                    if let Some(at) = NAMES.iter().position(|one| one == name) {
                        fields[at] = value.as_str().unwrap().to_owned();
                    }
                }
                Value::Null
            }
            other => return Err(format!("unsupported action: {other}")),
        })
    }

    fn set(&self, key: &str, field: usize, value: &str) {
        let mut inside = self.0.lock().unwrap();
        let note = inside.notes.values_mut().find(|fields| fields[0] == key).unwrap();
        note[field] = value.to_owned();
    }

    fn backs(&self) -> Vec<String> {
        let inside = self.0.lock().unwrap();
        let mut all: Vec<_> =
            inside.notes.values().map(|fields| format!("{} {}", fields[0], fields[2])).collect();
        all.sort();
        all
    }
}

async fn push(world: &World, run: &RunId, anki: &FakeAnki, options: &AnkiOptions) -> PushReport {
    let anki = anki.clone();
    let call = move |action: &'static str, with: Value| {
        let answer = anki.call(action, &with);
        Box::pin(async move { answer }) as BoxFuture<'static, Result<Value, String>>
    };
    world.library.push(run, options, &call).await.unwrap()
}

async fn translate(world: &World, run: &RunId, key: &str, meaning: &str) {
    let change = CardChange { base_translation: Some(meaning.to_owned()), ..CardChange::default() };
    world.library.change(run, &key.parse().unwrap(), change).await.unwrap();
}

fn report(added: usize, updated: usize, unchanged: usize, kept_fields: usize) -> PushReport {
    PushReport { added, updated, unchanged, kept_fields }
}

#[tokio::test]
async fn a_push_adds_updates_and_keeps_what_a_person_changed() {
    let (world, anki) = (World::new(), FakeAnki::default());
    let run = world.begin("Suns rej. Kaķis skrien.").await;
    world.work(&run, &model(good)).await;
    let usual = AnkiOptions::usual();
    assert_eq!(push(&world, &run, &anki, &usual).await, report(2, 0, 0, 0));
    let exported = world.library.anki_package(&run, &usual).await.unwrap();
    let ids = |notes: &BTreeMap<String, Vec<String>>| notes.keys().cloned().collect::<Vec<_>>();
    // A package that is imported later finds the same notes.
    assert_eq!(ids(&anki.0.lock().unwrap().notes), ids(&notes_of_package(&exported)));
    assert!(anki.0.lock().unwrap().files.is_empty(), "the package does not stay there");
    assert_eq!(push(&world, &run, &anki, &usual).await, report(0, 0, 2, 0));
    // What changed here goes there; what a person wrote there stays.
    anki.set("lv:ru:word:suns", 2, "собачка");
    translate(&world, &run, "lv:ru:word:suns", "пёс").await;
    translate(&world, &run, "lv:ru:word:kaķis", "кот").await;
    assert_eq!(push(&world, &run, &anki, &usual).await, report(0, 1, 1, 1));
    assert_eq!(anki.backs(), ["lv:ru:word:kaķis кот", "lv:ru:word:suns собачка"]);
    // An empty field has nothing to lose, and the next change goes there again.
    anki.set("lv:ru:word:suns", 2, "");
    assert_eq!(push(&world, &run, &anki, &usual).await, report(0, 1, 1, 0));
    translate(&world, &run, "lv:ru:word:suns", "собака").await;
    assert_eq!(push(&world, &run, &anki, &usual).await, report(0, 1, 1, 0));
    assert_eq!(anki.backs(), ["lv:ru:word:kaķis кот", "lv:ru:word:suns собака"]);
}

#[tokio::test]
async fn a_sound_that_comes_later_is_stored_with_its_note() {
    let (world, anki) = (World::new(), FakeAnki::default());
    let run = world.begin("Suns rej.").await;
    world.work(&run, &model(good)).await;
    push(&world, &run, &anki, &AnkiOptions::usual()).await;
    let mut options = AnkiOptions::usual();
    let sound = Sound { ending: "mp3", bytes: b"woof".to_vec() };
    options.sounds.insert("lv:ru:word:suns".parse().unwrap(), sound);
    assert_eq!(push(&world, &run, &anki, &options).await, report(0, 1, 0, 0));
    let inside = anki.0.lock().unwrap();
    let (name, bytes) = inside.files.first_key_value().unwrap();
    assert_eq!(bytes, b"woof");
    let front = &inside.notes.values().next().unwrap()[1];
    assert_eq!(*front, format!("suns [sound:{name}]"));
}

#[tokio::test]
async fn an_anki_that_says_no_is_told_in_words() {
    let world = World::new();
    let run = world.begin("Suns rej.").await;
    world.work(&run, &model(good)).await;
    let call = |_: &'static str, _: Value| {
        Box::pin(async { Err("no connection".to_owned()) })
            as BoxFuture<'static, Result<Value, String>>
    };
    let fault = world.library.push(&run, &AnkiOptions::usual(), &call).await.unwrap_err();
    assert_eq!(fault.to_string(), "Anki: no connection");
    assert!(fault.fix().contains("AnkiConnect"));
}
