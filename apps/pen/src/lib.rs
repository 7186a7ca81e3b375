//! Ghostpen: a writing agent that learns a voice, measures it and can prove it.
//!
//! In: posts, a style profile, what a person says about a draft. Out: profiles, findings,
//! counted lengths, saved posts, and the handlers of nine tools. Must hold: a profile is
//! written whole or not at all and keeps every byte that nobody changed; whatever cannot be
//! checked is never counted as passed.
//!
//! Everything here works without a model. Start at [`Shelf`] for files, [`lint::lint`] for
//! findings, [`tools::add_to`] for the tools.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod clock;
mod emoji;
mod language;
mod shelf;
mod slug;
mod stem;

pub mod analysis;
pub mod count;
pub mod far;
pub mod feedback;
pub mod habits;
pub mod intake;
pub mod learn;
pub mod lint;
pub mod mix;
pub mod notion;
pub mod posts;
pub mod profile;
pub mod prompt;
pub mod request;
pub mod search;
pub mod session;
pub mod text;
pub mod tools;

pub use clock::{Now, today};
pub use count::{Platform, UnknownPlatform};
pub use language::{Lang, spoken};
pub use profile::{Profile, ProfileFault, ProfileName};
pub use shelf::{Listed, Shelf, ShelfFault};
pub use slug::{slug, transliterate};
pub use stem::stem;
