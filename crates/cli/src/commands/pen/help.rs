//! The help of `ghostpen` and the faults of its command line, in the writer's language.
//!
//! The texts of clap are English; `help.toml` has the Ukrainian ones. Must hold: every text of
//! `ghosthand pen` has one, and none is left over; a test compares them.

mod usage_fault;

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, Command};
use pen::Lang;

pub(crate) use self::usage_fault::usage_fault;
use crate::config::Config;
use crate::wiring::pen_tools;

type Sections = HashMap<String, HashMap<String, String>>;

/// Ukrainian texts by English ones.
static TEXTS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let sections: Sections = toml::from_str(include_str!("help.toml")).unwrap_or_default();
    sections.into_values().flatten().collect()
});

const TEMPLATE: &str = "{about-with-newline}\nВикористання: {usage}\n\n{all-args}";

/// The language of help and usage faults: `--lang`, else the settings, else the locale. None if
/// the command is not `pen`.
pub(crate) fn language_of(args: &[OsString]) -> Option<Lang> {
    let texts: Vec<&str> = args.iter().skip(1).filter_map(|arg| arg.to_str()).collect();
    let first = texts.iter().find(|arg| !arg.starts_with('-'));
    if first != Some(&"pen") {
        return None;
    }
    let after = texts.iter().position(|arg| *arg == "--lang").and_then(|at| texts.get(at + 1));
    let joined = texts.iter().find_map(|arg| arg.strip_prefix("--lang="));
    Some(match after.copied().or(joined) {
        Some(named) => Lang::of_locale(named),
        // Settings that cannot be read are reported by the command itself.
        None => Config::load().map_or(Lang::En, |config| pen_tools::lang(&config)),
    })
}

/// The program with the help of `pen` in Ukrainian.
pub(crate) fn in_ukrainian(program: Command) -> Command {
    program.mut_arg("color", argument).mut_subcommand("pen", translated)
}

fn translated(command: Command) -> Command {
    let about = command.get_about().map(|about| said(&about.to_string()));
    let long = command.get_long_about().map(|about| said(&about.to_string()));
    let names: Vec<String> =
        command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let mut command = command
        .help_template(TEMPLATE)
        .subcommand_help_heading("Команди")
        .subcommand_value_name("КОМАНДА")
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(flag("help", 'h', ArgAction::Help, "Довідка: -h коротка, --help докладна"))
        .arg(flag("version", 'V', ArgAction::Version, "Версія програми"))
        .mut_args(argument);
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(long) = long {
        command = command.long_about(long);
    }
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, translated))
}

fn flag(name: &'static str, short: char, action: ArgAction, help: &'static str) -> Arg {
    Arg::new(name).short(short).long(name).action(action).help(help)
}

fn argument(arg: Arg) -> Arg {
    let help = arg.get_help().map(|help| said(&help.to_string()));
    let heading = if arg.is_positional() { "Аргументи" } else { "Опції" };
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let choices = arg.get_possible_values().into_iter().filter(|_| takes_value);
    let choices: Vec<String> = choices.map(|value| value.get_name().to_owned()).collect();
    let arg = arg.help_heading(heading);
    let arg = match takes_value {
        true => arg.hide_default_value(true).hide_possible_values(true),
        false => arg,
    };
    let mut help = help.unwrap_or_default();
    if !choices.is_empty() {
        help.push_str(&format!(" [можна: {}]", choices.join(", ")));
    }
    if !defaults.is_empty() {
        help.push_str(&format!(" [типово: {}]", defaults.join(", ")));
    }
    match help.trim() {
        "" => arg,
        help => arg.help(help.to_owned()),
    }
}

/// A text in Ukrainian, paragraph by paragraph; as it is if there is none.
fn said(text: &str) -> String {
    let paragraphs =
        text.split("\n\n").map(|paragraph| TEXTS.get(paragraph).map_or(paragraph, String::as_str));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests;
