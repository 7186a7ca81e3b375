//! Rewrites the expected files of tests (fault reports, request bodies, model answers) by
//! running those tests in update mode.

use std::path::Path;

use anyhow::{Result, ensure};

/// Runs the golden tests in the mode that writes instead of comparing.
pub(crate) fn rewrite(root: &Path) -> Result<()> {
    for package in ["cli", "models"] {
        #[expect(clippy::disallowed_methods, reason = "cargo runs the test that knows how")]
        let status = std::process::Command::new("cargo")
            .args(["test", "--package", package, "--test", "it", "goldens"])
            .env("GHOSTHAND_GOLDENS", "write")
            .current_dir(root)
            .status()?;
        ensure!(status.success(), "a golden test of {package} failed; its output is above");
    }
    Ok(())
}
