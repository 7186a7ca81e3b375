//! FC-19 with the real thing: Anki's own library imports our files, one after the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use cards::{AnkiOptions, CardChange, ContextsMax, Recalls, RunId, Sound};
use tempfile::TempDir;
use testkit::packages;

use crate::old_cards;
use crate::world::{World, good, model};

/// Imports each file, prints what is asked of every note, and gives the first card a review
/// after the first import.
const SCRIPT: &str = r##"
import sys
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from anki.import_export_pb2 import ImportCsvRequest

collection = Collection(sys.argv[1])
fields = sys.argv[2].split(",")
for number, path in enumerate(sys.argv[3:]):
    if path.endswith(".txt"):
        metadata = collection.get_csv_metadata(path=path, delimiter=None)
        collection.import_csv(ImportCsvRequest(path=path, metadata=metadata))
    else:
        options = ImportAnkiPackageOptions(with_scheduling=False, merge_notetypes=False)
        collection.import_anki_package(ImportAnkiPackageRequest(package_path=path, options=options))
    notes = [collection.get_note(note) for note in collection.find_notes("")]
    for note in sorted(notes, key=lambda note: note["Key"]):
        card = note.cards()[0]
        print(*[note[field] for field in fields], card.reps, sep="|")
    print("--", collection.card_count())
    if number == 0:
        card = collection.get_card(collection.find_cards("")[0])
        card.reps = 7
        collection.update_card(card)
"##;

struct Files {
    folder: TempDir,
    paths: Vec<PathBuf>,
}

impl Files {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), paths: Vec::new() }
    }

    fn add(&mut self, bytes: impl AsRef<[u8]>, ending: &str) {
        let path = self.folder.path().join(format!("{}.{ending}", self.paths.len()));
        fs::write(&path, bytes).unwrap();
        self.paths.push(path);
    }

    async fn package(&mut self, world: &World, run: &RunId) {
        let bytes = world.library.anki_package(run, &AnkiOptions::usual()).await.unwrap();
        self.add(bytes, "apkg");
        world.clock.pass(Duration::from_secs(60));
    }

    /// What Anki has of these fields after each import.
    #[track_caller]
    fn imported(&self, fields: &str, expected: &str) {
        let mut command = Command::new(packages::python("anki"));
        command.arg("-c").arg(SCRIPT).arg(self.folder.path().join("c.anki2")).arg(fields);
        let output = command.args(&self.paths).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let why = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said, expected, "{why}");
    }
}

async fn translate(world: &World, run: &RunId, key: &str, translation: &str) {
    let change = CardChange { base_translation: Some(translation.into()), ..CardChange::default() };
    world.library.change(run, &key.parse().unwrap(), change).await.unwrap();
}

#[tokio::test]
async fn fc_19_anki_library_updates_a_note_that_is_imported_again() {
    let world = World::new();
    let run = world.begin("Suns rej. Kaķis skrien. Putns dzied.").await;
    world.work(&run, &model(good)).await;
    let mut files = Files::new();
    files.package(&world, &run).await;
    translate(&world, &run, "lv:ru:word:suns", "пёс").await;
    files.package(&world, &run).await;
    files.imported(
        "Key,Back",
        "\
lv:ru:word:kaķis|значение Kaķis|0
lv:ru:word:putns|значение Putns|0
lv:ru:word:suns|значение Suns|0
-- 3
lv:ru:word:kaķis|значение Kaķis|0
lv:ru:word:putns|значение Putns|0
lv:ru:word:suns|пёс|7
-- 3
",
    );
}

#[tokio::test]
async fn fc_19_two_target_languages_are_two_notes() {
    let world = World::new();
    let mut files = Files::new();
    for to in ["uk", "ru"] {
        let run = world.begin_in("Suns rej. Kaķis skrien.", "story.txt", to).await;
        world.work(&run, &model(good)).await;
        translate(&world, &run, &format!("lv:{to}:word:suns"), &format!("suns in {to}")).await;
        files.package(&world, &run).await;
    }
    files.imported(
        "Key,Back",
        "\
lv:uk:word:kaķis|значение Kaķis|0
lv:uk:word:suns|suns in uk|0
-- 2
lv:ru:word:kaķis|значение Kaķis|0
lv:ru:word:suns|suns in ru|0
lv:uk:word:kaķis|значение Kaķis|0
lv:uk:word:suns|suns in uk|7
-- 4
",
    );
}

#[tokio::test]
async fn fc_19_a_second_text_adds_its_sentence_and_overwrites_nothing() {
    let world = World::new();
    let first = world.begin_in("Draugs nāk.", "a.txt", "uk").await;
    world.work(&first, &model(good)).await;
    translate(&world, &first, "lv:uk:word:draugs", "товариш").await;
    let mut files = Files::new();
    files.package(&world, &first).await;
    let second = world.begin_in("Draugs smejas. Draugs iet.", "b.txt", "uk").await;
    world.work(&second, &model(good)).await;
    files.package(&world, &second).await;
    files.package(&world, &first).await;
    let merged = "lv:uk:word:draugs|товариш|<b>Draugs</b> nāk.|<b>Draugs</b> smejas.\
                  |<b>Draugs</b> iet.|a.txt, b.txt|7\n-- 1\n";
    files.imported(
        "Key,Back,Context 1,Context 2,Context 3,Source",
        &format!("lv:uk:word:draugs|товариш|<b>Draugs</b> nāk.|||a.txt|0\n-- 1\n{merged}{merged}"),
    );
}

/// Prints the side that is asked, and the side that answers, of every card; and the sounds.
const SIDES: &str = r##"
import os, re, sys
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

collection = Collection(sys.argv[1])
plain = lambda html: " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", html, flags=re.S).split())
for path in sys.argv[2:]:
    options = ImportAnkiPackageOptions(with_scheduling=False, merge_notetypes=False)
    collection.import_anki_package(ImportAnkiPackageRequest(package_path=path, options=options))
    for card in sorted(map(collection.get_card, collection.find_cards("")), key=lambda card: card.note_type()["name"]):
        print(card.note_type()["name"], plain(card.question()), plain(card.answer()), card.reps, sep=" | ")
        card.reps = 5
        collection.update_card(card)
    print("--", *sorted(os.listdir(collection.media.dir())))
"##;

/// Both directions, a gap and a sound, beside notes that are there already.
#[tokio::test]
async fn fc_19_the_word_and_the_gap_are_notes_of_their_own_and_sounds_come_along() {
    let world = World::new();
    let run = world.begin("Lielais suns rej.").await;
    let card = serde_json::json!({ "flashcards": [{
        "base_form": "suns", "base_translation": "собака", "unit": "word", "visible": true,
        "contexts": [{ "sid": 0, "translation": "Собака лает.",
                       "forms": [{ "form": "suns", "translation": "собака" }] }] }] });
    let made = model(move |_| testkit::script::says(&card.to_string()));
    world.work(&run, &made).await;
    let mut files = Files::new();
    files.package(&world, &run).await;
    let mut options = AnkiOptions::usual();
    options.recalls = Recalls { meaning: true, word: true, gap: true };
    let sound = Sound { ending: "mp3", bytes: b"woof".to_vec() };
    options.sounds.insert("lv:ru:word:suns".parse().unwrap(), sound);
    for _ in 0..2 {
        files.add(world.library.anki_package(&run, &options).await.unwrap(), "apkg");
    }
    let file = "ghosthand-1811bdd29f2cfe95e6e2.mp3";
    let full = |reps: [usize; 3]| {
        let [gap, meaning, word] = reps;
        format!(
            "\
Ghosthand Cloze | Lielais [...] rej. собака | Lielais suns rej. собака [anki:play:a:0] Собака лает. story.txt | {gap}
Ghosthand Flashcard | suns [anki:play:q:0] Lielais suns rej. | suns [anki:play:q:0] Lielais suns rej. собака Собака лает. suns – собака story.txt | {meaning}
Ghosthand Flashcard (meaning to word) | собака | собака suns [anki:play:a:0] Lielais suns rej. Собака лает. suns – собака story.txt | {word}
-- {file}
"
        )
    };
    let mut command = Command::new(packages::python("anki"));
    command.arg("-c").arg(SIDES).arg(files.folder.path().join("c.anki2")).args(&files.paths);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let why = String::from_utf8_lossy(&output.stderr);
    let first = "Ghosthand Flashcard | suns Lielais suns rej. | suns Lielais suns rej. собака \
                 Собака лает. suns – собака story.txt | 0\n--\n";
    // The note that was there before keeps its scheduling, and so do all the second time.
    assert_eq!(said, format!("{first}{}{}", full([0, 5, 0]), full([5, 5, 5])), "{why}");
}

/// What the version before exported is updated, not added again; only a note that two language
/// pairs shared becomes two.
#[tokio::test]
async fn fc_19_notes_of_version_1_are_found_again() {
    let world = old_cards::world().await;
    let [uk, ru] = old_cards::RUNS.map(|run| run.parse().unwrap());
    let mut files = Files::new();
    for old in ["old-uk.apkg", "old-ru.apkg"] {
        files.add(fs::read(Path::new(old_cards::FOLDER).join(old)).unwrap(), "apkg");
    }
    files.package(&world, &uk).await;
    files.package(&world, &ru).await;
    let text = world.library.anki_text(&ru, ContextsMax::USUAL).await.unwrap();
    files.add(text, "txt");
    let after = "\
lv:ru:word:jūra|море|0
lv:ru:word:putns|значение Putns|0
lv:ru:word:suns|значение Suns|0
lv:uk:word:kaķis|значение Kaķis|0
lv:uk:word:suns|пес|7
-- 5
";
    files.imported(
        "Key,Back",
        &format!(
            "\
lv:word:kaķis|значение Kaķis|0
lv:word:suns|пес|0
-- 2
lv:word:jūra|море|0
lv:word:kaķis|значение Kaķis|0
lv:word:putns|значение Putns|0
lv:word:suns|значение Suns|7
-- 4
lv:uk:word:kaķis|значение Kaķis|0
lv:uk:word:suns|пес|7
lv:word:jūra|море|0
lv:word:putns|значение Putns|0
-- 4
{after}{after}"
        ),
    );
}
