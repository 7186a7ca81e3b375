//! Pages of a listing: where to continue, and how much at once.

/// The next page. `after` is the `next` of the previous page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest<C> {
    pub after: Option<C>,
    /// The maximum number of items; reduced to `Limits::page_items_max`, and 0 counts as 1.
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

/// Some items in order. A page may have fewer items than requested; only `next` says whether
/// there are more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    pub items: Vec<T>,
    pub next: Option<C>,
}

/// Walks through all pages of a listing.
///
/// ```ignore
/// let mut pages = Pages::of(500);
/// while let Some(request) = pages.request() {
///     for entry in pages.items(kv.list(&prefix, request).await?) {}
/// }
/// ```
#[derive(Debug)]
pub struct Pages<C> {
    limit: usize,
    next: Option<PageRequest<C>>,
}

impl<C> Pages<C> {
    /// Begins at the first page; each has at most `limit` items.
    pub fn of(limit: usize) -> Self {
        Self { limit, next: Some(PageRequest::first(limit)) }
    }

    /// The next page to ask for; none after the last one.
    pub fn request(&mut self) -> Option<PageRequest<C>> {
        self.next.take()
    }

    /// The items of the page that was asked for.
    pub fn items<T>(&mut self, page: Page<T, C>) -> Vec<T> {
        self.next = page.next.map(|cursor| PageRequest::after(cursor, self.limit));
        page.items
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, PageRequest, Pages};

    #[test]
    fn every_page_is_asked_for_once() {
        let mut pages = Pages::of(2);
        let mut seen = Vec::new();
        while let Some(PageRequest { after, limit }) = pages.request() {
            let start = after.unwrap_or(0);
            let end = (start + limit).min(5);
            let next = (end < 5).then_some(end);
            seen.extend(pages.items(Page { items: (start..end).collect(), next }));
        }
        assert_eq!(seen, [0, 1, 2, 3, 4]);
        assert_eq!(pages.request(), None);
    }
}
