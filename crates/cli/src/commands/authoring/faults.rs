//! `ghosthand faults`: explains a fault code, with a bad and a good example.

use clap::Args;
use registry::{Code, Severity};
use serde::Serialize;

use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, cyan};

/// Explain a fault code, or list them all
#[derive(Args)]
pub(crate) struct FaultsArgs {
    /// The fault code, as in T021
    code: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Page {
    code: &'static str,
    severity: Severity,
    title: &'static str,
    page: &'static str,
}

impl Page {
    fn of(code: Code) -> Self {
        let (severity, title, page) = (code.severity(), code.title(), code.page());
        Self { code: code.as_str(), severity, title, page }
    }
}

/// The faults of rule files; their pages are at the end of `docs/guide/rules.md`.
const RULES: &str = include_str!("../../../../../docs/guide/rules.md");

fn rule_pages() -> Vec<Page> {
    let pages = RULES.split("\n### ").skip(1);
    let read = |page: &'static str| {
        let (code, title) = page.lines().next()?.split_once(' ')?;
        Some(Page { code, severity: Severity::Error, title, page: page.trim_end() })
    };
    pages.filter_map(read).collect()
}

fn rule_page(wanted: &str) -> Option<Page> {
    rule_pages().into_iter().find(|page| page.code.eq_ignore_ascii_case(wanted))
}

impl FaultsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let Some(wanted) = self.code else {
            match self.json {
                true => {
                    let pages = Code::ALL.iter().copied().map(Page::of).chain(rule_pages());
                    printer.json(&pages.collect::<Vec<_>>())?
                }
                false => list(printer)?,
            }
            return Ok(ExitStatus::Success);
        };
        if let Some(page) = rule_page(&wanted) {
            match self.json {
                true => printer.json(&page)?,
                false => explain(&format!("# {}", page.page), printer)?,
            }
            return Ok(ExitStatus::Success);
        }
        let code = wanted.parse::<Code>().map_err(|unknown| {
            let rules = rule_pages();
            let codes = Code::ALL.iter().map(|code| code.as_str());
            let mut codes = codes.chain(rules.iter().map(|page| page.code));
            // Every code is one digit from others that are about something else.
            let near = codes.find(|code| letter_and_number(code) == letter_and_number(&wanted));
            let fix = near.map_or_else(
                || "`ghosthand faults` lists them all".to_owned(),
                |near| format!("did you mean `{near}`? `ghosthand faults` lists them all"),
            );
            Failure::user(unknown, fix)
        })?;
        match self.json {
            true => printer.json(&Page::of(code))?,
            false => explain(code.page(), printer)?,
        }
        Ok(ExitStatus::Success)
    }
}

/// `T012`, `t12` and `T-12` are the same code.
fn letter_and_number(code: &str) -> Option<(char, u32)> {
    let mut rest = code.trim().chars();
    let letter = rest.next()?.to_ascii_uppercase();
    Some((letter, rest.as_str().trim_start_matches(['-', '_', ' ']).parse().ok()?))
}

fn list(printer: &mut Printer) -> std::io::Result<()> {
    for code in Code::ALL {
        let severity = match code.severity() {
            Severity::Error => "error  ",
            Severity::Warning => "warning",
        };
        printer.data(format!("{}  {severity}  {}", cyan(code), code.title()))?;
    }
    for Page { code, title, .. } in rule_pages() {
        printer.data(format!("{}  error    {title}", cyan(code)))?;
    }
    printer.message("`ghosthand faults CODE` explains one, with examples")
}

/// The page for a terminal: headings in bold, fences as indented files.
fn explain(page: &str, printer: &mut Printer) -> std::io::Result<()> {
    let mut fence: Option<usize> = None;
    for line in page.lines() {
        let marks = line.chars().take_while(|c| *c == '`').count();
        match fence {
            Some(length) if marks >= length && line.len() == marks => fence = None,
            Some(_) => printer.data(format!("    {line}"))?,
            None if marks >= 3 => {
                fence = Some(marks);
                let name = match line[marks..].split_once(' ') {
                    Some(("text", "report")) => "output of `ghosthand check`".to_owned(),
                    Some(("toml", "bad")) => "a faulty rule".to_owned(),
                    None if &line[marks..] == "toml" => "the corrected rule".to_owned(),
                    Some(("absent", path)) => format!("{path} (absent)"),
                    Some(("hex", path)) => format!("{path} (bytes)"),
                    Some(("repeat", path)) => format!("{path} (repeated text)"),
                    Some((_, path)) => path.to_owned(),
                    None => String::new(),
                };
                printer.data(format!("  {}", cyan(name)))?;
            }
            None if line.starts_with('#') => {
                printer.data(bold(line.trim_start_matches(['#', ' '])))?
            }
            None => printer.data(line)?,
        }
    }
    Ok(())
}
