//! Every text of the help has a Ukrainian one, and none is left over.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory};

use super::{TEXTS, in_ukrainian};
use crate::Program;

/// The texts of a command and of everything below it.
fn texts(command: &Command, found: &mut BTreeSet<String>) {
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string);
    found.extend(about.iter().flat_map(|about| about.split("\n\n")).map(str::to_owned));
    found.extend(command.get_arguments().filter_map(|arg| Some(arg.get_help()?.to_string())));
    command.get_subcommands().for_each(|inner| texts(inner, found));
}

fn pen(program: &Command) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    texts(program.find_subcommand("pen").unwrap(), &mut found);
    found
}

#[test]
fn every_text_of_the_help_has_a_ukrainian_one_and_none_is_left_over() {
    let english = pen(&Program::command());
    let missing: Vec<_> = english.iter().filter(|text| !TEXTS.contains_key(*text)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    // The flag of the whole program is a text of `pen` only when the program is built.
    let is_known =
        |text: &&String| english.contains(*text) || text.starts_with("When to use colour");
    let unused: Vec<_> = TEXTS.keys().filter(|text| !is_known(text)).collect();
    assert!(unused.is_empty(), "{unused:#?}");
}

#[test]
fn the_help_in_ukrainian_has_no_english_sentence() {
    let has_cyrillic = |text: &String| text.chars().any(|c| ('а'..='я').contains(&c));
    let program = in_ukrainian(Program::command());
    let english: Vec<_> = pen(&program).into_iter().filter(|text| !has_cyrillic(text)).collect();
    assert!(english.is_empty(), "{english:#?}");
    program.debug_assert();
}

#[test]
fn defaults_and_choices_are_named_in_ukrainian() {
    let mut program = in_ukrainian(Program::command());
    program.build();
    let pen = program.find_subcommand_mut("pen").unwrap();
    let help = pen.render_long_help().to_string();
    assert!(help.contains("[типово: default]"), "{help}");
    assert!(!help.contains("[default:") && !help.contains("[possible values:"), "{help}");
}
