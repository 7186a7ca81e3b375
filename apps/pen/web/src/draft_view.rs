//! A draft as the page shows it.

use pen::Lang;
use pen::session::{
    Draft, DraftLine, DraftProfile, Question, Shown, TextCheck, Version, check_text, length_max,
    proposal_shown,
};
use pen::text::diff::{LineChange, line_changes};
use pen::tools::Pen;
use serde_json::{Value, json};

/// One line of the list of drafts.
pub(crate) fn summary(id: &str, line: &DraftLine) -> Value {
    let mut shown = json!(line);
    shown["id"] = id.into();
    shown
}

/// The whole draft: its text, what the last change did, the open question and the findings.
pub(crate) fn whole(id: &str, draft: &Draft, pen: &Pen, lang: Lang) -> Value {
    let mut view = summary(id, &DraftLine::of(draft));
    let text = draft.text();
    view["text"] = text.into();
    view["version"] = draft.current.saturating_add(1).min(draft.versions.len()).into();
    view["origin"] = json!(draft.versions.get(draft.current).map(|version| version.origin));
    view["changes"] = json!(last_change(draft));
    view["question"] = draft.question.as_ref().map_or(Value::Null, |one| question(one, lang));
    view["notes"] = draft.notes.is_some().into();
    if let Some(checked) = checked(draft, pen, lang) {
        view["check"] = checked;
    }
    view
}

/// What the version that counts changed in the one before it.
fn last_change(draft: &Draft) -> Vec<LineChange> {
    let before = draft.current.checked_sub(1).and_then(|index| draft.versions.get(index));
    let text = |version: &Version| version.text.clone();
    before.map(|before| line_changes(&text(before), draft.text())).unwrap_or_default()
}

/// The open question, with everything that is needed to answer it.
fn question(question: &Question, lang: Lang) -> Value {
    match question {
        Question::Hook { hooks } => {
            json!({ "ask": "hook", "text": lang.say("session.which_hook"), "hooks": hooks })
        }
        Question::Notion => json!({ "ask": "notion", "text": lang.say("session.to_notion_too") }),
        Question::Proposal(change) => {
            proposal("proposal", "session.update_profile", &proposal_shown(change, lang), lang)
        }
        Question::Value(change) => {
            proposal("value", "session.write_value", &proposal_shown(change, lang), lang)
        }
    }
}

fn proposal(ask: &str, key: &str, shown: &Shown, lang: Lang) -> Value {
    let mut told = json!(shown);
    told["ask"] = ask.into();
    told["text"] = lang.say(key).into();
    told
}

/// The findings of the text that counts; none if its profile cannot be read.
fn checked(draft: &Draft, pen: &Pen, lang: Lang) -> Option<Value> {
    let started = draft.started.as_ref()?;
    let read = DraftProfile::read(&started.profile, pen, lang).ok()?;
    let (platform, given) = (started.platform, Some(draft.sources.as_slice()));
    let check = TextCheck { pen, profile: &read, platform, given, own: &draft.files, lang };
    Some(report(draft.text(), &check))
}

/// The length of a text and its findings; an empty text has none.
pub(crate) fn report(text: &str, check: &TextCheck<'_>) -> Value {
    let TextCheck { profile, platform, .. } = check;
    let most = length_max(&profile.profile, *platform);
    let length = platform.count(text);
    let report = match text.trim().is_empty() {
        true => pen::lint::Report::default(),
        false => check_text(text, check),
    };
    json!({
        "platform": platform,
        "length": length,
        "lengthMax": most,
        "violations": report.violations,
        "unchecked": report.unchecked,
    })
}
