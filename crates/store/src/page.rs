//! Pages of a listing: where to go on, and how much at once.

/// What to list next. `after` is the `next` of the page before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest<C> {
    pub after: Option<C>,
    /// How many at most; cut to `Limits::page_items_max`, and 0 counts as 1.
    pub limit: usize,
}

impl<C> PageRequest<C> {
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    pub fn after(cursor: C, limit: usize) -> Self {
        Self { after: Some(cursor), limit }
    }
}

/// Some items in order. A page may hold fewer than asked for; only `next` says whether
/// there are more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    pub items: Vec<T>,
    pub next: Option<C>,
}
