//! The style of a writer: what is measured, what a profile says, and how a profile changes.
//!
//! In: posts. Out: a [`profile::Profile`], made by [`analysis`] from what [`stylometry`]
//! measures, combined by [`mix`] and corrected by [`learn`]. Start at [`profile`].

pub mod profile;

pub mod stylometry;

pub mod analysis;
pub mod learn;
pub mod mix;
