/**
 * The page's picture beside the text: it begins at what is marked on it, comes into view when it was turned to from
 * afar, and says so when there is no picture.
 *
 * Everything else is links: they work without a script, and htmx puts what they lead to in place.
 */

const SHEET = "sheet";

/**
 * @param {Document} document
 * @returns {() => void} stops listening
 */
export function startSheet(document) {
  const listening = new AbortController();
  const options = { signal: listening.signal };
  // Neither event bubbles: they are caught on their way down.
  document.addEventListener("error", onError, { ...options, capture: true });
  document.addEventListener("toggle", (event) => event.target.id === SHEET && beginAtMark(event.target), {
    ...options,
    capture: true,
  });
  document.addEventListener("htmx:load", (event) => event.target.id === SHEET && arrive(event.target), options);
  const sheet = document.getElementById(SHEET);
  if (sheet !== null) {
    beginAtMark(sheet);
    // What failed while the page was loading has told nobody.
    Array.from(sheet.querySelectorAll("img")).filter(isBroken).forEach(tellOfNone);
  }
  return () => listening.abort();
}

/** @param {HTMLElement} sheet */
function arrive(sheet) {
  beginAtMark(sheet);
  const { top, bottom } = sheet.getBoundingClientRect();
  if (bottom < 0 || top > sheet.ownerDocument.documentElement.clientHeight) {
    sheet.scrollIntoView({ behavior: "instant" });
  }
}

/**
 * Scroll the pictures, and nothing around them, so that the first marked line is a third from the top.
 * @param {HTMLElement} sheet
 */
function beginAtMark(sheet) {
  const pages = sheet.querySelector(".sheet-pages");
  const mark = sheet.querySelector(".sheet-marks rect");
  if (pages === null || mark === null) {
    return;
  }
  const window = pages.getBoundingClientRect();
  const place = mark.getBoundingClientRect();
  pages.scrollTop += place.top - window.top - window.height / 3;
  const margin = 16;
  pages.scrollLeft += Math.min(place.left - margin - window.left, place.right - window.left - window.width / 2);
}

/** @param {Event} event */
function onError(event) {
  if (event.target instanceof HTMLImageElement && event.target.closest(".sheet-paper")) {
    tellOfNone(event.target);
  }
}

/** @param {HTMLImageElement} image @returns {boolean} */
function isBroken(image) {
  return image.complete && image.naturalWidth === 0;
}

/**
 * A sentence instead of a picture and its marks.
 * @param {HTMLImageElement} image
 */
function tellOfNone(image) {
  const paper = image.closest(".sheet-paper");
  paper.querySelectorAll("img, svg").forEach((part) => part.remove());
  paper.querySelector(".sheet-none").hidden = false;
}
