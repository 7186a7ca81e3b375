//! What is wrong with the modules of a page, for the person who builds the program.

use std::fmt;
use std::path::Path;

/// One fault; it names the place, the problem and the fix.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    pub file: String,
    /// From 1; 0 for the whole file.
    pub line: usize,
    pub message: String,
}

/// All faults of one build, sorted by place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn new(mut faults: Vec<Fault>) -> Self {
        faults.sort();
        faults.dedup();
        Self(faults)
    }

    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self(vec![Fault::new(&path.display().to_string(), 0, error.to_string())])
    }

    pub fn list(&self) -> &[Fault] {
        &self.0
    }
}

impl Fault {
    pub(crate) fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }

    pub(crate) fn syntax(file: &str, line: usize) -> Self {
        Self::new(file, line, "this is not JavaScript; a bracket or a quote may be missing")
    }

    pub(crate) fn unresolved(file: &str, line: usize, from: &str) -> Self {
        Self::new(
            file,
            line,
            format!("there is no module `{from}`; paths start with `./` or `../`"),
        )
    }

    pub(crate) fn not_shared(file: &str, line: usize, from: &str, entry: &str) -> Self {
        let message = format!("`{from}` is not shared between pages; import it in `{entry}` first");
        Self::new(file, line, message)
    }

    pub(crate) fn no_export(file: &str, line: usize, name: &str, from: &str) -> Self {
        Self::new(file, line, format!("`{from}` does not export `{name}`"))
    }

    pub(crate) fn exported_twice(file: &str, line: usize, name: &str) -> Self {
        Self::new(file, line, format!("`{name}` is exported twice; remove one"))
    }

    pub(crate) fn cycle(file: &str, line: usize, path: &str) -> Self {
        let fix = "load one of them with `import()`, or move what they share to a third module";
        Self::new(file, line, format!("these modules import each other: {path}; {fix}"))
    }

    pub(crate) fn same_name(file: &str, other: &str) -> Self {
        Self::new(file, 0, format!("its name in bundles is that of `{other}`; rename one"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|fault| writeln!(f, "{fault}"))
    }
}

impl std::error::Error for Faults {}
