/**
 * Citing what is selected: a bar that says what is chosen and sends it to the server, which checks everything again.
 *
 * The selection is watched, not the mouse: on a phone there is none. What was chosen stays when a touch ends the
 * selection, as touching the bar does; then the person dismisses it or selects something else.
 */

import { countCodePoints } from "fundstelle/codepoints";
import { chosenIn } from "fundstelle/selection";

/** Milliseconds without a change after which a selection counts as made: handles on a phone change it many times a second. */
const SETTLED = 150;
/** UTF-16 units of words that are sent along; more is refused for its length alone, and might be too much for a form. */
const SENT = 40_000;
/** UTF-16 units of the words that are shown at each end. */
const SHOWN = 40;

/**
 * @param {Document} document
 * @returns {() => void} stops watching
 */
export function startCiting(document) {
  const root = document.getElementById("text");
  const form = document.querySelector("form#cite");
  if (root === null || form === null) {
    return () => {};
  }
  const listening = new AbortController();
  const options = { signal: listening.signal };
  const touch = document.defaultView.matchMedia("(pointer: coarse)");
  let timer = 0;
  const look = () => update(root, form, { keeps: touch.matches || form.contains(document.activeElement) });
  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(look, SETTLED);
  };
  document.addEventListener("selectionchange", settle, options);
  // A click on the bar would end the selection before the button is reached.
  form.addEventListener("mousedown", (event) => event.preventDefault(), options);
  form.querySelector("[data-cite-close]").addEventListener("click", () => dismiss(document, form), options);
  return () => {
    clearTimeout(timer);
    listening.abort();
  };
}

/**
 * @param {HTMLElement} root
 * @param {HTMLFormElement} form
 * @param {{keeps: boolean}} options - whether an ended selection leaves what was chosen
 */
function update(root, form, { keeps }) {
  const selection = root.ownerDocument.getSelection();
  const range = selection !== null && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
  const chosen = range === null ? null : chosenIn(root, range);
  if (chosen !== null) {
    show(form, chosen);
    warn(form, root, range);
  } else if (!keeps) {
    form.hidden = true;
  }
}

/** @param {HTMLFormElement} form @param {import("fundstelle/selection").Chosen} chosen */
function show(form, { start, end, words, first, last }) {
  form.elements.start.value = start;
  form.elements.end.value = end;
  form.elements.seen.value = words.length <= SENT ? words : "";
  write(form, "words", shortened(words));
  write(form, "length", String(countCodePoints(words)));
  write(form, "passages", first === last ? String(first) : `${first}–${last}`);
  form.hidden = false;
}

/**
 * Say what is to be known of the words before they are cited. The server says it again, or refuses.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} root
 * @param {Range} range
 */
function warn(form, root, range) {
  for (const trait of ["unseen", "garbled"]) {
    const touched = Array.from(root.querySelectorAll(`.trait-${trait}`)).some((part) => range.intersectsNode(part));
    form.querySelector(`[data-cite-${trait}]`).hidden = !touched;
  }
}

/** @param {HTMLFormElement} form @param {string} name @param {string} text */
function write(form, name, text) {
  form.querySelector(`[data-cite-${name}]`).textContent = text;
}

/**
 * Beginning and end of the words, in one line. Only for the eye: what is sent is not shortened.
 * @param {string} words
 * @returns {string}
 */
function shortened(words) {
  const line = words.replace(/\s+/gu, " ");
  const cut = `${line.slice(0, SHOWN)} … ${line.slice(-SHOWN)}`;
  return line.length <= 2 * SHOWN + 3 ? line : cut.toWellFormed().replaceAll("\ufffd", "");
}

/** @param {Document} document @param {HTMLFormElement} form */
function dismiss(document, form) {
  document.getSelection()?.removeAllRanges();
  form.hidden = true;
}
