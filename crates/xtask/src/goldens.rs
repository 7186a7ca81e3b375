//! Rewrites the expected reports in `crates/registry/goldens` by running their test.

use std::path::Path;

use anyhow::{Result, ensure};

/// Runs the golden test in the mode that writes instead of comparing.
pub(crate) fn rewrite(root: &Path) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "cargo runs the test that knows how")]
    let status = std::process::Command::new("cargo")
        .args(["test", "--package", "cli", "--test", "it", "goldens"])
        .env("GHOSTHAND_GOLDENS", "write")
        .current_dir(root)
        .status()?;
    ensure!(status.success(), "the golden test failed; its output is above");
    Ok(())
}
