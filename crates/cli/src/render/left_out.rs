//! Says which tools are left out and why: a line each, and `ghosthand check` for the rest.

use std::io::Write;

use registry::{LeftOut, Registry};

use crate::exit::Failure;
use crate::render::faults;
use crate::render::printer::{Printer, count};

/// How many a command names that was asked for something else.
const SAID_MAX: usize = 5;

/// The lines that tell a person what is left out; none if nothing is.
pub(crate) fn lines(left_out: &[LeftOut]) -> Vec<String> {
    let named = left_out.iter().take(SAID_MAX).map(line);
    let mut lines: Vec<_> = named.collect();
    let rest = left_out.len().saturating_sub(SAID_MAX);
    if rest > 0 {
        lines.push(format!("and {} left out", count(rest, "more tool")));
    }
    if rest > 0 || left_out.iter().any(|one| one.more() > 0) {
        lines.push("`ghosthand check` shows the rest".to_owned());
    }
    lines
}

/// `left out: note_add: tools/note-add/schema.json:5:15: what; fix (2 more faults)`
pub(crate) fn line(one: &LeftOut) -> String {
    let more = match one.more() {
        0 => String::new(),
        more => format!(" ({})", count(more, "more fault")),
    };
    format!("left out: {}: {}{more}", one.name, one.reason())
}

/// Says them on standard error, beside whatever the command does.
pub(crate) fn say(left_out: &[LeftOut]) {
    for line in lines(left_out) {
        // A terminal that is gone does not keep the other tools from running.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// If the tool that a person names is left out: shows its faults, and gives the failure.
pub(crate) fn refuse(
    registry: &Registry,
    name: &str,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let Some(one) = registry.left_out_as(name) else { return Ok(()) };
    for fault in &one.faults {
        printer.say_as_it_is(faults::human(fault) + "\n")?;
    }
    let number = count(one.faults.len(), "fault");
    let what = format!("`{}` is left out: {number} in `{}`", one.name, one.path);
    Err(Failure::message(what, "correct what is shown above; the other tools run"))
}
