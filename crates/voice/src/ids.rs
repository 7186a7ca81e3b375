//! The names of things in one session. All but the provider's own count from 1.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! counted {
    ($($(#[$doc:meta])* $name:ident, $letter:literal;)+) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            #[must_use]
            pub fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $letter, self.0)
            }
        })+
    };
}

counted! {
    /// One thing that is played to the person: an answer of the model, or a sentence of ours.
    UtteranceId, 'u';
    /// One stretch of a person's speech, from its first sound to silence.
    SpeechId, 's';
    /// A turn: what a person said, and everything that answers it.
    TurnNumber, 't';
}

/// The provider's name for one answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnswerId(pub String);

impl fmt::Display for AnswerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
