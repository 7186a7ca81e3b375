//! A Markdown table; a table without a header gets an empty one.

use serde_json::Value;

use super::Block;
use super::rich_text;

pub(crate) fn markdown(block: &Block) -> String {
    let mut rows: Vec<Vec<String>> = block.children.iter().map(cells).collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or_default();
    if width == 0 {
        return String::new();
    }
    if block.content["has_column_header"] != true {
        rows.insert(0, Vec::new());
    }
    rows.insert(1, vec!["---".to_owned(); width]);
    rows.iter_mut().for_each(|row| row.resize(width, String::new()));
    let line = |row: &Vec<String>| format!("| {} |", row.join(" | "));
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn cells(row: &Block) -> Vec<String> {
    let cell = |cell: &Value| rich_text::markdown(cell).replace('|', "\\|").replace('\n', "<br>");
    row.content["cells"].as_array().into_iter().flatten().map(cell).collect()
}
