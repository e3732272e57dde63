/**
 * The keyboard: / to the search field, j and k through results or marks, c to cite what is selected, n and p through the
 * pages of an original, + and - for their size, Esc back, ? for help.
 * Enter needs nothing here, since moving puts the focus on the result's link.
 *
 * One listener on the document, so that content which arrives later is reached too. Whoever types in a field or holds
 * Ctrl, Alt or Meta is left alone; Shift counts as part of the character (/ is Shift+7 on a German keyboard). People who
 * speak to their computer or press keys by accident can switch single keys off (WCAG 2.1.4).
 */

const FIELD = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const RESULT = "[data-result]";
const MARK = "#text :is(.cited, .found)";
const SWITCH = "[data-keys-switch]";
const SETTING = "fundstelle-keys";

/** Key -> what it does; false leaves the key to the browser. */
const CHARACTER_KEYS = {
  "/": focusSearch,
  j: (document) => move(document, 1),
  k: (document) => move(document, -1),
  c: focusCiting,
  n: follow,
  p: follow,
  "+": follow,
  "-": follow,
  "?": showHelp,
};

/**
 * @param {Document} document
 * @returns {() => void} stops listening
 */
export function startKeys(document) {
  const listening = new AbortController();
  const options = { signal: listening.signal };
  document.addEventListener("keydown", onKeydown, options);
  document.addEventListener("change", onChange, options);
  document.addEventListener("click", onClick, options);
  document.querySelectorAll(SWITCH).forEach((box) => (box.checked = areKeysOn()));
  return () => listening.abort();
}

/** @param {KeyboardEvent} event */
function onKeydown(event) {
  const document = event.target.ownerDocument;
  const isOurs = !(event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey);
  if (!isOurs || document.querySelector("dialog[open]")) {
    return;
  }
  const action = actionFor(event);
  if (action?.(document, event.key)) {
    event.preventDefault();
  }
}

/** @param {KeyboardEvent} event @returns {((document: Document, key: string) => boolean) | undefined} */
function actionFor(event) {
  const field = event.target.closest(FIELD);
  if (event.key === "Escape") {
    return field ? () => leave(field) : goBack;
  }
  return field || !areKeysOn() || !Object.hasOwn(CHARACTER_KEYS, event.key) ? undefined : CHARACTER_KEYS[event.key];
}

/** @param {Document} document @returns {boolean} */
function focusSearch(document) {
  const field = document.querySelector("input[name=q]");
  field?.focus();
  field?.select();
  return field !== null;
}

/**
 * Focus the next or previous result, or mark where there are no results; stop at the first and the last.
 * @param {Document} document
 * @param {1 | -1} step
 * @returns {boolean}
 */
function move(document, step) {
  const results = Array.from(document.querySelectorAll(RESULT));
  const stops = results.length > 0 ? results : Array.from(document.querySelectorAll(MARK));
  const current = stops.findLastIndex((stop) => stop.contains(document.activeElement));
  const next = stops[Math.min(Math.max(current + step, 0), stops.length - 1)];
  if (next === undefined) {
    return false;
  }
  focusOn(next.querySelector("[data-open]") ?? next);
  next.scrollIntoView({ block: "nearest" });
  return true;
}

/** @param {HTMLElement} element */
function focusOn(element) {
  if (element.tabIndex < 0) {
    element.tabIndex = -1;
  }
  element.focus();
}

/**
 * The button that cites what is selected; it is hidden while nothing is.
 * @param {Document} document
 * @returns {boolean}
 */
function focusCiting(document) {
  const button = document.querySelector("#cite:not([hidden]) button");
  button?.focus();
  return button !== null;
}

/**
 * A link that names its own key: to the next or previous page of an original, closer or less close.
 * @param {Document} document
 * @param {string} key
 * @returns {boolean}
 */
function follow(document, key) {
  const link = document.querySelector(`a[data-key="${key}"]`);
  link?.click();
  return link !== null;
}

/** @param {Document} document @returns {boolean} */
function showHelp(document) {
  const dialog = document.querySelector("dialog#keys");
  dialog?.showModal();
  return dialog !== null;
}

/** @param {HTMLElement} field @returns {boolean} */
function leave(field) {
  field.blur();
  return true;
}

/** @param {Document} document @returns {boolean} */
function goBack(document) {
  const link = document.querySelector("a[data-back]");
  link?.click();
  return link !== null;
}

/** @param {Event} event */
function onChange(event) {
  if (event.target.matches(SWITCH)) {
    localStorage.setItem(SETTING, event.target.checked ? "on" : "off");
  }
}

/** @param {MouseEvent} event */
function onClick(event) {
  if (event.target.closest("[data-keys-open]")) {
    showHelp(event.target.ownerDocument);
  }
}

/** @returns {boolean} */
function areKeysOn() {
  try {
    return localStorage.getItem(SETTING) !== "off";
  } catch {
    // Storage is blocked for this page: the browser's default holds.
    return true;
  }
}
