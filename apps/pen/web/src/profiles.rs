//! Profiles: one as the page shows it, measured against the saved posts, and a first one from
//! pasted posts.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use pen::analysis::{ProfileBuilder, compare};
use pen::profile::Kind;
use pen::read_posts::{POSTS_ENOUGH, ReadPosts};
use pen::stylometry::{Stylometry, measure};
use pen::{Lang, Now, Profile, ProfileName};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use server::{Caller, Fault, JsonBody};

use crate::fault::no_profile;
use crate::request::{LangQuery, blocking, profile_name};
use crate::{HandlerResult, PenState};

/// Saved posts that are measured, the newest.
const MEASURED_MAX: usize = 30;

pub(crate) async fn show(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    Query(query): Query<LangQuery>,
) -> HandlerResult<Json<Value>> {
    state.admit(&caller)?;
    let lang = query.lang();
    let name = profile_name(&name, lang)?;
    let pen = state.pen.clone();
    let shown = blocking(move || {
        let profile = pen.workspace().read(&name)?;
        let newest = pen.workspace().newest_posts(None, MEASURED_MAX);
        let texts: Vec<String> =
            newest.iter().filter_map(|post| pen.posts().text(&post.file)).collect();
        let posts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(view(&profile, measure(&posts).as_ref(), lang))
    });
    shown.await?.map(Json).map_err(|fault| no_profile(&fault, lang))
}

fn view(profile: &Profile, saved: Option<&Stylometry>, lang: Lang) -> Value {
    let value = profile.value();
    let own = profile.measured().and_then(|own| serde_json::from_value(own.clone()).ok());
    let examples = profile.examples();
    let examples = examples.iter().map(|one| json!({ "platform": one.platform, "text": one.text }));
    json!({
        "name": profile.name(),
        "kind": profile.kind(),
        "version": profile.version(),
        "language": profile.language(),
        "updated": value["updated_at"],
        "source": value["source"],
        "voice": value["voice"],
        "platforms": value["platforms"],
        "examples": examples.collect::<Vec<Value>>(),
        "changelog": value["changelog"],
        "measured": own.as_ref().map(numbers),
        "saved": saved.map(numbers),
        "differences": saved.map(|saved| compare(profile, saved, lang)),
    })
}

/// The measurements that say most at a glance.
fn numbers(style: &Stylometry) -> Value {
    let words = &style.rhythm.sentence_words;
    json!({
        "posts": style.posts,
        "words": style.words,
        "sentenceWords": words.mean,
        "longestSentence": words.max,
        "questions": style.question_share,
        "fragments": style.rhythm.fragment_share,
        "emoji": style.emoji.per_post,
        "hashtags": style.hashtags.per_post,
    })
}

/// Posts to learn a voice from, separated by lines of `---`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PastedPosts {
    #[schemars(extend("pattern" = "\\S"))]
    posts: String,
}

/// Makes the profile `default`, measured without a model. An existing one is never replaced.
pub(crate) async fn create(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<LangQuery>,
    JsonBody(PastedPosts { posts }): JsonBody<PastedPosts>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    state.admit(&caller)?;
    let lang = query.lang();
    let max = state.limits.posts_chars_max;
    if posts.chars().count() > max {
        return Err(Fault::too_large(format!("the posts have more than {max} characters")).into());
    }
    let read = ReadPosts::of_text(&posts);
    let pen = state.pen.clone();
    let made = blocking(move || {
        let name = ProfileName::default();
        let (kind, now) = (Kind::Personal, Now::read());
        let builder =
            ProfileBuilder { name: &name, kind, posts: &read.posts, platform: None, lang, now };
        let style = builder.stylometry().filter(|style| style.posts >= POSTS_ENOUGH);
        let style = style.ok_or(None)?;
        let profile = builder.profile(&style, None).map_err(|_| None)?;
        pen.workspace().create(&profile).map_err(Some)?;
        Ok(view(&profile, None, lang))
    });
    match made.await? {
        Ok(view) => Ok((StatusCode::CREATED, Json(view))),
        Err(Some(fault)) => Err(no_profile(&fault, lang)),
        Err(None) => {
            let what = lang.say("init.too_few_posts");
            let fix = lang.say("init.no_posts_fix");
            Err(Fault::bad_request(what, fix).into())
        }
    }
}
