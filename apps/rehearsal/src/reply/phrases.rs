//! All sentences of the rehearsal, in three languages.

use contract::ToolOffer;
use serde_json::Value;

use crate::arguments::fields::{Field, Form, Kind};
use crate::text::language::Language;

/// The introduction; once in a conversation.
pub(crate) fn introduction(language: Language) -> &'static str {
    match language {
        Language::English => {
            "I am rehearsal, a stand-in without a model: I pick a tool by its words and fill in \
             what you say. \
             Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY for a real one."
        }
        Language::Ukrainian => {
            "Я rehearsal, заміна без моделі: обираю інструмент за словами й заповнюю те, що ви сказали. \
             Щоб відповідала справжня, задайте ANTHROPIC_API_KEY, OPENAI_API_KEY або GEMINI_API_KEY."
        }
        Language::Russian => {
            "Я rehearsal, замена без модели: выбираю инструмент по словам и заполняю то, что вы сказали. \
             Чтобы отвечала настоящая, задайте ANTHROPIC_API_KEY, OPENAI_API_KEY или GEMINI_API_KEY."
        }
    }
}

/// Recognises the introduction in any language.
pub(crate) fn introduces(text: &str) -> bool {
    [Language::English, Language::Ukrainian, Language::Russian]
        .iter()
        .any(|language| text.contains(introduction(*language)))
}

pub(crate) fn dropped(language: Language) -> &'static str {
    match language {
        Language::English => "All right, cancelled.",
        Language::Ukrainian => "Гаразд, залишаю це.",
        Language::Russian => "Хорошо, оставляю это.",
    }
}

/// How many tools a sentence names.
const TOOLS_MAX: usize = 5;

/// Lists the tools. Never a question, so that the next message is not taken for an answer.
pub(crate) fn abilities(language: Language, offers: &[&ToolOffer]) -> String {
    let start = match language {
        Language::English => "I found no tool for that. I can use:",
        Language::Ukrainian => "Не бачу для цього інструмента. Я вмію:",
        Language::Russian => "Не вижу для этого инструмента. Я умею:",
    };
    tools(language, start, offers)
}

pub(crate) fn greeting(language: Language, offers: &[&ToolOffer]) -> String {
    let start = match language {
        Language::English => "Hello! I can use:",
        Language::Ukrainian => "Вітаю! Я вмію:",
        Language::Russian => "Здравствуйте! Я умею:",
    };
    tools(language, start, offers)
}

fn tools(language: Language, start: &str, offers: &[&ToolOffer]) -> String {
    if offers.is_empty() {
        return match language {
            Language::English => "I have no tools here, so there is nothing I can do.",
            Language::Ukrainian => "Тут немає жодного інструмента, тож я нічого не можу зробити.",
            Language::Russian => {
                "Здесь нет ни одного инструмента, поэтому я ничего не могу сделать."
            }
        }
        .to_owned();
    }
    let shown: Vec<String> = offers.iter().take(TOOLS_MAX).map(|offer| line(offer)).collect();
    let more = match (offers.len().saturating_sub(shown.len()), language) {
        (0, _) => String::new(),
        (1, Language::English) => "\n\nThere is 1 more.".to_owned(),
        (more, Language::English) => format!("\n\nThere are {more} more."),
        (more, Language::Ukrainian) => format!("\n\nІ ще {more}."),
        (more, Language::Russian) => format!("\n\nИ ещё {more}."),
    };
    format!("{start}\n\n{}{more}", shown.join("\n"))
}

fn line(offer: &ToolOffer) -> String {
    match first_sentence(&offer.description) {
        "" => format!("- `{}`", offer.id),
        sentence => format!("- `{}`: {}", offer.id, plain(sentence)),
    }
}

/// Asks for the missing fields. Ends in a question mark and names the tool, then the fields, in
/// backticks: the next message is parsed by them.
pub(crate) fn ask(language: Language, tool: &str, gaps: &[(&Field<'_>, Option<&str>)]) -> String {
    let wanted: Vec<String> = gaps
        .iter()
        .map(|(field, given)| {
            let what = expected(language, field);
            let description = match plain(first_sentence(field.description())) {
                text if text.is_empty() => String::new(),
                text => format!(": {}", text.trim_end_matches('.')),
            };
            let misfit = given.map(|given| misfit(language, given)).unwrap_or_default();
            format!("`{}` ({what}{misfit}{description})", field.name())
        })
        .collect();
    let wanted = wanted.join(", ");
    match language {
        Language::English => format!("To use `{tool}` I still need {wanted}. What should it be?"),
        Language::Ukrainian => {
            format!("Щоб викликати `{tool}`, мені ще потрібно: {wanted}. Що вказати?")
        }
        Language::Russian => {
            format!("Чтобы вызвать `{tool}`, мне ещё нужно: {wanted}. Что указать?")
        }
    }
}

fn misfit(language: Language, given: &str) -> String {
    let given = plain(&clip(given, 60));
    match language {
        Language::English => format!("; “{given}” does not fit"),
        Language::Ukrainian => format!("; «{given}» не підходить"),
        Language::Russian => format!("; «{given}» не подходит"),
    }
}

pub(crate) fn no_fit(language: Language, tool: &str) -> String {
    match language {
        Language::English => {
            format!("These values do not fit together for `{tool}`; please rephrase.")
        }
        Language::Ukrainian => format!("Сказане не складається для `{tool}`; скажіть інакше."),
        Language::Russian => format!("Сказанное не складывается для `{tool}`; скажите иначе."),
    }
}

pub(crate) fn bad_json(language: Language, tool: &str, why: &str) -> String {
    let why = plain(why);
    match language {
        Language::English => format!("The text after `/{tool}` is not a JSON object: {why}."),
        Language::Ukrainian => format!("Після `/{tool}` стоїть не об'єкт JSON: {why}."),
        Language::Russian => format!("После `/{tool}` стоит не объект JSON: {why}."),
    }
}

pub(crate) fn surplus(language: Language, tool: &str, text: &str) -> String {
    let text = plain(&clip(text, 60));
    match language {
        Language::English => {
            format!("`/{tool}` has no place for “{text}”; write it as name=value.")
        }
        Language::Ukrainian => {
            format!("У `/{tool}` немає місця для «{text}»; напишіть назва=значення.")
        }
        Language::Russian => format!("В `/{tool}` нет места для «{text}»; напишите имя=значение."),
    }
}

pub(crate) fn unknown_tool(language: Language, name: &str, nearest: Option<&str>) -> String {
    let name = plain(&clip(name, 60));
    match (language, nearest) {
        (Language::English, Some(near)) => {
            format!("There is no tool “{name}”; did you mean `/{near}`?")
        }
        (Language::English, None) => format!("There is no tool “{name}”."),
        (Language::Ukrainian, Some(near)) => {
            format!("Інструмента «{name}» немає; може, `/{near}`?")
        }
        (Language::Ukrainian, None) => format!("Інструмента «{name}» немає."),
        (Language::Russian, Some(near)) => {
            format!("Инструмента «{name}» нет; может быть, `/{near}`?")
        }
        (Language::Russian, None) => format!("Инструмента «{name}» нет."),
    }
}

/// Describes the calls that are not allowed.
pub(crate) fn would(language: Language, tool: &str, args: &Value) -> String {
    match language {
        Language::English => {
            format!("I would call `{tool}` with {args}, but no tool may be called now.")
        }
        Language::Ukrainian => {
            format!("Я викликав би `{tool}` з {args}, але зараз інструменти не дозволено.")
        }
        Language::Russian => {
            format!("Я вызвал бы `{tool}` с {args}, но сейчас инструменты не разрешены.")
        }
    }
}

/// Describes the values of a field.
fn expected(language: Language, field: &Field<'_>) -> String {
    describe(language, &field.kind, field.schema)
}

fn describe(language: Language, kind: &Kind<'_>, schema: &Value) -> String {
    let say = |english: &str, ukrainian: &str, russian: &str| {
        match language {
            Language::English => english,
            Language::Ukrainian => ukrainian,
            Language::Russian => russian,
        }
        .to_owned()
    };
    match kind {
        Kind::Text(form) => match form {
            Form::Free => say("text", "текст", "текст") + &lengths(language, schema),
            Form::Email | Form::LooseEmail => {
                say("an e-mail address", "адреса пошти", "адрес почты")
            }
            Form::Url => say("a link", "посилання", "ссылка"),
            Form::Uuid => say("a UUID", "UUID", "UUID"),
            Form::Date => say("a date", "дата", "дата"),
            Form::Time => say("a time", "час доби", "время суток"),
            Form::DateTime => say("a date and a time", "дата й час", "дата и время"),
            Form::Clock => say("a time such as 09:00", "час, як-от 09:00", "время, например 09:00"),
            Form::Duration => say("a length of time", "тривалість", "длительность"),
            Form::Fitting => {
                let rule = ["pattern", "format"].iter().find_map(|key| schema.get(*key)?.as_str());
                let rule = plain(rule.unwrap_or_default());
                say("text that fits ", "текст за зразком ", "текст по образцу ") + &rule
            }
        },
        Kind::Number => say("a number", "число", "число") + &bounds(language, schema),
        Kind::Integer => {
            say("a whole number", "ціле число", "целое число") + &bounds(language, schema)
        }
        Kind::Flag => say("yes or no", "так чи ні", "да или нет"),
        Kind::Choice(choices) => {
            let label =
                |choice: &Value| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned);
            let all: Vec<String> = choices.iter().take(CHOICES_MAX).map(label).collect();
            say("one of ", "одне з: ", "одно из: ") + &plain(&all.join(", "))
        }
        Kind::List { of, item } => {
            say("a list: ", "список: ", "список: ") + &describe(language, of, item)
        }
        Kind::Json => say("JSON", "JSON", "JSON"),
    }
}

const CHOICES_MAX: usize = 12;

fn bounds(language: Language, schema: &Value) -> String {
    let bound = |key: &str| schema.get(key).filter(|value| value.is_number());
    let from = bound("minimum").or_else(|| bound("exclusiveMinimum"));
    let to = bound("maximum").or_else(|| bound("exclusiveMaximum"));
    let (from, to) = (from.map(Value::to_string), to.map(Value::to_string));
    between(language, from, to)
}

fn lengths(language: Language, schema: &Value) -> String {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let from = bound("minLength").filter(|min| *min > 1).map(|min| min.to_string());
    let Some(from) = from else { return String::new() };
    let range = between(language, Some(from), bound("maxLength").map(|max| max.to_string()));
    let unit = match language {
        Language::English => "characters",
        Language::Ukrainian => "символів",
        Language::Russian => "символов",
    };
    format!("{range} {unit}")
}

fn between(language: Language, from: Option<String>, to: Option<String>) -> String {
    match (from, to, language) {
        (None, None, _) => String::new(),
        (Some(from), Some(to), Language::English) => format!(" from {from} to {to}"),
        (Some(from), Some(to), Language::Ukrainian) => format!(" від {from} до {to}"),
        (Some(from), Some(to), Language::Russian) => format!(" от {from} до {to}"),
        (Some(from), None, Language::English) => format!(" from {from}"),
        (Some(from), None, Language::Ukrainian) => format!(" від {from}"),
        (Some(from), None, Language::Russian) => format!(" от {from}"),
        (None, Some(to), Language::English) => format!(" up to {to}"),
        (None, Some(to), Language::Ukrainian | Language::Russian) => format!(" до {to}"),
    }
}

pub(crate) fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").or_else(|| text.find('\n')).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim()
}

/// Removes backticks from quoted text: they have a meaning in these sentences.
fn plain(text: &str) -> String {
    text.replace('`', "'").replace('\n', " ")
}

/// Cuts at a character border and adds an ellipsis.
pub(crate) fn clip(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}
