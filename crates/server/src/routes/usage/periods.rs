//! What an owner used: today, in seven and in thirty days, for each model.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Query, State};
use axum::{Extension, Json};
use contract::Usage;
use policy::ConversationId;
use providers::{HourUsage, UsageBook};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::middleware::Owner;
use crate::conversations::spending::{Money, answers, money};
use crate::fault::{Fault, HandlerResult};
use crate::state::AppState;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The periods, in days; today is the first.
const PERIODS: [u64; 3] = [1, 7, 30];
/// How many conversations are read, the newest first.
const CONVERSATIONS_MAX: usize = 500;

/// The furthest a place is from UTC, in minutes.
pub(crate) const UTC_OFFSET_MAX: i32 = 18 * 60;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PeriodsQuery {
    /// The person's distance from UTC, in minutes; east is positive.
    #[serde(default)]
    utc_offset: i32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UsagePeriods {
    periods: Vec<UsagePeriod>,
    /// Whether there are older conversations in these days that were not read.
    is_cut: bool,
}

/// What was used since a day began.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UsagePeriod {
    days: u64,
    turns: usize,
    cost: Option<Money>,
    models: Vec<ModelUsage>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ModelUsage {
    /// `provider:name`.
    model: String,
    turns: usize,
    /// Tokens, as the provider counts them.
    #[schemars(with = "BTreeMap<String, u64>")]
    usage: Usage,
    cost: Option<Money>,
}

/// One answer that counts, or some of an hour that are in no log.
struct Line {
    at: u64,
    answers: Answers,
    model: String,
    usage: Usage,
    spent: Option<providers::Spent>,
}

/// Where answers come from.
#[derive(Clone, Copy)]
enum Answers {
    /// The number of a conversation and of its turn.
    OfTurn(usize, u64),
    /// So many, of voice sessions, Ghostpen or flashcards.
    Outside(u64),
}

/// Deleted conversations are not counted: their logs are gone. Neither are provider's own speech
/// models, which do not report tokens here.
pub(crate) async fn periods(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(PeriodsQuery { utc_offset }): Query<PeriodsQuery>,
) -> HandlerResult<Json<UsagePeriods>> {
    if utc_offset.abs() > UTC_OFFSET_MAX {
        let fix = "give the distance from UTC in minutes, at most 18 hours";
        return Err(Fault::bad_request(format!("`utcOffset` is {utc_offset}"), fix));
    }
    let now = app.engine.now().0;
    let today = beginning_of_day(now, utc_offset);
    let since = |days: u64| today.saturating_sub((days - 1) * DAY_MS);
    let oldest = since(PERIODS[2]);
    let mut lines = app.index.list(&owner).await?;
    lines.retain(|line| line.updated_at >= oldest);
    let is_cut = lines.len() > CONVERSATIONS_MAX;
    let prices = app.providers.price_book().await;
    let mut found = Vec::new();
    for (number, line) in lines.into_iter().take(CONVERSATIONS_MAX).enumerate() {
        let records = app.conversations.events(&ConversationId(line.id)).await?;
        found.extend(answers(&records).into_iter().filter(|one| one.at.0 >= oldest).map(|one| {
            let spent = one.spent(&prices);
            Line {
                at: one.at.0,
                answers: Answers::OfTurn(number, one.turn),
                model: one.model,
                usage: one.usage,
                spent,
            }
        }));
    }
    let book = UsageBook::new(app.engine.shared_store(), app.engine.clock());
    found.extend(book.since(&owner, oldest).await?.into_iter().map(|hour| {
        let HourUsage { at, purpose: _, model, answered, requests, usage } = hour;
        let spent = prices.spent(&model, &answered, &usage);
        Line { at, answers: Answers::Outside(requests), model, usage, spent }
    }));
    let period = |days| {
        let lines: Vec<&Line> = found.iter().filter(|line| line.at >= since(days)).collect();
        let names: BTreeSet<&str> = lines.iter().map(|line| line.model.as_str()).collect();
        let of = |name: &str| -> Vec<&Line> {
            lines.iter().copied().filter(|line| line.model == name).collect()
        };
        let models = names.into_iter().map(|name| model_usage(name, &of(name))).collect();
        UsagePeriod { days, turns: turns(&lines), cost: cost(&lines), models }
    };
    Ok(Json(UsagePeriods { periods: PERIODS.map(period).into(), is_cut }))
}

/// When the day of `now` began there, in milliseconds since 1970.
fn beginning_of_day(now: u64, utc_offset: i32) -> u64 {
    let ahead = i64::from(utc_offset) * 60_000;
    let of_day = now.saturating_add_signed(ahead) % DAY_MS;
    now.saturating_sub(of_day)
}

fn model_usage(model: &str, lines: &[&Line]) -> ModelUsage {
    let mut usage = Usage::default();
    for line in lines {
        usage += line.usage;
    }
    ModelUsage { model: model.to_owned(), turns: turns(lines), usage, cost: cost(lines) }
}

/// A turn may have several answers; outside of conversations each answer is counted.
fn turns(lines: &[&Line]) -> usize {
    let (mut turns, mut outside) = (BTreeSet::new(), 0_usize);
    for line in lines {
        match line.answers {
            Answers::OfTurn(conversation, turn) => drop(turns.insert((conversation, turn))),
            Answers::Outside(count) => outside = outside.saturating_add(line_count(count)),
        }
    }
    turns.len().saturating_add(outside)
}

fn line_count(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn cost(lines: &[&Line]) -> Option<Money> {
    money(lines.iter().flat_map(|line| {
        let times = match (line.spent, line.answers) {
            (None, Answers::Outside(count)) => line_count(count),
            (_, Answers::OfTurn(..)) | (Some(_), Answers::Outside(_)) => 1,
        };
        std::iter::repeat_n(line.spent, times)
    }))
}

#[cfg(test)]
mod tests {
    use super::{DAY_MS, beginning_of_day};

    #[test]
    fn a_day_begins_at_midnight_where_the_person_is() {
        const HOUR: u64 = 3_600_000;
        let (day, check) = (20_000 * DAY_MS, |now, offset, began| {
            assert_eq!(beginning_of_day(now, offset), began, "{now} at {offset}");
        });
        check(day + 5 * HOUR, 0, day);
        check(day, 0, day);
        check(day + 23 * HOUR, 120, day + 22 * HOUR);
        check(day + HOUR, -180, day - 21 * HOUR);
    }
}
