//! NT-04: every block type of Notion's, as JSON and as the Markdown it becomes.
//!
//! `blocks.md` holds one case per heading: a fence of JSON (a list of blocks, their own
//! under `children`), then a fence of five tildes with the Markdown.

use std::collections::BTreeSet;

use pen::notion::markdown::{Block, of_blocks};
use serde_json::Value;

/// The block types that Notion's own client knows.
const KINDS: &str = "paragraph heading_1 heading_2 heading_3 heading_4 bulleted_list_item \
    numbered_list_item quote to_do toggle template synced_block child_page child_database \
    equation code callout divider breadcrumb table_of_contents tab column_list column \
    link_to_page table table_row meeting_notes embed bookmark image video pdf file audio \
    link_preview unsupported";

struct Case {
    name: String,
    blocks: Value,
    expected: String,
}

fn cases() -> Vec<Case> {
    let text = include_str!("blocks.md");
    let case = |part: &str| {
        let (name, rest) = part.split_once('\n').unwrap();
        let (_, rest) = rest.split_once("~~~~~json\n").unwrap();
        let (json, rest) = rest.split_once("\n~~~~~\n").unwrap();
        let (_, rest) = rest.split_once("~~~~~markdown\n").unwrap();
        let (expected, _) = rest.split_once("~~~~~").unwrap();
        let expected = expected.strip_suffix('\n').unwrap_or(expected).to_owned();
        let blocks = serde_json::from_str(json).unwrap();
        Case { name: name.to_owned(), blocks, expected }
    };
    text.split("\n# case: ").skip(1).map(case).collect()
}

fn tree(json: &Value) -> Vec<Block> {
    let block = |json: &Value| {
        let mut json = json.clone();
        let below = json["children"].take();
        if json["type"].is_null() {
            let kind = json.as_object().unwrap().keys().next().unwrap().clone();
            json["type"] = kind.into();
        }
        let mut block = Block::new(&json);
        block.children = tree(&below);
        block
    };
    json.as_array().into_iter().flatten().map(block).collect()
}

#[test]
fn nt_04_every_golden_is_as_it_says() {
    let cases = cases();
    assert!(cases.len() > 30);
    let wrong: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let found = of_blocks(&tree(&case.blocks));
            let Case { name, expected, .. } = case;
            (found != *expected)
                .then(|| format!("{name}\n--- expected\n{expected}\n--- found\n{found}\n"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nt_04_every_block_type_has_a_golden() {
    fn kinds(blocks: &[Block], found: &mut BTreeSet<String>) {
        for block in blocks {
            found.insert(block.kind.clone());
            kinds(&block.children, found);
        }
    }
    let mut found = BTreeSet::new();
    cases().iter().for_each(|case| kinds(&tree(&case.blocks), &mut found));
    let missing: Vec<_> = KINDS.split_whitespace().filter(|kind| !found.contains(*kind)).collect();
    assert_eq!(missing, [""; 0]);
}
