/**
 * Says that a model is being asked while a person waits, and when nothing came back: htmx itself shows neither.
 *
 * The words stand in the form's data-asking and data-failed; without a script the form is sent and the browser shows that it waits.
 */

const FORM = "form[data-asking]";

/**
 * @param {Document} document
 * @returns {() => void} stops listening
 */
export function startAsking(document) {
  const listening = new AbortController();
  const options = { signal: listening.signal };
  document.addEventListener("htmx:beforeRequest", (event) => say(event.target, "asking"), options);
  document.addEventListener("htmx:sendError", (event) => say(event.target, "failed"), options);
  return () => listening.abort();
}

/** @param {EventTarget | null} sender @param {"asking" | "failed"} what */
function say(sender, what) {
  const form = sender instanceof Element ? sender.closest(FORM) : null;
  const status = form?.querySelector("[data-asking-status]");
  if (status) {
    status.textContent = form.dataset[what];
  }
}
