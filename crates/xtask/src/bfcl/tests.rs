//! A sample of the calls; `cargo xtask bfcl` checks them all.

use std::path::Path;

use super::{Tally, check};

#[test]
fn a_sample_of_calls_survives_on_every_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Tally { calls, valid, lost } = check(&root, 40).unwrap();
    assert_eq!(lost, Vec::<String>::new());
    assert!(calls > 190 && valid * 20 > calls * 19, "{valid} of {calls}");
}
