//! What can go wrong with cards, sorted by who must act next.

use store::{BadName, StoreFault};

use crate::run::run_info::RunId;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum CardsFault {
    /// The person: another name.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    #[error("there is no run yet")]
    NoRuns,
    #[error("there is no card `{0}` in this run")]
    NoCard(String),
    #[error("there is no sentence {0} in this run")]
    NoSentence(usize),
    #[error("{0}")]
    Input(String),
    /// The person: another file.
    #[error("{0}")]
    Import(String),
    /// The person: wait, or end the other program.
    #[error("another program works on this run (process {process})")]
    Held { process: u32 },
    #[error("the lease on this run was lost; another program has taken it over")]
    LeaseLost,
    /// The person: a newer program.
    #[error("this run was written by a newer program")]
    Newer,
    /// The person: start Anki, or look at it.
    #[error("Anki: {0}")]
    Anki(String),
    /// The operator.
    #[error("the stored data cannot be used: {0}")]
    Damaged(String),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl From<BadName> for CardsFault {
    fn from(bad: BadName) -> Self {
        CardsFault::Damaged(bad.to_string())
    }
}

impl From<serde_json::Error> for CardsFault {
    fn from(error: serde_json::Error) -> Self {
        CardsFault::Damaged(error.to_string())
    }
}

impl CardsFault {
    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        match self {
            CardsFault::NoRun(_) => "`ghosthand cards status` lists the runs",
            CardsFault::NoRuns => "make one with `ghosthand cards make FILE`",
            CardsFault::NoCard(_) => "`ghosthand cards show` lists the cards with their keys",
            CardsFault::NoSentence(_) => "`ghosthand cards show --sentences` lists them",
            CardsFault::Input(_) => "correct what it names",
            CardsFault::Import(_) => {
                "give what `ghosthand cards export --json` wrote, or answers of a model as JSON"
            }
            CardsFault::Held { .. } => "wait for it, or end it; its lease expires in 15 seconds",
            CardsFault::LeaseLost => "nothing is lost; check with `ghosthand cards status`",
            CardsFault::Newer => "use that program; the run was left as it is",
            CardsFault::Anki(_) => {
                "start Anki with the add-on AnkiConnect, or export a package with `--anki`"
            }
            CardsFault::Damaged(_) | CardsFault::Store(_) => {
                "`ghosthand store check` looks at the store"
            }
            CardsFault::Io(_) => "check that this user may write there",
        }
    }
}
