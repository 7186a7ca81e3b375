// Exchanges the token of the printed link for a cookie. The token is in the hash, which browsers do
// not send, and is removed from the address and the history first.

const token = location.pathname === "/login" ? location.hash.slice(1) : "";
if (token) {
  history.replaceState(null, "", "/login");
  const response = await fetch("/login", { method: "POST", body: new URLSearchParams({ token }) });
  if (response.ok) location.replace("/");
} else {
  // After a link from another site the request lacks this browser's cookie.
  const response = await fetch("/login", { headers: { Accept: "application/json" } });
  if ((await response.json()).known) location.replace(location.pathname === "/login" ? "/" : `/?${location.hash}`);
}
