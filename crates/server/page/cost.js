// Money in words: exact, at most, or unknown.

import { formatDollars, t } from "./words.js";

/** `money` is what the server says: dollars, whether it may be less, and how many prices are unknown. */
export function costText(money) {
  if (!money) return "";
  const { dollars, isMost, unknown } = money;
  if (unknown && !dollars) return t("price unknown");
  const known = isMost ? t("at most {cost}", { cost: formatDollars(dollars) }) : formatDollars(dollars);
  return unknown ? t("{cost} and more, as some prices are unknown", { cost: known }) : known;
}

/** The same where there is little room: `≤` for at most, `≥` if some prices are unknown; empty if all are. */
export function shortCost(money) {
  if (!money?.dollars) return "";
  const { dollars, isMost, unknown } = money;
  const sign = isMost === Boolean(unknown) ? "" : isMost ? "≤ " : "≥ ";
  return sign + formatDollars(dollars);
}
