//! Feedback on a draft: its kind, and what follows from it.

mod category;
mod edit;
mod parse;
mod proposal;
mod tracker;

pub use category::Category;
pub(crate) use edit::quoted as quoted_in;
pub use edit::{Applied, Edit, Part};
pub use parse::{Feedback, is_no, is_yes, parse_feedback};
pub use proposal::{Proposal, propose};
pub use tracker::{Tracked, Tracker, TrackerFault};

#[cfg(test)]
mod tests;
