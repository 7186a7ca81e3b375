// The form that is being asked by voice: filled in as it is answered, and open to the person's own hand.

import { announce, h } from "../dom.js";
import { loadForms, paramsOf, problemOf } from "../forms.js";
import { icon } from "../icon.js";
import { t } from "../words.js";

/** A person who types is told to the session this often, so that it waits. */
const TYPING_MS = 3000;
const ELSEWHERE = t("This part works outside of voice only.");

export class FormPanel {
  /** `handle` has onedit(form, answers), onanswer(form, action, content) and onsend(form, target, params). */
  constructor(handle) {
    this.handle = handle;
    this.element = h("section", { class: "voice-form", "aria-label": t("Form"), hidden: true });
    this.element.addEventListener("input", () => this.typed());
    this.element.addEventListener("change", (event) => this.changed(event.target));
  }

  /** Shows a form; what was answered comes after it. */
  async show(event) {
    this.clear();
    this.number = event.form;
    const title = event.feature?.layout?.title ?? event.feature?.label ?? event.message ?? event.tool;
    announce(t("A form is open. You can answer by voice or by hand."));
    const parts = await loadForms();
    if (this.number !== event.form) return;
    this.fields = event.feature ? this.components(event.feature, parts) : this.questions(event, parts);
    this.hint = h("p", { class: "faint voice-how" }, HINT.spoken);
    this.fault = h("p", { class: "fault", role: "alert", hidden: true });
    const close = h("button", { type: "button", class: "outline lg", onclick: () => this.answer("cancel") }, t("Not now"));
    const send = h("button", { type: "button", class: "primary lg", onclick: () => this.sendAnswer() }, t("Send"));
    this.element.replaceChildren(
      h("h3", {}, icon("edit"), h("span", {}, title)),
      this.hint,
      h("div", { class: "voice-fields stack" }, this.drawn),
      this.fault,
      h("div", { class: "voice-choices" }, event.feature ? close : [send, close]),
    );
    this.element.hidden = false;
    if (this.latest) this.fill(this.latest);
  }

  /** A handler's question: the fields of its schema. */
  questions({ schema }, { schemaForm }) {
    const form = schemaForm(schema);
    this.read = form.read;
    this.drawn = form.element;
    return new Map(form.fields.map((field) => [field.name, field]));
  }

  /** The form of a tool: its components, whose buttons send it to the session. */
  components({ layout = {} }, { createComponent }) {
    const components = new Map();
    const surface = { components, toasts: [], open: () => this.fail(ELSEWHERE), close: () => this.answer("cancel") };
    surface.runAction = async (action) => this.runAction(surface, action);
    this.created = (layout.components ?? []).map((declaration) => {
      const component = createComponent(declaration, surface);
      if (declaration.id) components.set(declaration.id, component);
      return component;
    });
    this.drawn = this.created.map(({ element }) => element);
    const read = (component) => component.value();
    const inputs = [...components].filter(([, component]) => component.value && component.set);
    return new Map(inputs.map(([id, component]) => [id, { ...component, name: id, read: () => read(component) }]));
  }

  /** Returns what is wrong, as every surface of forms does. */
  runAction(surface, action) {
    const problem = problemOf(surface, action);
    if (problem) return problem;
    if (action.type !== "tool_submit") return ELSEWHERE;
    this.handle.onsend(this.number, action.target, paramsOf(surface, action));
    return null;
  }

  /** What was answered so far, by voice or by hand; the field that is asked for is marked. */
  fill(event) {
    if (event.form !== this.number) return;
    this.latest = event;
    if (!this.fields) return;
    this.hint.textContent = event.by_hand ? HINT.by_hand : HINT.spoken;
    for (const [name, field] of this.fields) {
      const isAsked = name === event.field;
      field.element.classList.toggle("asked", isAsked);
      if (isAsked) field.element.scrollIntoView({ block: "nearest" });
      const value = event.answers[name];
      if (value !== undefined && !field.element.contains(document.activeElement)) this.set(field, value);
    }
  }

  /** Counts as typed for the field, so that what it loads later does not replace it. */
  set(field, value) {
    this.isFilling = true;
    field.set(value);
    field.element.querySelector("input, textarea")?.dispatchEvent(new Event("input", { bubbles: true }));
    this.isFilling = false;
  }

  typed() {
    if (this.isFilling || !this.number) return;
    this.fault.hidden = true;
    const now = performance.now();
    if (now - (this.typedAt ?? -TYPING_MS) < TYPING_MS) return;
    this.typedAt = now;
    this.handle.onedit(this.number, {});
  }

  /** A field that was left is an answer, too. */
  changed(target) {
    const found = [...(this.fields?.values() ?? [])].find(({ element }) => element.contains(target));
    if (!found || this.isFilling) return;
    try {
      this.handle.onedit(this.number, { [found.name]: found.read() ?? null });
    } catch {
      // It is not finished; sending it says what is wrong.
    }
  }

  sendAnswer() {
    try {
      this.answer("accept", this.read());
    } catch (problem) {
      this.fail(problem.message);
    }
  }

  answer(action, content) {
    if (this.number) this.handle.onanswer(this.number, action, content);
  }

  fail(text) {
    if (this.element.hidden) return;
    this.fault.textContent = text;
    this.fault.hidden = false;
  }

  /** Returns whether the focus was in it. */
  done({ form }) {
    if (form !== this.number) return false;
    const hadFocus = this.element.contains(document.activeElement);
    this.clear();
    return hadFocus;
  }

  clear() {
    this.created?.forEach((component) => component.end?.());
    this.number = this.fields = this.created = this.latest = this.read = null;
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

const HINT = {
  spoken: t("Answer aloud, or fill it in here. Whatever comes first counts."),
  by_hand: t("Fill it in here, when you like."),
};
