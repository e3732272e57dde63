/**
 * Copy buttons: the server's text goes to the clipboard, never the browser's selection, which doubles line feeds.
 *
 * `data-copy-text` holds the text; without it the text of the element that `data-copy-target` names (an id) is taken.
 * Where a browser gives no clipboard (plain http) that element is selected instead, for copying by hand. The outcome is
 * told in `[data-copy-status]`, in the words of the button's data-copied or data-copy-failed.
 */

const BUTTON = "[data-copy-text], [data-copy-target]";

/**
 * @param {Document} document
 * @returns {() => void} stops listening
 */
export function startCopying(document) {
  document.addEventListener("click", onClick);
  return () => document.removeEventListener("click", onClick);
}

/** @param {MouseEvent} event */
async function onClick(event) {
  const button = event.target.closest(BUTTON);
  if (button === null) {
    return;
  }
  const target = button.ownerDocument.getElementById(button.dataset.copyTarget ?? "");
  const copied = await write(button.dataset.copyText ?? target?.textContent ?? "");
  if (!copied && target !== null) {
    button.ownerDocument.getSelection()?.selectAllChildren(target);
  }
  tell(button, copied ? button.dataset.copied : button.dataset.copyFailed);
}

/** @param {string} text @returns {Promise<boolean>} whether the browser took it */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not offered in this context, or refused by the person or a policy.
    return false;
  }
}

/** @param {HTMLElement} button @param {string | undefined} sentence */
function tell(button, sentence) {
  const status = button.ownerDocument.querySelector("[data-copy-status]");
  if (status !== null) {
    status.textContent = sentence ?? "";
  }
}
