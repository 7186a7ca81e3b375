//! What counts as a path, and where it is looked for.

use std::path::Path;

use super::missing;

#[test]
fn paths_are_found_from_the_root_the_crates_and_the_path_before() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let check = |line, expected: &[&str]| assert_eq!(missing(&root, line), expected, "{line}");
    check("see `crates/xtask/src/tidy.rs` and `xtask/src/map.rs`, `tidy.rs`", &[]);
    check("see `docs/` and `xtask/src/`", &[]);
    check("see `xtask/src/no_such.rs`, `gone/`", &["xtask/src/no_such.rs", "gone/"]);
    check("`tidy.rs` alone is nowhere", &["tidy.rs"]);
    check("no path: `Desk::new`, `a b/`, `tools/x/handler.js`, `.rs`, `1/2`", &[]);
}
