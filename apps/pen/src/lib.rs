//! Ghostpen: a writing agent that learns and measures a voice.
//!
//! In: posts, a style profile, feedback on a draft. Out: profiles, findings, lengths, saved
//! posts, and the handlers of nine tools. Must hold: a profile is written atomically and keeps
//! every byte outside a change; a rule that cannot be checked never counts as passed.
//!
//! Everything here works without a model. Start at [`Workspace`] for files, [`lint::lint`] for
//! findings, [`tools::add_to`] for the tools.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod clock;
mod workspace;

pub mod text;

pub mod intent;
mod strings;

pub mod posts;
pub mod style;

pub mod feedback;
pub mod lint;
pub mod session;

pub mod remote;
pub mod tools;

pub use clock::{Now, today};
pub use posts::length::{Platform, UnknownPlatform};
pub use posts::{length, read_posts};
pub use remote::{notion, search};
pub use session::{prompt, request};
pub use style::profile::{Profile, ProfileFault, ProfileName};
pub use style::{analysis, learn, mix, profile, stylometry};
pub use text::language::{Lang, spoken};
pub use text::slug::{slug, transliterate};
pub use text::stem::stem;
pub use workspace::{PastProfile, ProfileSummary, STATES_MAX, Workspace, WorkspaceFault};
