//! Requests over real sockets on this machine.

mod hops;
mod limits;
mod server;
mod tls;

pub(crate) use server::{Page, Server};

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use policy::BoxFuture;

use super::*;
use crate::handler_services::tests::{World, ask, fault};

/// Resolves from a table; the answers of a name in order, the last one repeated.
#[derive(Default)]
pub(super) struct Script {
    answers: Mutex<BTreeMap<String, Vec<Vec<IpAddr>>>>,
    asked: Mutex<Vec<String>>,
}

impl Script {
    fn new(lines: &[(&str, &[&str])]) -> Arc<Self> {
        let script = Script::default();
        for (name, answers) in lines {
            let parse = |answer: &&str| answer.split(' ').map(|ip| ip.parse().unwrap()).collect();
            let answers = answers.iter().map(parse).collect();
            script.answers.lock().unwrap().insert((*name).to_owned(), answers);
        }
        Arc::new(script)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolver for Script {
    fn resolve(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = answers.get_mut(name).map(|answers| match answers.len() {
            1 => answers[0].clone(),
            _ => answers.remove(0),
        });
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such name")) })
    }
}
