/**
 * What may be kept in the browser: the person's own settings, and nothing that was asked or read.
 *
 * htmx finds out by trying whether it may use the session storage. Where it may, it keeps the page's address there, and the
 * question stands in the address. No setting of its own prevents that; being refused does.
 */

/**
 * Refuse to keep anything under names that begin like this, as a browser does that allows no storage.
 * @param {string} prefix
 * @param {typeof Storage} storage
 * @returns {() => void} allows it again
 */
export function refuseStorage(prefix, { prototype } = Storage) {
  const { setItem } = prototype;
  prototype.setItem = function (name, value) {
    if (name.startsWith(prefix)) {
      throw new DOMException(`Nothing is kept under ${name}.`, "QuotaExceededError");
    }
    setItem.call(this, name, value);
  };
  return () => {
    prototype.setItem = setItem;
  };
}
