//! A fault of the command line in Ukrainian: what is wrong, and what to do.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use pen::{Lang, Platform};

/// The text of a fault; none if clap prints help or the version.
pub(crate) fn usage_fault(fault: &Error) -> Option<String> {
    let context = |kind: ContextKind| match fault.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        Some(_) | None => None,
    };
    let argument = context(ContextKind::InvalidArg).unwrap_or_default();
    let value = context(ContextKind::InvalidValue).unwrap_or_default();
    let near = context(ContextKind::SuggestedArg)
        .or_else(|| context(ContextKind::SuggestedValue))
        .or_else(|| context(ContextKind::SuggestedSubcommand));
    let what = match fault.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return None,
        ErrorKind::ValueValidation | ErrorKind::InvalidValue if argument.contains("--platform") => {
            match value.parse::<Platform>() {
                Err(unknown) => unknown.text(Lang::Uk),
                Ok(_) => format!("`{value}` не підходить для {argument}"),
            }
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("{argument} потребує значення"),
        ErrorKind::InvalidValue => match context(ContextKind::ValidValue) {
            Some(valid) => format!("`{value}` не підходить для {argument}; можна: {valid}"),
            None => format!("`{value}` не підходить для {argument}"),
        },
        ErrorKind::ValueValidation => format!("`{value}` не підходить для {argument}"),
        ErrorKind::UnknownArgument => format!("немає опції `{argument}`"),
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("немає команди `{name}`")
        }
        ErrorKind::MissingRequiredArgument => format!("бракує: {argument}"),
        ErrorKind::MissingSubcommand => "бракує команди".to_owned(),
        ErrorKind::ArgumentConflict => {
            let other = context(ContextKind::PriorArg).unwrap_or_default();
            format!("{argument} не поєднується з {other}")
        }
        ErrorKind::TooManyValues => format!("забагато значень для {argument}"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("для {argument} потрібна інша кількість значень")
        }
        ErrorKind::NoEquals => format!("{argument} потребує `=`"),
        // Kinds that our command line cannot have.
        ErrorKind::InvalidUtf8 | ErrorKind::Io | ErrorKind::Format | _ => fault.to_string(),
    };
    let near = near.map(|near| format!("можливо, `{near}`? ")).unwrap_or_default();
    let fix = format!("{near}докладніше: ghostpen --help");
    Some(format!("помилка: {what}\n  що зробити: {fix}\n"))
}
