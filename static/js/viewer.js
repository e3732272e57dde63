/**
 * The reading page: runs the check on the marked place and tells its outcome, once, in the server's own words.
 *
 * The server's marks stand from the start, styled as not yet checked. They become `checked` only after the whole check;
 * they go when it fails, and when anything changes the text afterwards (an extension, a translation, a script).
 */

import { check, marksCover } from "fundstelle/check";

const CITED = "mark.cited";
const MARKING = "mark, .found";

/** Outcome -> the data attribute of #check (as in `dataset`) that holds its sentence. */
const SENTENCES = {
  checked: "checked",
  "checked-without-hash": "noHash",
  "refused-text": "refusedText",
  "refused-hash": "refusedHash",
  changed: "changed",
};

/**
 * Check the page's marked place, if it has one, and watch its text from then on.
 * @param {Document} document
 * @returns {() => void} stops watching
 */
export function startViewer(document) {
  const root = document.getElementById("text");
  const status = document.getElementById("check");
  const anchor = root && readAnchor(root);
  if (!root || !status || !anchor) {
    return () => {};
  }
  const observer = new MutationObserver(() => {
    observer.disconnect();
    withdraw(root, status, "changed", SENTENCES.changed);
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  check(root, anchor).then((finding) => {
    if (status.dataset.state !== "changed") {
      conclude(root, status, finding, observer);
    }
  });
  const listening = new AbortController();
  const stop = () => {
    observer.disconnect();
    listening.abort();
  };
  const mark = root.querySelector(CITED);
  mark?.setAttribute("aria-describedby", status.id);
  if ("stay" in root.dataset) {
    return stop; // what stands above the text is to be read first
  }
  arriveAt(mark);
  // While the page loads, the browser itself goes to the address's #p-NUMBER, and takes the focus away from the mark.
  document.defaultView.addEventListener("load", () => returnTo(mark), { once: true, signal: listening.signal });
  return stop;
}

/** @param {HTMLElement} root @returns {import("fundstelle/check").Anchor | null} */
function readAnchor(root) {
  const source = root.ownerDocument.getElementById(root.dataset.anchor ?? "");
  return source && JSON.parse(source.textContent);
}

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} status
 * @param {import("fundstelle/check").Finding} finding
 * @param {MutationObserver} observer
 */
function conclude(root, status, { state, reason, range }, observer) {
  const marks = root.querySelectorAll(CITED);
  if (range === null || !marksCover(range, marks)) {
    observer.disconnect();
    withdraw(root, status, "refused", SENTENCES[`refused-${reason || "text"}`]);
    return;
  }
  if (state === "checked") {
    marks.forEach((mark) => mark.classList.add("checked"));
  }
  tell(status, state, SENTENCES[state]);
}

/**
 * Take all marking away, leaving the text as it is, and say why. Focus that stood on a mark goes to the explanation.
 * @param {HTMLElement} root
 * @param {HTMLElement} status
 * @param {string} state
 * @param {string} sentence
 */
function withdraw(root, status, state, sentence) {
  const hadFocus = root.querySelector(`:is(${MARKING}):focus`) !== null;
  root.querySelectorAll(MARKING).forEach((mark) => mark.replaceWith(...mark.childNodes));
  tell(status, state, sentence);
  if (hadFocus) {
    focusQuietly(status);
  }
}

/** @param {HTMLElement} status @param {string} state @param {string} sentence */
function tell(status, state, sentence) {
  status.dataset.state = state;
  status.textContent = status.dataset[sentence] ?? "";
}

/**
 * Bring the first mark to the middle of the window, without motion, and put the focus on it.
 * @param {HTMLElement | null} mark
 */
function arriveAt(mark) {
  if (mark === null) {
    return;
  }
  mark.scrollIntoView({ block: "center", behavior: "instant" });
  focusQuietly(mark);
}

/**
 * Back to the mark, unless it was withdrawn or the person has gone elsewhere meanwhile.
 * @param {HTMLElement | null} mark
 */
function returnTo(mark) {
  if (mark?.isConnected && mark.ownerDocument.activeElement === mark.ownerDocument.body) {
    focusQuietly(mark);
  }
}

/** @param {HTMLElement} element */
function focusQuietly(element) {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
