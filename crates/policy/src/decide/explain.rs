//! Explains a judgement stage by stage, as `ghosthand why TOOL` prints it.

use crate::decide::stage::StageMark;
use crate::{Judgement, Question, Reason, RuleId, Stage, Trace, Verdict};

/// Whether there were arguments to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentsGiven {
    Arguments,
    /// The question is about the tool, not a call.
    NoArguments,
}

/// One line for the verdict, one for each stage, one for the model's message.
pub fn explain(judgement: &Judgement, given: ArgumentsGiven) -> Vec<String> {
    let Judgement { tool, verdict, reason, trace, uses: _, always_asks } = judgement;
    if given == ArgumentsGiven::NoArguments && reason.rule == RuleId::ARGUMENTS {
        return without_arguments(tool, trace, always_asks);
    }
    let mut lines = vec![format!("{tool}: {}", headline(verdict))];
    lines.push(format!("because {}", reason.people));
    lines.push(format!("by rule {}", reason.rule));
    let width = Stage::ALL.iter().map(|stage| stage.as_str().len()).max().unwrap_or_default();
    for step in trace.steps() {
        let text = match &step.mark {
            StageMark::Passed { note } => format!("passed   {note}"),
            StageMark::Decided { rule } => format!("decided  {} by {rule}", verdict.kind()),
            StageMark::NotReached => "not reached".to_owned(),
        };
        lines.push(format!("  {:width$}  {text}", step.stage.as_str()));
    }
    if let Verdict::Ask { why, .. } = verdict {
        let others = why.iter().filter(|other| other.rule != reason.rule);
        lines.extend(others.map(|also| format!("also asked by {}: {}", also.rule, also.people)));
    }
    if !matches!(verdict, Verdict::Run(_)) {
        lines.push(format!("the model is told: {}", reason.model));
    }
    lines
}

/// A tool that needs arguments, without any: nothing is refused, and only stages that do not
/// depend on them are explained.
fn without_arguments(tool: &str, trace: &Trace, always_asks: &[Reason]) -> Vec<String> {
    let rest = "the rest depends on its arguments, and none were given";
    let mut lines = match always_asks.first() {
        Some(first) => vec![
            format!("{tool}: a person is asked first"),
            format!("because {}; {rest}", first.people),
            format!("by rule {}", first.rule),
        ],
        None => {
            vec![format!("{tool}: it may be called"), format!("because nothing forbids it; {rest}")]
        }
    };
    let width = Stage::ALL.iter().map(|stage| stage.as_str().len()).max().unwrap_or_default();
    for step in trace.steps() {
        let text = match &step.mark {
            StageMark::Passed { note } => format!("passed   {note}"),
            StageMark::Decided { .. } => "not given".to_owned(),
            StageMark::NotReached => match (step.stage, always_asks.first()) {
                (Stage::Approval, Some(first)) => format!("asks     by {}", first.rule),
                _ => "depends on the arguments".to_owned(),
            },
        };
        lines.push(format!("  {:width$}  {text}", step.stage.as_str()));
    }
    let others = always_asks.iter().skip(1);
    lines.extend(others.map(|also| format!("also asked by {}: {}", also.rule, also.people)));
    lines
}

fn headline(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Run(_) => "it runs",
        Verdict::Ask { question: Question::MayItRun(_), .. } => "a person is asked first",
        Verdict::Ask { question: Question::WhatHappened(_), .. } => {
            "a person is asked what became of it"
        }
        Verdict::Refuse { .. } => "it is refused",
        Verdict::Reuse(_) => "it is answered without running",
    }
}

#[cfg(test)]
mod tests;
