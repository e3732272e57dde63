/**
 * Small upgrades of pages that work without JavaScript: what needs it appears, and choices apply at once.
 *
 * `<button hidden data-needs-js>` is shown; a change inside `<form data-submit-on-change>` submits the form, whose own
 * button stands in `<noscript>`. Content that htmx brings later is treated like the page itself.
 */

/**
 * @param {Document} document
 * @returns {() => void} stops listening
 */
export function startUpgrades(document) {
  const listening = new AbortController();
  const options = { signal: listening.signal };
  reveal(document);
  document.addEventListener("htmx:load", (event) => reveal(event.target), options);
  document.addEventListener("change", submitForm, options);
  return () => listening.abort();
}

/** @param {ParentNode} part */
function reveal(part) {
  const found = Array.from(part.querySelectorAll("[data-needs-js]"));
  const all = part instanceof Element && part.matches("[data-needs-js]") ? [part, ...found] : found;
  all.forEach((element) => (element.hidden = false));
}

/** @param {Event} event */
function submitForm(event) {
  event.target.closest("form[data-submit-on-change]")?.requestSubmit();
}
