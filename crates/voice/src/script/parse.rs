//! Reads a script, line by line. A fault names its line.

mod cursor;
mod tool;

use contract::CallId;
use serde_json::Value;

use super::statement::{
    Action, Expectation, ExpectationKind, PageAction, ProviderAction, Script, ScriptCall,
    ScriptTool, Setting, Timed, ToolEnd,
};
use crate::transcript::Speaker;
use crate::words::language::Language;
use cursor::Cursor;

/// A line that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ScriptFault {
    pub line: usize,
    pub what: String,
}

/// No script is longer.
const BYTES_MAX: usize = 1 << 20;
/// How fast the far side speaks where a script says nothing else.
const MS_PER_CHAR: u64 = 60;

/// Reads a script.
pub fn parse(text: &str) -> Result<Script, ScriptFault> {
    if text.len() > BYTES_MAX {
        let what = format!("the script has more than {BYTES_MAX} bytes");
        return Err(ScriptFault { line: 0, what });
    }
    let mut script = Script {
        model: "cascade".to_owned(),
        tools: Vec::new(),
        history: Vec::new(),
        pending: Vec::new(),
        languages: Vec::new(),
        settings: Vec::new(),
        blocked_ms: None,
        until_ms: None,
        actions: Vec::new(),
        expectations: Vec::new(),
    };
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let mut cursor = Cursor::new(trimmed);
        let read = statement(&mut cursor, number, &mut script).and_then(|()| cursor.end());
        read.map_err(|what| ScriptFault { line: number, what })?;
    }
    if script.languages.is_empty() {
        script.languages.push(Language::En);
    }
    Ok(script)
}

fn statement(cursor: &mut Cursor<'_>, line: usize, script: &mut Script) -> Result<(), String> {
    match cursor.word()? {
        "road" | "model" => script.model = cursor.word()?.to_owned(),
        "language" => {
            while let Some(code) = cursor.next_word() {
                let language = Language::from_code(code);
                script
                    .languages
                    .push(language.ok_or_else(|| format!("`{code}` has no word list"))?);
            }
        }
        "tool" => script.tools.push(tool::declaration(cursor, line)?),
        "set" => {
            let path = cursor.word()?.to_owned();
            script.settings.push(Setting { path, value: cursor.json()? });
        }
        "history" => {
            let speaker = match cursor.word()? {
                "user" => Speaker::User,
                "assistant" => Speaker::Assistant,
                other => return Err(format!("`{other}` is neither `user` nor `assistant`")),
            };
            script.history.push((speaker, cursor.quoted()?));
        }
        "pending" => script.pending.push(cursor.quoted()?),
        "blocked" => script.blocked_ms = Some(cursor.after_word("for")?),
        "until" => script.until_ms = Some(cursor.duration()?),
        "at" => {
            let at_ms = cursor.duration()?;
            let action = action(cursor)?;
            script.actions.push(Timed { at_ms, line, action });
        }
        "expect" => script.expectations.push(expectation(cursor, line)?),
        other => {
            return Err(format!(
                "`{other}` is none of `at`, `expect`, `tool`, `road`, `language`, `set`, \
                 `history`, `pending`, `blocked`, `until`"
            ));
        }
    }
    Ok(())
}

fn action(cursor: &mut Cursor<'_>) -> Result<Action, String> {
    match cursor.word()? {
        "user" => user(cursor),
        "partial" => Ok(Action::Partial { text: cursor.quoted()? }),
        "provider" => provider(cursor).map(Action::Provider),
        "tool" => tool_action(cursor),
        "page" => {
            let action = match cursor.word()? {
                "stops" => cursor.then(&["reporting"], PageAction::StopsReporting)?,
                "reports" => PageAction::Reports,
                "approves" => PageAction::Approves,
                "declines" => PageAction::Declines,
                "interrupts" => PageAction::Interrupts,
                "fills" => PageAction::Fills { answers: cursor.json()? },
                "sends" => {
                    let target = cursor.word()?.to_owned();
                    PageAction::Sends { target, params: cursor.json()? }
                }
                "answers" => PageAction::Answers { content: cursor.json()? },
                "closes" => cursor.then(&["form"], PageAction::ClosesForm)?,
                other => return Err(format!("the page cannot `{other}`")),
            };
            Ok(Action::Page(action))
        }
        "connection" => match cursor.word()? {
            "lost" => Ok(Action::ConnectionLost),
            "back" => Ok(Action::ConnectionBack),
            other => Err(format!("a connection is `lost` or `back`, not `{other}`")),
        },
        "process" => cursor.then(&["restarts"], Action::Restart),
        "form" => {
            cursor.expect("of")?;
            let tool = cursor.word()?.to_owned();
            let feature = if cursor.is_done() { None } else { Some(cursor.json()?) };
            Ok(Action::Form { tool, feature })
        }
        other => Err(format!(
            "`{other}` is none of `user`, `partial`, `provider`, `tool`, `page`, `connection`, \
             `process`, `form`"
        )),
    }
}

fn user(cursor: &mut Cursor<'_>) -> Result<Action, String> {
    let usual = |text: &str| text.chars().count() as u64 * MS_PER_CHAR;
    match cursor.word()? {
        "says" | "hums" => {
            let text = cursor.quoted()?;
            let ms = cursor.optional_duration("for")?.unwrap_or_else(|| usual(&text));
            Ok(Action::UserSpeech { ms, text: Some(text) })
        }
        "interrupts" => {
            let text = if cursor.take("with") { cursor.quoted()? } else { "wait".to_owned() };
            let ms = cursor.optional_duration("for")?.unwrap_or(1_000);
            Ok(Action::UserSpeech { ms, text: Some(text) })
        }
        "makes" => {
            cursor.expect("noise")?;
            let ms = cursor.after_word("for")?;
            Ok(Action::UserSpeech { ms, text: None })
        }
        "speaks" => Ok(Action::SpeechStarts),
        "stops" => {
            let text = if cursor.take("saying") { Some(cursor.quoted()?) } else { None };
            Ok(Action::SpeechStops { text })
        }
        "hangs" => cursor.then(&["up"], Action::HangUp),
        other => Err(format!(
            "a user `says`, `hums`, `interrupts`, `makes noise`, `speaks`, `stops` or `hangs up`, \
             and does not `{other}`"
        )),
    }
}

fn provider(cursor: &mut Cursor<'_>) -> Result<ProviderAction, String> {
    let usual = |text: &str| text.chars().count() as u64 * MS_PER_CHAR;
    match cursor.word()? {
        "says" => {
            let text = cursor.quoted()?;
            let ms = cursor.optional_duration("for")?.unwrap_or_else(|| usual(&text));
            let calls = if cursor.take("then") { calls(cursor)? } else { Vec::new() };
            Ok(ProviderAction::Says { text, ms, calls })
        }
        "begins" => {
            let text = cursor.quoted()?;
            let ms = cursor.optional_duration("for")?.unwrap_or_else(|| usual(&text));
            Ok(ProviderAction::Begins { text, ms })
        }
        "ends" => Ok(ProviderAction::Ends),
        "calls" => Ok(ProviderAction::Calls { calls: call_list(cursor)? }),
        "writes" => {
            cursor.expect("call")?;
            Ok(ProviderAction::WritesCall { call: call(cursor)? })
        }
        "breaks" => cursor.then(&["off"], ProviderAction::BreaksOff),
        "withdraws" => Ok(ProviderAction::Withdraws { call: CallId(cursor.word()?.to_owned()) }),
        "goes" => {
            cursor.expect("away")?;
            Ok(ProviderAction::GoesAway { ms_left: cursor.after_word("in")? })
        }
        "sends" => Ok(ProviderAction::Sends { text: cursor.rest().to_owned() }),
        other => Err(format!(
            "a provider `says`, `begins`, `ends`, `calls`, `writes call`, `breaks off`, \
             `withdraws`, `goes away` or `sends`, and does not `{other}`"
        )),
    }
}

fn calls(cursor: &mut Cursor<'_>) -> Result<Vec<ScriptCall>, String> {
    cursor.expect("calls")?;
    call_list(cursor)
}

/// `NAME {…} as ID and NAME {…} as ID`.
fn call_list(cursor: &mut Cursor<'_>) -> Result<Vec<ScriptCall>, String> {
    let mut calls = vec![call(cursor)?];
    while cursor.take("and") {
        calls.push(call(cursor)?);
    }
    Ok(calls)
}

fn call(cursor: &mut Cursor<'_>) -> Result<ScriptCall, String> {
    let tool = cursor.word()?.to_owned();
    // Arguments in quotes are sent as they are, also where they are not JSON.
    let arguments = match cursor.is_quoted() {
        true => cursor.quoted()?,
        false => cursor.json()?.to_string(),
    };
    cursor.expect("as")?;
    Ok(ScriptCall { id: CallId(cursor.word()?.to_owned()), tool, arguments })
}

fn tool_action(cursor: &mut Cursor<'_>) -> Result<Action, String> {
    let call = CallId(cursor.word()?.to_owned());
    if cursor.take("messages") {
        return Ok(Action::ToolMessages { call, message: cursor.json()? });
    }
    Ok(Action::ToolEnds { call, end: tool_end(cursor)? })
}

/// `returns {…} with [INTENT, …]`, `fails "…"`, `stops`, `asks NAME "…" {SCHEMA}`.
fn tool_end(cursor: &mut Cursor<'_>) -> Result<ToolEnd, String> {
    match cursor.word()? {
        "returns" => {
            let data = cursor.json()?;
            let intents = if cursor.take("with") { cursor.json()? } else { Value::Null };
            let intents = intents.as_array().cloned().unwrap_or_default();
            Ok(ToolEnd::Returns { data, intents })
        }
        "fails" => Ok(ToolEnd::Fails { message: cursor.quoted()? }),
        "stops" => Ok(ToolEnd::Stops),
        "asks" => {
            let name = cursor.word()?.to_owned();
            let message = cursor.quoted()?;
            Ok(ToolEnd::Asks { name, message, schema: cursor.json()? })
        }
        other => {
            Err(format!("a tool `returns`, `fails`, `stops` or `asks`, and does not `{other}`"))
        }
    }
}

fn expectation(cursor: &mut Cursor<'_>, line: usize) -> Result<Expectation, String> {
    let kind = if cursor.take("never") {
        ExpectationKind::Never
    } else if cursor.take("at") {
        ExpectationKind::LineAt { ms: cursor.duration()? }
    } else if let Some(times) = cursor.times()? {
        ExpectationKind::Times(times)
    } else {
        ExpectationKind::Line
    };
    let text = cursor.rest().to_owned();
    match text.is_empty() {
        true => Err("say which text is expected".to_owned()),
        false => Ok(Expectation { line, kind, text }),
    }
}

#[cfg(test)]
mod tests;
