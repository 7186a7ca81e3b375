//! A schema as a table: name, type, limits, description.

use serde_json::Value;

/// How deep nested objects are shown.
const DEPTH_MAX: usize = 6;

/// One line per property, nested ones indented.
pub(crate) fn rows(schema: &Value) -> Vec<String> {
    let mut cells = Vec::new();
    collect(schema, 0, &mut cells);
    if cells.is_empty() {
        return vec![format!("({})", kind(schema))];
    }
    let width =
        |index: usize| cells.iter().map(|row: &[String; 3]| row[index].chars().count()).max();
    let (names, kinds) = (width(0).unwrap_or_default(), width(1).unwrap_or_default().min(40));
    let line = |[name, kind, meaning]: &[String; 3]| {
        format!("{name:<names$}  {kind:<kinds$}  {meaning}").trim_end().to_owned()
    };
    cells.iter().map(line).collect()
}

fn collect(schema: &Value, depth: usize, cells: &mut Vec<[String; 3]>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        if let Some(items) = schema.get("items") {
            collect(items, depth, cells);
        }
        return;
    };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in properties {
        let needed = required.is_some_and(|list| list.iter().any(|item| item == name));
        let mut facts = kind(property);
        match (needed, property.get("default")) {
            (true, _) => facts.push_str(", required"),
            (false, Some(default)) => facts.push_str(&format!(", default {default}")),
            (false, None) => {}
        }
        let meaning = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let name = format!("{:1$}{name}", "", depth * 2);
        cells.push([name, facts, meaning.lines().next().unwrap_or_default().to_owned()]);
        if depth < DEPTH_MAX {
            collect(property, depth + 1, cells);
        }
    }
}

/// `string 3–500`, `list of string 1–50`, `person | lab`.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<_> = values.iter().map(plain).collect();
        return words.join(" | ");
    }
    if let Some(value) = schema.get("const") {
        return plain(value);
    }
    let name = match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().map(plain).collect::<Vec<_>>().join(" or "),
        _ if schema.get("$ref").is_some() => plain(&schema["$ref"]),
        _ if schema.get("anyOf").or(schema.get("oneOf")).is_some() => "one of several".to_owned(),
        _ => "any".to_owned(),
    };
    let name = match (name.as_str(), schema.get("items")) {
        ("array", Some(items)) => format!("list of {}", kind(items)),
        ("array", None) => "list".to_owned(),
        _ => name,
    };
    let format = schema.get("format").and_then(Value::as_str).map(|format| format!(" ({format})"));
    let range = [("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")]
        .iter()
        .find_map(|(low, high)| match (schema.get(low), schema.get(high)) {
            (Some(low), Some(high)) => Some(format!(" {low}–{high}")),
            (Some(low), None) => Some(format!(" {low} or more")),
            (None, Some(high)) => Some(format!(" up to {high}")),
            (None, None) => None,
        });
    format!("{name}{}{}", format.unwrap_or_default(), range.unwrap_or_default())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
