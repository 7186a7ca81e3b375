//! What Notion refuses: the limits of its reference, and properties that do not fit.

use serde_json::Value;

use super::workspace::kind_of;

const UNITS_MAX: usize = 2_000;
const ELEMENTS_MAX: usize = 100;
const BLOCKS_MAX: usize = 1_000;
const REQUEST_BYTES_MAX: usize = 500_000;
const LEVELS_MAX: usize = 2;

const KINDS: &[&str] = &[
    "paragraph",
    "heading_1",
    "heading_2",
    "heading_3",
    "heading_4",
    "bulleted_list_item",
    "numbered_list_item",
    "to_do",
    "toggle",
    "quote",
    "callout",
    "code",
    "divider",
    "equation",
    "table",
    "table_row",
    "image",
    "video",
    "file",
    "pdf",
    "audio",
    "embed",
    "bookmark",
    "column_list",
    "column",
    "synced_block",
    "table_of_contents",
    "breadcrumb",
    "link_to_page",
];

/// The reason to refuse the children of one request.
pub(super) fn blocks(bytes: &[u8], children: &Value) -> Result<(), String> {
    if bytes.len() > REQUEST_BYTES_MAX {
        return Err("body failed validation: the request is larger than 500KB.".to_owned());
    }
    let mut count = 0;
    list(children, 1, &mut count)
}

fn list(children: &Value, level: usize, count: &mut usize) -> Result<(), String> {
    let children = children.as_array().map(Vec::as_slice).unwrap_or_default();
    if children.len() > ELEMENTS_MAX {
        return Err(format!(
            "body.children.length should be ≤ `100`, instead was `{}`.",
            children.len()
        ));
    }
    *count += children.len();
    if *count > BLOCKS_MAX || (level > LEVELS_MAX && !children.is_empty()) {
        return Err("body failed validation: too many blocks, or nested too deeply.".to_owned());
    }
    for block in children {
        let kind = kind_of(block);
        if !KINDS.contains(&kind) || !block[kind].is_object() {
            return Err(format!(
                "body.children[].{kind} should be defined, instead was `undefined`."
            ));
        }
        rich_text(&block[kind]["rich_text"])?;
        list(&block[kind]["children"], level + 1, count)?;
    }
    Ok(())
}

fn rich_text(text: &Value) -> Result<(), String> {
    let elements = text.as_array().map(Vec::as_slice).unwrap_or_default();
    if elements.len() > ELEMENTS_MAX {
        return Err(format!(
            "rich_text.length should be ≤ `100`, instead was `{}`.",
            elements.len()
        ));
    }
    for element in elements {
        let content = element["text"]["content"].as_str().unwrap_or_default();
        let units = content.encode_utf16().count();
        if units > UNITS_MAX {
            return Err(format!("text.content.length should be ≤ `2000`, instead was `{units}`."));
        }
    }
    Ok(())
}

/// The reason to refuse the properties of a page in a source.
pub(super) fn properties(columns: &Value, sent: &Value) -> Result<(), String> {
    for (name, value) in sent.as_object().into_iter().flatten() {
        let Some(column) = columns.get(name) else {
            return Err(format!("{name} is not a property that exists."));
        };
        let kind = column["type"].as_str().unwrap_or_default();
        let Some(value) = value.get(kind) else {
            return Err(format!("{name} is expected to be {kind}."));
        };
        let option = value["name"].as_str().unwrap_or_default();
        let options = column[kind]["options"].as_array().map(Vec::as_slice).unwrap_or_default();
        match kind {
            "title" | "rich_text" => rich_text(value)?,
            "select" if option.contains(',') => {
                return Err("Invalid select option, commas not allowed.".to_owned());
            }
            "status" if options.iter().all(|known| known["name"] != option) => {
                return Err(format!(
                    "Invalid status option. Status option \"{option}\" does not exist."
                ));
            }
            _ => {}
        }
    }
    Ok(())
}
