//! The far side of every wire, for tests: nothing of ours is faked here.
//!
//! [`provider_rules`] is a second opinion on what a provider would refuse, written from the
//! facts alone. [`corpus`] is a collection of schemas that broke other people's transformers.

#![cfg_attr(test, allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case"))]

pub mod corpus;
pub mod provider_rules;
