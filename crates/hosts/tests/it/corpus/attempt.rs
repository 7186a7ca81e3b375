//! One attempt of the corpus.

/// What is attempted, and by which kinds of children.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub areas: Vec<String>,
    pub name: String,
    pub code: String,
}

impl Attempt {
    /// All attempts of the file.
    pub(super) fn all() -> Vec<Self> {
        let text = include_str!("attempts.txt");
        let attempts: Vec<_> = text.split("\n## ").skip(1).map(Self::parse).collect();
        assert!(attempts.len() > 100, "the corpus is not read");
        attempts
    }

    fn parse(text: &str) -> Self {
        let (head, code) = text.split_once('\n').expect("an attempt has code");
        let (areas, name) = head.split_once(" | ").expect("`AREAS | NAME`");
        let areas = areas.split(' ').map(str::to_owned).collect();
        Self { areas, name: name.to_owned(), code: code.trim_end().to_owned() }
    }

    pub(super) fn is_for(&self, area: &str) -> bool {
        self.areas.iter().any(|one| one == area)
    }

    /// Its area; attempts that must succeed are counted separately.
    pub(super) fn counts_as<'a>(&self, area: &'a str) -> &'a str {
        if self.is_for("control") { "control" } else { area }
    }
}
