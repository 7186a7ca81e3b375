//! Reviews: the cards that are due, and how well each was known.
//!
//! Must hold: a review counts once, however often a page sends it; what cannot be read is
//! named, so that a page does not send it for ever.

use axum::extract::{Query, State};
use axum::{Extension, Json};
use cards::{
    CardView, DueCard, NewOrder, Rating, Recall, ReviewChange, ReviewPlan, ReviewQueue, RunId,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use server::{Caller, Fault, JsonBody};

use crate::request::{library, recalls, run};
use crate::{CardsState, HandlerResult};

/// Cards in one answer; the page asks again when it has shown them.
const CARDS_MAX: usize = 200;
const NEW_USUAL: usize = 20;
const NEW_MAX: usize = 1_000;
/// The largest whole number that every JSON reader keeps.
const DAY_MAX: u64 = 9_007_199_254_740_991;

#[derive(Deserialize)]
pub(crate) struct QueueQuery {
    run: Option<String>,
    /// When the reader's day began, in milliseconds since 1970.
    day: Option<u64>,
    new: Option<usize>,
    /// A list of meaning, word and gap.
    recall: Option<String>,
    order: Option<String>,
}

/// The cards to review, and what was done today.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QueueShown {
    /// Whose reviews these are.
    owner: String,
    /// Each with what to recall, and `intervals`: the seconds after again, hard, good and easy.
    cards: Vec<Value>,
    due: usize,
    new: usize,
    new_later: usize,
    next_at: Option<u64>,
    today: usize,
}

pub(crate) async fn queue(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<QueueQuery>,
) -> HandlerResult<Json<QueueShown>> {
    let library = library(&state, &caller);
    let of: Option<RunId> = match &query.run {
        Some(id) => Some(run(&library, id).await?),
        None => None,
    };
    let plan = plan(&query)?;
    let ReviewQueue { cards, due, new, new_later, next_at, today } =
        library.due(of.as_ref(), plan).await?;
    let cards = cards.into_iter().take(CARDS_MAX).map(due_card).collect();
    Ok(Json(QueueShown { owner: caller.owner, cards, due, new, new_later, next_at, today }))
}

fn plan(query: &QueueQuery) -> HandlerResult<ReviewPlan> {
    let recalls = recalls(query.recall.as_deref())?;
    let (new_max, day_began) = (query.new.unwrap_or(NEW_USUAL), query.day.unwrap_or(0));
    if new_max > NEW_MAX || day_began > DAY_MAX {
        let fix = format!("give a `new` up to {NEW_MAX} and a `day` in milliseconds since 1970");
        return Err(Fault::bad_request("`new` or `day` is too large", fix).into());
    }
    let order = match query.order.as_deref() {
        None | Some("text") => NewOrder::Text,
        Some("frequency") => NewOrder::Frequency,
        Some(_) => {
            return Err(Fault::bad_request("unknown order", "give `text` or `frequency`").into());
        }
    };
    Ok(ReviewPlan { new_max, day_began, ahead: ReviewPlan::LEARN_AHEAD, recalls, order })
}

fn due_card(due: DueCard) -> Value {
    let DueCard { card, recall, learning, intervals } = due;
    let mut shown = json!(CardView::new(card));
    shown["recall"] = json!(recall);
    shown["learning"] = json!(learning);
    shown["intervals"] = json!(intervals.map(|one| one.as_secs()));
    shown
}

/// Reviews that were made, and reviews to undo.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewList {
    #[schemars(length(max = 500))]
    reviews: Vec<ReviewSent>,
}

/// One review. With `undo`, the review of this id never happened.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewSent {
    /// Chosen by the sender: the same id counts once.
    id: String,
    /// The key of the card.
    card: Option<String>,
    /// meaning (the default), word or gap
    recall: Option<String>,
    /// again, hard, good or easy
    rating: Option<Rated>,
    /// When it was made, in milliseconds since 1970; now by default.
    #[schemars(with = "Option<u64>")]
    at: Option<f64>,
    #[serde(default)]
    undo: bool,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Rated {
    Again,
    Hard,
    Good,
    Easy,
}

impl From<Rated> for Rating {
    fn from(rated: Rated) -> Rating {
        match rated {
            Rated::Again => Rating::Again,
            Rated::Hard => Rating::Hard,
            Rated::Good => Rating::Good,
            Rated::Easy => Rating::Easy,
        }
    }
}

/// How many reviews were new, and which were left out.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReviewsRecorded {
    recorded: usize,
    refused: Vec<RefusedReview>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RefusedReview {
    id: String,
    why: String,
}

const REVIEWS_AT_ONCE_MAX: usize = 500;

pub(crate) async fn record(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    JsonBody(ReviewList { reviews }): JsonBody<ReviewList>,
) -> HandlerResult<Json<ReviewsRecorded>> {
    if reviews.len() > REVIEWS_AT_ONCE_MAX {
        let message = format!("send at most {REVIEWS_AT_ONCE_MAX} reviews at once");
        return Err(Fault::too_large(message).into());
    }
    let is_time = |at: f64| at >= 0.0 && at.fract() == 0.0;
    if !reviews.iter().filter_map(|sent| sent.at).all(is_time) {
        return Err(Fault::bad_request("`at` is not a time", "give whole milliseconds").into());
    }
    let library = library(&state, &caller);
    let (mut changes, mut refused) = (Vec::new(), Vec::new());
    for sent in reviews {
        match change(&sent, library.now()) {
            Ok(change) => changes.push(change),
            Err(why) => refused.push(RefusedReview { id: sent.id, why }),
        }
    }
    let recorded = library.record_reviews(changes).await?;
    Ok(Json(ReviewsRecorded { recorded, refused }))
}

fn change(sent: &ReviewSent, now: u64) -> Result<ReviewChange, String> {
    let id = sent.id.parse().map_err(|bad: cards::BadReviewId| bad.to_string())?;
    if sent.undo {
        return Ok(ReviewChange::Undone { id });
    }
    let key = sent.card.as_deref().ok_or("`card` is missing")?.parse()?;
    let rating = sent.rating.ok_or("`rating` is missing")?.into();
    let recall = sent.recall.as_deref().map_or(Ok(Recall::Meaning), str::parse)?;
    Ok(ReviewChange::Given { id, key, recall, rating, at: sent.at.map_or(now, whole) })
}

/// JSON has one kind of numbers: `1.0` is a time, too.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
fn whole(number: f64) -> u64 {
    number as u64
}
