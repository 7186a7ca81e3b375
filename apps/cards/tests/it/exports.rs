//! FC-19: packages and texts for Anki; an edit keeps the card's id.

use std::collections::BTreeMap;
use std::time::Duration;

use cards::{AnkiOptions, CardChange, ContextsMax, RunId, csv};
use rusqlite::Connection;

use crate::world::{World, good, model};

async fn made() -> (World, RunId) {
    let world = World::new();
    let run = world.begin("Suns rej & \"kož\". Kaķis skrien.").await;
    world.work(&run, &model(good)).await;
    (world, run)
}

/// `(guid, mod, first field, third field)` of each note in a package.
pub(crate) fn notes(package: &[u8]) -> Vec<(String, i64, String, String)> {
    let note = |(guid, modified, fields): (String, i64, Vec<String>)| {
        assert_eq!(fields.len(), 12);
        (guid, modified, fields[0].clone(), fields[2].clone())
    };
    rows(package).into_iter().map(note).collect()
}

/// The fields of each note in a package, by its guid.
pub(crate) fn notes_of_package(package: &[u8]) -> BTreeMap<String, Vec<String>> {
    rows(package).into_iter().map(|(guid, _, fields)| (guid, fields)).collect()
}

fn rows(package: &[u8]) -> Vec<(String, i64, Vec<String>)> {
    // The only file that matters is the first, and is packed with deflate.
    let name = usize::from(u16::from_le_bytes([package[26], package[27]]));
    let size = u32::from_le_bytes(package[18..22].try_into().unwrap()) as usize;
    let packed = &package[30 + name..30 + name + size];
    let mut bytes = Vec::new();
    let mut decoder = flate2::read::DeflateDecoder::new(packed);
    std::io::Read::read_to_end(&mut decoder, &mut bytes).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let connection = Connection::open(file.path()).unwrap();
    let mut rows = connection.prepare("SELECT guid, mod, flds FROM notes ORDER BY guid").unwrap();
    let row = |row: &rusqlite::Row<'_>| {
        let fields: String = row.get(2)?;
        let fields = fields.split('\u{1f}').map(str::to_owned).collect();
        Ok((row.get(0)?, row.get(1)?, fields))
    };
    rows.query_map([], row).unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn fc_19_a_second_package_has_the_same_ids_and_only_what_changed_is_newer() {
    let (world, run) = made().await;
    let package = async || world.library.anki_package(&run, &AnkiOptions::usual()).await.unwrap();
    let first = package().await;
    world.clock.pass(Duration::from_secs(60));
    assert_eq!(package().await, first, "nothing changed: the same bytes");
    let key = "lv:ru:word:suns".parse().unwrap();
    let change = CardChange { base_translation: Some("пёс".into()), ..CardChange::default() };
    world.library.change(&run, &key, change).await.unwrap();
    let (before, after) = (notes(&first), notes(&package().await));
    assert_eq!(before.len(), 2);
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((&old.0, &old.2), (&new.0, &new.2), "guid and key stay");
        let changed = new.2 == "lv:ru:word:suns";
        assert_eq!(new.1 > old.1, changed);
        assert_eq!(new.3 == "пёс", changed);
    }
}

#[tokio::test]
async fn fc_19_the_text_has_headers_and_as_many_columns_as_they_say() {
    let (world, run) = made().await;
    let text = world.library.anki_text(&run, ContextsMax::USUAL).await.unwrap();
    let (heads, rows): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.starts_with('#'));
    assert_eq!(heads[0], "#separator:tab");
    assert!(heads.contains(&"#html:true") && heads.contains(&"#guid column:1"));
    assert!(
        heads.contains(&"#deck:Ghosthand::Latvian → Russian") && heads.contains(&"#tags column:14")
    );
    let columns = heads.iter().find(|line| line.starts_with("#columns:")).unwrap();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!(row.split('\t').count(), columns.split('\t').count());
        assert!(!row.contains('"'));
    }
    let first: Vec<_> = rows[0].split('\t').collect();
    assert_eq!(first[1], "lv:ru:word:suns");
    assert_eq!(first[6], "<b>Suns</b> rej &amp; &quot;kož&quot;.");
    // The package and the text name the same notes.
    let package = world.library.anki_package(&run, &AnkiOptions::usual()).await.unwrap();
    let guids: Vec<_> = notes(&package).into_iter().map(|note| note.0).collect();
    assert!(guids.contains(&first[0].to_owned()));
}

#[tokio::test]
async fn a_table_quotes_what_would_break_it() {
    let (world, run) = made().await;
    let deck = world.library.deck(&run, ContextsMax::USUAL).await.unwrap();
    let table = String::from_utf8(csv(&deck.cards).unwrap()).unwrap();
    assert!(table.starts_with("key,language,target,unit,"));
    assert!(table.contains("\"Suns rej & \"\"kož\"\".\""), "{table}");
    assert_eq!(table.lines().count(), 3);
}
