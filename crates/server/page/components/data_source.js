// Where a component's data comes from: a fixed value, the kv store, or persona properties.

import { get } from "../api.js";
import { state } from "../state.js";
import { t } from "../words.js";
import * as kv from "./kv_store.js";

/** The current value of a source. */
export async function readSource(source = {}) {
  switch (source.type) {
    case "value":
      return source.value;
    case "kv_store":
      return kv.readOne(source.key);
    case "persona_properties":
      return properties(source);
    default:
      return null;
  }
}

/** Calls `listener` when the source changes; returns a function that stops it. */
export function watchSource(source, listener) {
  if (source?.type !== "kv_store") return () => {};
  return kv.watch(source.key, listener);
}

/** The personas of this conversation, or all of them if it has none. */
export async function listPersonas() {
  const all = (await get("/personas")) ?? [];
  const here = state.conversation?.personas?.map((one) => one?.id ?? one);
  return here?.length ? all.filter(({ id }) => here.includes(id)) : all;
}

const slug = (name) => name.toLowerCase().replaceAll(" ", "-");

async function properties({ key, include_user: user = false }) {
  const people = (await listPersonas()).map(({ name }) => ({ name, key: `${key}-${slug(name)}` }));
  if (user) people.unshift({ name: t("You"), key: `${key}-user` });
  const values = await kv.read(...people.map((one) => one.key));
  return people.map((one) => row(one.name, key, values?.[one.key] ?? null));
}

function row(name, key, value) {
  const fields = value && typeof value === "object" && !Array.isArray(value) ? value : {};
  return { ...fields, name, [key]: value, value };
}
