//! docs/reference/settings.md has every setting, field and variable, and no other.

use std::collections::BTreeSet;

use super::super::mcp_servers::{McpServerText, TokenText};
use super::super::providers::PROVIDER_FIELDS;
use super::super::variables::VARIABLES;
use super::{Kind, SETTINGS, Setting};

const DOCUMENT: &str = include_str!("../../../../../docs/reference/settings.md");

/// The rows of the table below a heading.
fn rows(heading: &str) -> BTreeSet<String> {
    let (_, rest) = DOCUMENT.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = rest.split("\n## ").next().unwrap_or_default();
    section.lines().filter(|line| line.starts_with("| `")).map(str::to_owned).collect()
}

/// The first cells of those rows.
fn names(heading: &str) -> BTreeSet<String> {
    let name = |row: &String| row.split('`').nth(1).unwrap_or_default().to_owned();
    rows(heading).iter().map(name).collect()
}

/// Says what to change, row by row.
#[track_caller]
fn compare(heading: &str, written: &BTreeSet<String>, expected: &BTreeSet<String>) {
    let lines = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.difference(other).cloned().collect::<Vec<_>>().join("\n")
    };
    let (missing, excess) = (lines(expected, written), lines(written, expected));
    assert!(
        missing.is_empty() && excess.is_empty(),
        "in docs/reference/settings.md, `{heading}`\nadd:\n{missing}\nremove:\n{excess}"
    );
}

fn row(setting: &Setting) -> String {
    let kind = match setting.kind {
        Kind::Text => "text".to_owned(),
        Kind::Number(from, to) => format!("number, {from} to {to}"),
        Kind::Word(words) => words.join(" or "),
        Kind::Openings => "list of hosts, addresses and networks".to_owned(),
        Kind::Gaps => "list of gaps".to_owned(),
        Kind::Names => "list of names".to_owned(),
        Kind::Tool => "name of a tool".to_owned(),
        Kind::Database => "address of a database".to_owned(),
    };
    let default = setting.built_in.map_or_else(|| "–".to_owned(), |value| format!("`{value}`"));
    let (name, variable, what) = (setting.name, setting.variable(), setting.what);
    format!("| `{name}` | {kind} | {default} | `{variable}` | {what} |")
}

#[test]
fn every_setting_is_in_the_reference_and_no_other() {
    compare("Settings", &rows("Settings"), &SETTINGS.iter().map(row).collect());
}

#[test]
fn every_variable_is_in_the_reference_and_no_other() {
    let heading = "Other environment variables";
    let variable =
        |(names, what): &(&str, &str)| format!("| `{}` | {what} |", names.replace(", ", "`, `"));
    compare(heading, &rows(heading), &VARIABLES.iter().map(variable).collect());
}

/// Serde names the fields that it knows when it is given another.
fn fields<T: serde::de::DeserializeOwned + std::fmt::Debug>() -> BTreeSet<String> {
    let fault = toml::from_str::<T>("no_such_field = 1").unwrap_err().message().to_owned();
    let (_, known) = fault.split_once("expected").expect("the fields");
    known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_field_of_a_section_is_in_the_reference_and_no_other() {
    let check = |heading: &str, expected: BTreeSet<String>| {
        compare(heading, &names(heading), &expected);
    };
    check("`[providers.NAME]`", PROVIDER_FIELDS.iter().map(ToString::to_string).collect());
    check("`[mcp.NAME]`", fields::<McpServerText>());
    check("`[mcp_tokens.NAME]`", fields::<TokenText>());
}
