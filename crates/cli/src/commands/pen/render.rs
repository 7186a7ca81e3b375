//! Renders profiles and lint findings.

use pen::lint::{Finding, Level, Report};
use pen::{Lang, Platform, Profile};

use crate::render::printer::{Printer, bold, cyan, dim, red};

/// Prints a profile.
pub(super) fn show(profile: &Profile, lang: Lang, printer: &mut Printer) -> std::io::Result<()> {
    let language = format!("{}: {}", lang.pick("мова", "language"), profile.language());
    printer.data(format!("{} v{}  {}", bold(profile.name()), profile.version(), dim(language)))?;
    let fields = [
        ("tone", "тон", "tone"),
        ("formality", "формальність", "formality"),
        ("personality", "особистість", "personality"),
        ("sentence_style", "речення", "sentences"),
        ("paragraph_style", "абзаци", "paragraphs"),
        ("emoji_usage", "emoji", "emoji"),
    ];
    for (field, uk, en) in fields {
        if !profile.voice(field).is_empty() {
            printer.data(format!("  {}: {}", cyan(lang.pick(uk, en)), profile.voice(field)))?;
        }
    }
    let lists = [
        ("hooks", "hooks", "hooks"),
        ("closings", "кінцівки", "closings"),
        ("signature_phrases", "фрази", "phrases"),
        ("avoid", "уникає", "avoids"),
    ];
    for (field, uk, en) in lists {
        if !profile.voices(field).is_empty() {
            printer.data(format!("  {}:", cyan(lang.pick(uk, en))))?;
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
    printer.data(format!("  {}: {examples}", cyan(lang.pick("приклади", "examples"))))
}

/// Prints findings, worst first and without duplicates, then what was not checked.
pub(super) fn findings(report: &Report, lang: Lang, printer: &mut Printer) -> std::io::Result<()> {
    for (finding, times) in counted(&report.violations) {
        let level = match finding.level {
            Level::Error => red(lang.pick("помилка", "error")),
            Level::Warn => cyan(lang.pick("увага", "warning")),
        };
        let Finding { rule, text, fix_hint, .. } = finding;
        let times = if times > 1 { format!(" (×{times})") } else { String::new() };
        printer.message(format!("  {level} [{rule}] {text}{times} — {}", dim(fix_hint)))?;
    }
    if !report.unchecked.is_empty() {
        let title = lang.pick("не перевірено без моделі", "cannot be checked offline");
        printer.message(dim(format!("  {title}: {}", report.unchecked.join("; "))))?;
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
    let own = profile.platform(platform).and_then(|rules| rules.max_length);
    let max = own.unwrap_or(usize::MAX).min(platform.limit());
    format!("{platform} {}/{max}", platform.count(text))
}
