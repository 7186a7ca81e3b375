//! Names that lead somewhere else the second time.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use super::{AddressGuard, Reach};
use crate::resolver::{BoxFuture, Resolver};

/// Answers with these lists, one after the other.
struct Scripted(Mutex<VecDeque<Vec<IpAddr>>>);

impl Resolver for Scripted {
    fn resolve(&self, _name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let next = self.0.lock().unwrap().pop_front().unwrap();
        Box::pin(std::future::ready(Ok(next)))
    }
}

fn guard(reach: Reach, answers: &[&[&str]]) -> AddressGuard {
    let list = |list: &&[&str]| list.iter().map(|one| one.parse().unwrap()).collect();
    let answers = answers.iter().map(list).collect();
    AddressGuard::with(Arc::new(Scripted(Mutex::new(answers))), reach)
}

#[tokio::test]
async fn a_name_that_was_public_may_not_become_private() {
    let guard = guard(Reach::Public, &[&["1.1.1.1"], &["127.0.0.1"], &["1.1.1.1", "10.0.0.1"]]);
    assert_eq!(guard.resolve("a.example").await.unwrap().len(), 1);
    for _ in 0..2 {
        let refused = guard.resolve("a.example").await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        assert!(refused.to_string().contains("`a.example` leads to"), "{refused}");
        assert!(!refused.to_string().contains("10.0.0.1"), "{refused}");
    }
}

#[tokio::test]
async fn a_near_server_may_be_local_and_never_a_metadata_service() {
    let near: &[&[&str]] =
        &[&["127.0.0.1"], &["192.168.1.5"], &["169.254.169.254"], &["10.0.0.1", "fd00:ec2::254"]];
    let guard = guard(Reach::Near, near);
    assert!(guard.resolve("box").await.is_ok());
    assert!(guard.resolve("box").await.is_ok());
    assert!(guard.resolve("box").await.is_err());
    assert!(guard.resolve("box").await.is_err());
}

#[test]
fn an_address_instead_of_a_name_is_checked_too() {
    let check = |reach, host: &str, is_allowed: bool| {
        let checked = AddressGuard::new(reach).check_literal(host);
        assert_eq!(checked.is_ok(), is_allowed, "{host} {reach:?}");
    };
    check(Reach::Public, "8.8.8.8", true);
    check(Reach::Public, "127.0.0.1", false);
    check(Reach::Near, "127.0.0.1", true);
    check(Reach::Near, "[::1]", true);
    check(Reach::Near, "169.254.169.254", false);
    check(Reach::Near, "[::ffff:169.254.169.254]", false);
    check(Reach::Public, "example.com", true);
}

#[test]
fn the_reach_is_that_of_the_addresses() {
    let check = |addresses: &[&str], reach| {
        let found: Vec<IpAddr> = addresses.iter().map(|one| one.parse().unwrap()).collect();
        assert_eq!(Reach::of(&found), reach, "{addresses:?}");
    };
    check(&["1.1.1.1"], Some(Reach::Public));
    check(&["1.1.1.1", "10.1.1.1"], Some(Reach::Near));
    check(&["127.0.0.1", "::1"], Some(Reach::Near));
    check(&["127.0.0.1", "169.254.169.254"], None);
    check(&["0.0.0.0"], None);
}
