//! A real browser: Chromium, spoken to over its DevTools protocol.
//!
//! [`Browser`] is what one test has of it, [`Tab`] is where a test looks, clicks and types.

mod chromium;
mod devtools;
mod tab;
mod websocket;

pub(crate) use chromium::Browser;
pub(crate) use tab::Tab;
