// Installs the service worker that answers while the server cannot be reached.

import { language } from "../words.js";

/** Browsers without service workers, or that refuse them, show their own page then. */
export function keepOfflinePage() {
  navigator.serviceWorker?.register(new URL(`offline.js?language=${language}`, import.meta.url), { scope: "/" }).catch(() => {});
}
