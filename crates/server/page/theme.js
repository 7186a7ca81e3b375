// Sets the chosen theme before anything is painted. Without a choice the system decides.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  /* storage may be switched off */
}
