//! Logins that have begun: each waits for the browser that began it, once, for a while.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use contract::Digest;
use mcp::client::Login;

use crate::live_server::LoginOf;

/// Where the browser comes back to.
pub(crate) const RETURN_PATH: &str = "/mcp-login";

const TIME_MAX: Duration = Duration::from_secs(600);
const ALL_MAX: usize = 200;
const PER_OWNER_MAX: usize = 5;

/// A login between the link and the way back.
pub(crate) struct BegunLogin {
    pub owner: String,
    /// The digest of the browser's login here.
    pub browser: String,
    pub server: String,
    pub whose: LoginOf,
    pub redirect: String,
    pub login: Login,
    pub begun: Instant,
}

/// By the `state` that the redirect carries.
#[derive(Default)]
pub(crate) struct Logins(Mutex<BTreeMap<String, BegunLogin>>);

impl Logins {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, BegunLogin>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a login; the oldest of the same owner, or of all, makes room.
    pub(crate) fn begin(&self, state: String, begun: BegunLogin) {
        let mut all = self.all();
        let now = begun.begun;
        all.retain(|_, one| now.duration_since(one.begun) < TIME_MAX);
        let owner = begun.owner.clone();
        all.insert(state, begun);
        while all.values().filter(|one| one.owner == owner).count() > PER_OWNER_MAX {
            forget_oldest(&mut all, |one| one.owner == owner);
        }
        while all.len() > ALL_MAX {
            forget_oldest(&mut all, |_| true);
        }
    }

    /// Takes a login out, if this browser began it in time. A wrong browser does not end it.
    pub(crate) fn take(
        &self,
        state: &str,
        owner: &str,
        browser: &str,
        now: Instant,
    ) -> Option<BegunLogin> {
        let mut all = self.all();
        let begun = all.get(state)?;
        if begun.owner != owner || begun.browser != browser {
            return None;
        }
        let begun = all.remove(state)?;
        (now.duration_since(begun.begun) < TIME_MAX).then_some(begun)
    }
}

fn forget_oldest(all: &mut BTreeMap<String, BegunLogin>, counts: impl Fn(&BegunLogin) -> bool) {
    let oldest = all.iter().filter(|(_, one)| counts(one)).min_by_key(|(_, one)| one.begun);
    if let Some(state) = oldest.map(|(state, _)| state.clone()) {
        all.remove(&state);
    }
}

/// Names the browser by the cookie of its login here, or a program by its token.
pub(crate) fn browser_of(headers: &HeaderMap) -> String {
    let text = |name| {
        let all = headers.get_all(name).into_iter();
        all.filter_map(|value: &axum::http::HeaderValue| value.to_str().ok()).collect::<Vec<_>>()
    };
    let cookies = text(header::COOKIE);
    let ours = cookies.iter().flat_map(|all| all.split(';')).map(str::trim);
    let mut ours: Vec<_> = ours.filter(|one| one.starts_with("ghosthand-")).collect();
    ours.sort_unstable();
    let all = ours.into_iter().chain(text(header::AUTHORIZATION));
    Digest::of(all.collect::<Vec<_>>().join("\n").as_bytes()).hex(64)
}

/// The value of `state` in a query, as it is spelled there.
pub(crate) fn state_of(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("state="))
}

#[cfg(test)]
mod tests {
    use super::{browser_of, state_of};
    use axum::http::HeaderMap;

    #[test]
    fn a_browser_is_named_by_its_own_cookie_only() {
        let browser = |cookies: &[&str]| {
            let mut headers = HeaderMap::new();
            for cookie in cookies {
                headers.append("cookie", cookie.parse().unwrap());
            }
            browser_of(&headers)
        };
        let one = browser(&["ghosthand-7777=a; theme=dark"]);
        assert_eq!(one, browser(&["theme=light", "ghosthand-7777=a"]));
        assert_ne!(one, browser(&["ghosthand-7777=b; theme=dark"]));
        assert_ne!(one, browser(&[]));
    }

    #[test]
    fn the_state_is_the_whole_value_of_its_own_parameter() {
        let check = |query: &str, expected: Option<&str>| assert_eq!(state_of(query), expected);
        check("code=1&state=abc&iss=x", Some("abc"));
        check("other_state=1", None);
        check("", None);
    }
}
