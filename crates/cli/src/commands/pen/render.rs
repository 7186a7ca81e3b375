//! Renders profiles and lint findings.

use pen::lint::{Finding, Level, Report};
use pen::session::length_max;
use pen::text::diff::LineChange;
use pen::{Lang, Platform, Profile};

use crate::render::printer::{Printer, bold, cyan, dim, red};

/// Prints a profile.
pub(super) fn show(profile: &Profile, lang: Lang, printer: &mut Printer) -> std::io::Result<()> {
    let language = format!("{}: {}", lang.say("show.language"), profile.language());
    printer.data(format!("{} v{}  {}", bold(profile.name()), profile.version(), dim(language)))?;
    let fields = [
        ("tone", "show.tone"),
        ("formality", "show.formality"),
        ("personality", "show.personality"),
        ("sentence_style", "show.sentences"),
        ("paragraph_style", "show.paragraphs"),
        ("emoji_usage", "show.emoji"),
    ];
    for (field, title) in fields {
        if !profile.voice(field).is_empty() {
            printer.data(format!("  {}: {}", cyan(lang.say(title)), profile.voice(field)))?;
        }
    }
    let lists = [
        ("hooks", "show.hooks"),
        ("closings", "show.closings"),
        ("signature_phrases", "show.phrases"),
        ("avoid", "show.avoids"),
    ];
    for (field, title) in lists {
        if !profile.voices(field).is_empty() {
            printer.data(format!("  {}:", cyan(lang.say(title))))?;
            for item in profile.voices(field) {
                printer.data(format!("    - {item}"))?;
            }
        }
    }
    for platform in profile.platforms() {
        if let Some(rules) = profile.platform(platform) {
            let max = rules.max_length.unwrap_or(platform.limit());
            printer.data(format!("  {}: ≤ {max}, {}", cyan(platform), rules.structure))?;
        }
    }
    let examples = profile.examples().len();
    printer.data(format!("  {}: {examples}", cyan(lang.say("show.examples"))))
}

/// Prints findings, worst first and without duplicates, then what was not checked.
pub(super) fn findings(report: &Report, lang: Lang, printer: &mut Printer) -> std::io::Result<()> {
    violations(&report.violations, lang, printer)?;
    if !report.unchecked.is_empty() {
        let title = lang.say("lint.unchecked");
        printer.message(dim(format!("  {title}: {}", report.unchecked.join("; "))))?;
    }
    Ok(())
}

/// Prints findings, each once.
pub(super) fn violations(
    findings: &[Finding],
    lang: Lang,
    printer: &mut Printer,
) -> std::io::Result<()> {
    for (finding, times) in counted(findings) {
        let level = match finding.level {
            Level::Error => red(lang.say("lint.error")),
            Level::Warn => cyan(lang.say("lint.warning")),
        };
        let Finding { rule, text, fix_hint, .. } = finding;
        let times = if times > 1 { format!(" (×{times})") } else { String::new() };
        printer.message(format!("  {level} [{rule}] {text}{times} — {}", dim(fix_hint)))?;
    }
    Ok(())
}

/// Prints lines that went and lines that came.
pub(super) fn changes(changes: &[LineChange], printer: &mut Printer) -> std::io::Result<()> {
    for change in changes {
        match change {
            LineChange::Removed(line) => printer.message(dim(format!("  - {line}")))?,
            LineChange::Added(line) => printer.message(format!("  {} {line}", cyan("+")))?,
        }
    }
    Ok(())
}

/// Groups identical findings, in the order of the first.
fn counted(findings: &[Finding]) -> Vec<(&Finding, usize)> {
    let mut counted: Vec<(&Finding, usize)> = Vec::new();
    let reads_same = |one: &Finding, other: &Finding| {
        (one.rule, &one.text, &one.fix_hint) == (other.rule, &other.text, &other.fix_hint)
    };
    for finding in findings {
        match counted.iter_mut().find(|(known, _)| reads_same(known, finding)) {
            Some((_, times)) => *times += 1,
            None => counted.push((finding, 1)),
        }
    }
    counted
}

/// The length of a text and its limit: `312/1500`.
pub(super) fn length(profile: &Profile, platform: Platform, text: &str) -> String {
    let max = length_max(profile, platform);
    format!("{platform} {}/{max}", platform.count(text))
}
