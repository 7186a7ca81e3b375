//! Asks a yes-or-no question at the terminal.

use std::io::BufRead;

use policy::{PlainAnswer, plain_answer};

use crate::exit::Failure;
use crate::render::printer::Printer;

/// Whether the person agrees. Every question takes the same words, and all else is a no.
pub(crate) fn confirmed(question: &str, printer: &mut Printer) -> Result<bool, Failure> {
    printer.message(format!("{question} [y/N]"))?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(plain_answer(&line) == Some(PlainAnswer::Yes))
}
