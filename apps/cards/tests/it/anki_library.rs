//! FC-19 with the real thing: Anki's own library imports a package twice, with an edit in
//! between. Where it cannot be installed the check is skipped, and says so.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use cards::{CardChange, ContextsMax};

use crate::world::{World, good, model, pair};

const PACKAGE: &str = "anki==26.9.*";

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

/// The interpreter that has Anki's library. One process installs, the others wait for it.
fn python() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/anki");
    fs::create_dir_all(&root).map_err(|error| error.to_string())?;
    let lock = File::create(root.join("lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    let (venv, stamp) = (root.join("venv"), root.join("installed"));
    let python = venv.join("bin/python3");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == PACKAGE) && python.exists() {
        return Ok(python);
    }
    let run = |program: &Path, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let venv = venv.display().to_string();
    if !run(Path::new("python3"), &["-m", "venv", &venv]) {
        return Err("`python3 -m venv` failed".to_owned());
    }
    let install = ["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "10", PACKAGE];
    if !run(&python, &install) {
        return Err(format!("`pip install {PACKAGE}` failed"));
    }
    fs::write(&stamp, PACKAGE).map_err(|error| error.to_string())?;
    Ok(python)
}

#[tokio::test]
async fn fc_19_anki_library_updates_a_note_that_is_imported_again() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => return eprintln!("the package was not given to Anki's library: {why}"),
    };
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
