//! FC-19 with the real thing: Anki's own library imports a package twice, with an edit in
//! between.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use cards::{CardChange, ContextsMax};
use testkit::packages;

use crate::world::{World, good, model, pair};

const SCRIPT: &str = r#"
import sys
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

collection = Collection(sys.argv[1])
for path in sys.argv[2:]:
    options = ImportAnkiPackageOptions(with_scheduling=False, merge_notetypes=False)
    collection.import_anki_package(ImportAnkiPackageRequest(package_path=path, options=options))
    notes = [collection.get_note(note) for note in collection.find_notes("")]
    for note in sorted(notes, key=lambda note: note["Key"]):
        print(note["Key"], note["Back"], len(note.card_ids()), sep="|")
    print("--", collection.card_count())
"#;

#[tokio::test]
async fn fc_19_anki_library_updates_a_note_that_is_imported_again() {
    let python = packages::python("anki");
    let world = World::new();
    let run = world.begin("Suns rej. Kaķis skrien. Putns dzied.").await;
    world.work(&run, &model(good)).await;
    let folder = tempfile::tempdir().unwrap();
    let package = async |name: &str| {
        let deck = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
        let bytes = world.library.anki_package(&deck.cards, &pair(), "story.txt").await.unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let first = package("first.apkg").await;
    world.clock.pass(Duration::from_secs(60));
    let change = CardChange { base_translation: Some("пёс".into()), ..CardChange::default() };
    world.library.change(&run, &"lv:word:suns".parse().unwrap(), change).await.unwrap();
    let second = package("second.apkg").await;
    let mut command = Command::new(python);
    command.arg("-c").arg(SCRIPT).arg(folder.path().join("c.anki2")).args([&first, &second]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let why = String::from_utf8_lossy(&output.stderr);
    let expected = "\
lv:word:kaķis|значение Kaķis|1
lv:word:putns|значение Putns|1
lv:word:suns|значение Suns|1
-- 3
lv:word:kaķis|значение Kaķis|1
lv:word:putns|значение Putns|1
lv:word:suns|пёс|1
-- 3
";
    assert_eq!(said, expected, "{why}");
}
