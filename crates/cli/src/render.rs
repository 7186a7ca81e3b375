//! Terminal output: the printer, and how each kind of report looks.
//!
//! Start at [`printer`]: it alone writes to stdout and stderr.

pub(crate) mod printer;

pub(crate) mod artifacts;
pub(crate) mod faults;
pub(crate) mod left_out;
pub(crate) mod lock_drift;
pub(crate) mod loss_report;
pub(crate) mod markdown;
pub(crate) mod schema_table;
pub(crate) mod wrap;
