//! The contents of Gemini: roles, parts, calls with their answers and signatures.

use serde_json::Value;

use super::super::{Ask, Lines, fields};

/// The kind of a part; exactly one of these.
const KINDS: &[&str] = &[
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

/// Other allowed fields.
const BESIDE: &[&str] =
    &["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];

/// The signature that the provider accepts for a call of another model.
const SKIP: &str = "skip_thought_signature_validator";

pub(super) fn check(ask: &Ask<'_>, lines: &mut Lines, contents: &Value) {
    let contents = fields::list(lines, "contents", contents);
    for (index, content) in contents.iter().enumerate() {
        let place = format!("contents[{index}]");
        fields::known(lines, &place, content, &["role", "parts"]);
        if !matches!(content["role"].as_str(), Some("user" | "model")) {
            lines.say(&format!("{place}.role"), "please use a valid role: user, model");
        }
        let at = format!("{place}.parts");
        for (index, part) in fields::list(lines, &at, &content["parts"]).iter().enumerate() {
            check_part(ask, lines, &format!("{at}[{index}]"), part);
        }
        check_signature(ask, lines, &place, content);
        check_turn(lines, &place, content, index.checked_sub(1).and_then(|at| contents.get(at)));
        if count(content, "functionCall") > 0 {
            check_answers(lines, &place, content, contents.get(index + 1));
        }
    }
}

fn parts(content: &Value) -> impl Iterator<Item = &Value> {
    content["parts"].as_array().into_iter().flatten()
}

fn count(content: &Value, kind: &str) -> usize {
    parts(content).filter(|part| part.get(kind).is_some()).count()
}

fn check_part(ask: &Ask<'_>, lines: &mut Lines, place: &str, part: &Value) {
    let known: Vec<_> = KINDS.iter().chain(BESIDE).copied().collect();
    fields::known(lines, place, part, &known);
    let kinds = KINDS.iter().filter(|kind| part.get(**kind).is_some()).count();
    if kinds != 1 {
        lines.say(&format!("{place}.data"), "exactly one kind of data must be set");
    }
    if let Some(call) = part.get("functionCall") {
        fields::known(lines, place, call, &["id", "name", "args"]);
        fields::text(lines, place, call, "name");
        if call.get("args").is_some_and(|args| !args.is_object()) {
            lines.say(&format!("{place}.functionCall.args"), "must be an object");
        }
    }
    if let Some(response) = part.get("functionResponse") {
        let known = ["id", "name", "response", "parts", "willContinue", "scheduling"];
        fields::known(lines, place, response, &known);
        fields::text(lines, place, response, "name");
        if !response["response"].is_object() {
            lines.say(&format!("{place}.functionResponse.response"), "must be an object");
        }
    }
    if let Some(seal) = part.get("thoughtSignature") {
        let known =
            seal.as_str().is_some_and(|seal| seal == SKIP || ask.state.signatures.knows(seal));
        if !known && !ask.is_compatible() {
            lines.say(&format!("{place}.thoughtSignature"), "thought signature is not valid");
        }
    }
}

/// The first call of a model's turn has its own signature.
fn check_signature(ask: &Ask<'_>, lines: &mut Lines, place: &str, content: &Value) {
    let first = parts(content).find(|part| part.get("functionCall").is_some());
    let Some(first) = first.filter(|_| ask.family().signed_calls) else { return };
    if !first["thoughtSignature"].is_string() {
        let what = format!(
            "function call {} is missing a thought_signature",
            first["functionCall"]["name"]
        );
        lines.say(place, &what);
    }
}

/// A call comes after the user's turn; an answer after a call.
fn check_turn(lines: &mut Lines, place: &str, content: &Value, before: Option<&Value>) {
    let (model, user) = (content["role"] == "model", content["role"] == "user");
    if count(content, "functionCall") > 0 {
        if !model {
            lines.say(place, "a function call must be the model's");
        }
        if before.is_none_or(|before| before["role"] != "user") {
            let what = "a function call turn must come immediately after a user turn or after a \
                        function response turn";
            lines.say(place, what);
        }
    }
    if count(content, "functionResponse") > 0 {
        if !user {
            lines.say(place, "a function response must be the user's");
        }
        if before.is_none_or(|before| count(before, "functionCall") == 0) {
            let what = "a function response turn must come immediately after a function call turn";
            lines.say(place, what);
        }
    }
}

fn check_answers(lines: &mut Lines, place: &str, content: &Value, after: Option<&Value>) {
    let named = |content: &Value, kind: &str| -> Vec<(Value, Value)> {
        let all = parts(content).filter_map(|part| part.get(kind));
        all.map(|item| (item["id"].clone(), item["name"].clone())).collect()
    };
    let calls = named(content, "functionCall");
    let mut answers = after.map(|after| named(after, "functionResponse")).unwrap_or_default();
    if calls.len() != answers.len() {
        let what = "the number of function response parts must equal the number of function call \
                    parts of the function call turn";
        lines.say(place, what);
        return;
    }
    for call in calls {
        match answers.iter().position(|answer| *answer == call) {
            Some(at) => drop(answers.remove(at)),
            None => {
                let what = format!("call {} of {} has no answer with its id", call.0, call.1);
                lines.say(place, &what);
            }
        }
    }
}
