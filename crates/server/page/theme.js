// Applies the chosen theme before the first paint. Without a choice the system setting applies.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  /* storage may be switched off */
}
