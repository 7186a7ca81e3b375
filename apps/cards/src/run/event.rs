//! The events of a run, as stored in its log. Variants are added; none changes its meaning.

use serde::{Deserialize, Serialize};

use crate::model::error_code::ErrorCode;
use crate::model::sentence_result::SentenceResult;

/// One record of a run's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    Submitted {
        at: u64,
        model: String,
    },
    Started {
        at: u64,
    },
    /// A request for these sentences is about to be sent. After a crash it may have been sent;
    /// sending it again changes nothing but the cost.
    Sent {
        at: u64,
        work: u64,
        sentences: Vec<usize>,
    },
    /// Its outcome, in one record: complete or absent.
    Settled {
        at: u64,
        work: u64,
        #[serde(default)]
        results: Vec<SentenceResult>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holes: Vec<Hole>,
        /// Sentences that are sent again, in smaller groups.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        again: Vec<usize>,
        spent: Spent,
        /// The result of each request: `cut off`, `fits`.
        #[serde(default)]
        attempts: Vec<String>,
        /// The output limit that was too low for the sentences without a result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut_at: Option<u32>,
        /// Cards for sentences that were not asked about; they are left out.
        #[serde(default, skip_serializing_if = "is_zero")]
        strays: usize,
    },
    /// A person limited the cost of the whole run, in 10⁻¹² dollars.
    CostLimited {
        at: u64,
        picodollars: u64,
    },
    /// Sentences that a model had answered before, in this text or in another.
    Reused {
        at: u64,
        results: Vec<SentenceResult>,
    },
    /// Meanings in these sentences are doubtful, so the model is asked once more; until it has
    /// answered, the first answer stays.
    Rechecked {
        at: u64,
        sentences: Vec<usize>,
    },
    /// What was not asked again keeps its first answer.
    RecheckEnded {
        at: u64,
    },
    /// A person asked for these again.
    Retried {
        at: u64,
        sentences: Vec<usize>,
    },
    Skipped {
        at: u64,
        sentences: Vec<usize>,
    },
    /// A batch is about to be sent. Without a `batch_sent` after it, its outcome is unknown and
    /// nothing is sent.
    BatchIntended {
        at: u64,
        number: u64,
        chunks: Vec<Vec<usize>>,
    },
    BatchSent {
        at: u64,
        number: u64,
        id: String,
    },
    /// The provider did not accept it, or a person decided so.
    BatchForgotten {
        at: u64,
        number: u64,
    },
    /// Its results are in earlier records.
    BatchRead {
        at: u64,
        number: u64,
    },
    Completed {
        at: u64,
    },
    Aborted {
        at: u64,
        code: ErrorCode,
        message: String,
    },
    Resumed {
        at: u64,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A sentence without cards, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hole {
    pub index: usize,
    pub code: ErrorCode,
    pub message: String,
    /// Complete cards, though perhaps not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<SentenceResult>,
}

/// What requests cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    /// In 10⁻¹² dollars; none where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picodollars: Option<u64>,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.picodollars = match (self.picodollars, other.picodollars) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
    }
}
