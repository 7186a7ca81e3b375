//! What was tried, and what got through.

use std::collections::BTreeMap;

use super::raw_request::Reply;

#[derive(Default)]
pub(crate) struct Table {
    areas: BTreeMap<&'static str, (usize, Vec<String>)>,
}

impl Table {
    /// One attempt; it got through unless the reply is one of these.
    pub(crate) fn expect(&mut self, area: &'static str, what: &str, reply: &Reply, good: &[u16]) {
        self.hold(area, what, reply, good.contains(&reply.status));
    }

    pub(crate) fn hold(&mut self, area: &'static str, what: &str, reply: &Reply, is_good: bool) {
        let (attempts, through) = self.areas.entry(area).or_default();
        *attempts += 1;
        if !is_good {
            let body: String = reply.body.chars().take(200).collect();
            through.push(format!("{area}: {what}: {} {body}", reply.status));
        }
    }

    pub(crate) fn attempts(&self) -> usize {
        self.areas.values().map(|(attempts, _)| attempts).sum()
    }

    pub(crate) fn show(&self, title: &str) {
        println!("{title:<28}{:>10}{:>14}", "attempts", "got through");
        for (area, (attempts, through)) in &self.areas {
            println!("  {area:<26}{attempts:>10}{:>14}", through.len());
        }
    }

    #[track_caller]
    pub(crate) fn assert_closed(&self) {
        let through: Vec<_> = self.areas.values().flat_map(|(_, through)| through).collect();
        assert!(through.is_empty(), "{} got through:\n{through:#?}", through.len());
    }
}
