//! Feedback on a draft: its kind, and what follows from it.

mod answer;
mod category;
mod edit;
mod parse;
mod proposal;
mod quotes;
mod style_rules;
mod tracker;

pub use answer::{Answer, parse_answer};
pub use category::Category;
pub use edit::{Applied, Change, Edit, Part, word_forms};
pub use parse::{Feedback, parse_feedback};
pub use proposal::{Proposal, propose};
pub(crate) use quotes::quoted as quoted_in;
pub use tracker::{Tracked, Tracker, TrackerFault};

#[cfg(test)]
mod tests;
