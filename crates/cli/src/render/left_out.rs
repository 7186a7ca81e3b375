//! Reports the tools that are left out because of faults: one line each.

use std::io::Write;

use registry::{ExcludedTool, Registry};

use crate::exit::Failure;
use crate::render::faults;
use crate::render::printer::{Printer, count};

/// How many are named by commands that do something else.
const SHOWN_MAX: usize = 5;

/// One line per tool that is left out.
pub(crate) fn lines(left_out: &[ExcludedTool]) -> Vec<String> {
    let named = left_out.iter().take(SHOWN_MAX).map(line);
    let mut lines: Vec<_> = named.collect();
    let rest = left_out.len().saturating_sub(SHOWN_MAX);
    if rest > 0 {
        lines.push(format!("and {} left out", count(rest, "more tool")));
    }
    if rest > 0 || left_out.iter().any(|one| one.more() > 0) {
        lines.push("`ghosthand check` shows the rest".to_owned());
    }
    lines
}

/// `left out: note_add: tools/note-add/schema.json:5:15: what; fix (2 more faults)`
pub(crate) fn line(one: &ExcludedTool) -> String {
    let more = match one.more() {
        0 => String::new(),
        more => format!(" ({})", count(more, "more fault")),
    };
    format!("left out: {}: {}{more}", one.name, one.reason())
}

/// Prints them to standard error.
pub(crate) fn print(left_out: &[ExcludedTool]) {
    for line in lines(left_out) {
        // A closed terminal does not stop the other tools.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// Fails if the named tool is left out, and prints its faults.
pub(crate) fn refuse(
    registry: &Registry,
    name: &str,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let Some(one) = registry.left_out_as(name) else { return Ok(()) };
    for fault in &one.faults {
        printer.message_as_is(faults::human(fault) + "\n")?;
    }
    let number = count(one.faults.len(), "fault");
    let what = format!("`{}` is left out: {number} in `{}`", one.name, one.path);
    Err(Failure::message(what, "correct the faults above; the other tools run"))
}
