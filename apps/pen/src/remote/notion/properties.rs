//! Converts values to the columns of the author's database.
//!
//! Must hold: pure; the type of the column decides the format; a value that does not fit is left
//! out with a notice, never an error.

use serde_json::{Map, Value, json};

use super::blocks::rich_text;
use super::parent::ResolvedParent;
use super::{Notice, Unfit};

/// The properties of a page, including the title.
pub(crate) fn spell(
    place: &ResolvedParent,
    title: &str,
    wanted: &[(String, String)],
    notices: &mut Vec<Notice>,
) -> Value {
    let mut properties = Map::new();
    let title_column = place.title_column();
    properties.insert(title_column.to_owned(), json!({ "title": rich_text(title) }));
    let ResolvedParent::Source(source) = place else { return Value::Object(properties) };
    for (name, value) in wanted {
        let Some((column, kind)) = find(&source.columns, name) else {
            notices.push(Notice::NoProperty(name.clone()));
            continue;
        };
        if column == title_column {
            continue;
        }
        match spelled(kind, value) {
            Ok(spelled) => drop(properties.insert(column.clone(), spelled)),
            Err(why) => notices.push(Notice::Unfit { property: column.clone(), why }),
        }
    }
    Value::Object(properties)
}

/// By name, case-insensitively.
fn find<'a>(columns: &'a Map<String, Value>, name: &str) -> Option<(&'a String, &'a Value)> {
    let same = |found: &&String| found.to_lowercase() == name.to_lowercase();
    let near = || columns.keys().find(same);
    columns.get_key_value(name).or_else(|| columns.get_key_value(near()?))
}

fn spelled(column: &Value, value: &str) -> Result<Value, Unfit> {
    let kind = column["type"].as_str().unwrap_or_default();
    match kind {
        "rich_text" => Ok(json!({ "rich_text": rich_text(value) })),
        "select" => Ok(json!({ "select": { "name": option(column, kind, value) } })),
        "multi_select" => Ok(json!({ "multi_select": [{ "name": option(column, kind, value) }] })),
        "status" if known(column, kind, value).is_none() => Err(Unfit::NoStatus(value.to_owned())),
        "status" => Ok(json!({ "status": { "name": option(column, kind, value) } })),
        "date" => Ok(json!({ "date": { "start": value } })),
        "url" => Ok(json!({ "url": value })),
        "number" => match value.parse::<f64>() {
            Ok(number) => Ok(json!({ "number": number })),
            Err(_) => Err(Unfit::NotNumber(value.to_owned())),
        },
        kind => Err(Unfit::Type(kind.to_owned())),
    }
}

/// The option of that name as the database spells it; a new one has no comma.
fn option(column: &Value, kind: &str, value: &str) -> String {
    known(column, kind, value)
        .unwrap_or_else(|| value.replace(',', " ").chars().take(100).collect())
}

fn known(column: &Value, kind: &str, value: &str) -> Option<String> {
    let options = column[kind]["options"].as_array()?;
    let mut names = options.iter().filter_map(|option| option["name"].as_str());
    names.find(|name| name.to_lowercase() == value.to_lowercase()).map(str::to_owned)
}
