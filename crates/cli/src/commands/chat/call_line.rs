//! A tool call as one line: tool, arguments, state, result.

use conversation::SettledCall;
use policy::{RuleId, VerdictKind};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::render::printer::{cyan, dim, one_line, red};

/// The line width without a terminal.
pub(super) const WIDTH_ELSEWHERE: usize = 160;
const ARGS_WIDTH_MAX: usize = 48;

/// A running call.
pub(super) fn running(width: usize, tool: &str, args: Option<&Value>) -> String {
    line(width, tool, args, "running", dim, "")
}

/// A finished call.
pub(super) fn settled(width: usize, settled: &SettledCall) -> String {
    let SettledCall { call, edited, rule, content, is_error, duration, .. } = settled;
    let took = duration.map(|ms| format!(" {ms} ms")).unwrap_or_default();
    let (state, style): (String, fn(String) -> String) = match (is_error, settled.verdict_kind()) {
        (false, Some(VerdictKind::Reuse)) => ("reused".to_owned(), plain),
        (false, _) => (format!("done{took}"), plain),
        (true, Some(VerdictKind::Run)) => (format!("failed{took}"), red),
        (true, _) if *rule == RuleId::DECLINED => ("declined".to_owned(), plain),
        (true, _) if *rule == RuleId::EXPIRED => ("expired".to_owned(), plain),
        (true, _) => ("refused".to_owned(), red),
    };
    let state = match edited {
        Some(_) => format!("{state}, arguments changed"),
        None => state,
    };
    let tail = match (is_error, content) {
        (_, Value::Null) => String::new(),
        (true, _) => content.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
        (false, Value::String(text)) => text.clone(),
        (false, other) => other.to_string(),
    };
    line(width, &call.tool, Some(settled.args()), &state, style, &tail)
}

fn plain(text: String) -> String {
    text
}

fn line(
    width: usize,
    tool: &str,
    args: Option<&Value>,
    state: &str,
    style: fn(String) -> String,
    tail: &str,
) -> String {
    let args = match args {
        Some(Value::Object(args)) => {
            let pair = |(name, value): (&String, &Value)| format!("{name}={value}");
            args.iter().map(pair).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    };
    let fixed = tool.width() + state.width() + 6;
    let left = width.saturating_sub(fixed);
    let args = one_line(&args, ARGS_WIDTH_MAX.min(left * 2 / 5));
    let tail = one_line(tail, left.saturating_sub(args.width() + 2));
    let mut line = format!("  {}", cyan(tool));
    for part in [dim(&args), style(state.to_owned())] {
        if !part.is_empty() && part != dim("") {
            line.push(' ');
            line.push_str(&part);
        }
    }
    if !tail.is_empty() {
        line.push_str(&format!("  {}", dim(tail)));
    }
    line
}

#[cfg(test)]
mod tests {
    use contract::{Call, CallId};
    use policy::RuleId;
    use serde_json::{Value, json};

    use super::{SettledCall, settled};

    fn step(content: Value, is_error: bool, verdict: &str) -> SettledCall {
        let args = json!({"city": "Kyiv", "days": 3});
        SettledCall {
            call: Call { id: CallId("1".into()), tool: "weather".into(), args },
            edited: None,
            auto: false,
            verdict: verdict.into(),
            rule: RuleId::DEFAULT,
            content,
            is_error,
            intents: Vec::new(),
            artifacts: Vec::new(),
            duration: Some(12),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_step_is_one_line_that_fits_the_terminal() {
        let check = |width: usize, step: &SettledCall, expected: &str| {
            let line = anstream::adapter::strip_str(&settled(width, step)).to_string();
            assert_eq!(line, expected);
            assert!(line.chars().count() <= width, "{line}");
        };
        let sunny = step(json!("sunny"), false, "run");
        check(80, &sunny, r#"  weather city="Kyiv" days=3 done 12 ms  sunny"#);
        let long = step(json!("word ".repeat(50)), false, "run");
        check(60, &long, r#"  weather city="Kyiv" d… done 12 ms  word word word word …"#);
        let error = json!({"type": "NOT_FOUND", "message": "there is no such city"});
        check(
            80,
            &step(error.clone(), true, "run"),
            r#"  weather city="Kyiv" days=3 failed 12 ms  there is no such city"#,
        );
        check(
            80,
            &step(error, true, "refuse"),
            r#"  weather city="Kyiv" days=3 refused  there is no such city"#,
        );
        check(80, &step(Value::Null, false, "run"), r#"  weather city="Kyiv" days=3 done 12 ms"#);
    }
}
