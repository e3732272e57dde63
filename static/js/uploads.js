/**
 * Uploading: each file in a request of its own, a few at once, with its progress, to be cancelled or sent again.
 *
 * Without this the form sends its files together. What the server refuses comes as its own fragment; what it keeps stands in
 * the list, which htmx fetches anew on `fundstelle:uploaded`. A file that is done is done, whatever becomes of the others.
 */

const FORM = "form[data-upload]";
const PARALLEL = 3;
const UPLOADED = "fundstelle:uploaded";

/**
 * @typedef {{ form: HTMLFormElement, list: HTMLElement, row: HTMLTemplateElement, status: HTMLElement,
 *   waiting: Task[], running: Set<Task>, refused: boolean }} Desk
 * @typedef {{ file: File, row: HTMLElement, request: XMLHttpRequest | null }} Task
 */

/**
 * @param {Document} document
 * @returns {() => void} stops listening, and what is being sent
 */
export function startUploads(document) {
  const form = document.querySelector(FORM);
  if (form === null) {
    return () => {};
  }
  const desk = deskOf(document, form);
  const listening = new AbortController();
  const options = { signal: listening.signal };
  form.addEventListener("submit", (event) => event.preventDefault(), options);
  form.elements.file.addEventListener("change", () => takeChosen(desk), options);
  document.addEventListener("dragover", (event) => onDragOver(event, form), options);
  document.addEventListener("dragleave", (event) => onDragLeave(event, form), options);
  document.addEventListener("drop", (event) => onDrop(event, desk), options);
  desk.list.addEventListener("click", onListClick, options);
  document.defaultView.addEventListener("beforeunload", (event) => isBusy(desk) && event.preventDefault(), options);
  form.querySelector("[data-upload-send]").hidden = true;
  form.dataset.upload = "ready";
  return () => {
    listening.abort();
    desk.waiting.length = 0;
    desk.running.forEach((task) => task.request?.abort());
  };
}

/** @param {Document} document @param {HTMLFormElement} form @returns {Desk} */
function deskOf(document, form) {
  return {
    form,
    list: document.querySelector("[data-upload-list]"),
    row: document.querySelector("template[data-upload-row]"),
    status: form.querySelector("[data-upload-status]"),
    waiting: [],
    running: new Set(),
    refused: false,
  };
}

/** @param {Desk} desk */
function takeChosen(desk) {
  const field = desk.form.elements.file;
  take(desk, Array.from(field.files));
  field.value = "";
}

/** @param {DragEvent} event @param {HTMLElement} form */
function onDragOver(event, form) {
  if (bringsFiles(event)) {
    event.preventDefault();
    form.classList.add("drop-over");
  }
}

/** @param {DragEvent} event @param {HTMLElement} form */
function onDragLeave(event, form) {
  if (event.relatedTarget === null) {
    form.classList.remove("drop-over");
  }
}

/** @param {DragEvent} event @param {Desk} desk */
function onDrop(event, desk) {
  if (!bringsFiles(event)) {
    return;
  }
  event.preventDefault();
  desk.form.classList.remove("drop-over");
  const items = Array.from(event.dataTransfer.items).filter((item) => item.kind === "file");
  const folders = items.map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry?.isDirectory);
  const names = new Set(folders.map((folder) => folder.name));
  folders.forEach((folder) => stop(rowFor(desk, folder.name), "folder"));
  take(desk, Array.from(event.dataTransfer.files).filter((file) => !names.has(file.name)));
}

/** @param {DragEvent} event @returns {boolean} */
function bringsFiles(event) {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** @param {Desk} desk @param {File[]} files */
function take(desk, files) {
  if (files.length > 0 && !isBusy(desk)) {
    desk.refused = false;
    tell(desk, "begun");
  }
  files.forEach((file) => enqueue(desk, { file, row: rowFor(desk, file.name), request: null }));
  sendNext(desk);
}

/** @param {Desk} desk @param {Task} task */
function enqueue(desk, task) {
  say(task.row, "waiting");
  part(task.row, "cancel").onclick = () => cancel(desk, task);
  part(task.row, "retry").onclick = () => retry(desk, task);
  desk.waiting.push(task);
}

/** @param {Desk} desk */
function sendNext(desk) {
  while (desk.running.size < PARALLEL && desk.waiting.length > 0) {
    send(desk, desk.waiting.shift());
  }
}

/** @param {Desk} desk @param {Task} task */
function send(desk, task) {
  const request = new XMLHttpRequest();
  const progress = part(task.row, "progress");
  task.request = request;
  desk.running.add(task);
  say(task.row, null);
  request.upload.onprogress = ({ loaded, total }) => (progress.value = total > 0 ? loaded / total : 0);
  request.upload.onload = () => startReading(task.row);
  request.onload = () => settle(desk, task, () => conclude(desk, task));
  request.onerror = () => settle(desk, task, () => fail(desk, task, "lost"));
  request.onabort = () => settle(desk, task, () => task.row.remove());
  request.open("POST", desk.form.action);
  request.setRequestHeader("HX-Request", "true");
  request.send(bodyOf(desk.form, task.file));
}

/** @param {HTMLFormElement} form @param {File} file @returns {FormData} */
function bodyOf(form, file) {
  const body = new FormData(form);
  body.delete("file");
  body.append("file", file, file.name);
  return body;
}

/** All bytes have arrived: cancelling would come too late, and how long reading takes is not known. */
function startReading(row) {
  part(row, "progress").removeAttribute("value");
  part(row, "cancel").hidden = true;
  say(row, "reading");
}

/** @param {Desk} desk @param {Task} task @param {() => void} end */
function settle(desk, task, end) {
  desk.running.delete(task);
  end();
  sendNext(desk);
  if (!isBusy(desk)) {
    tell(desk, desk.refused ? "endedBadly" : "ended");
  }
}

/** @param {Desk} desk @param {Task} task */
function conclude(desk, task) {
  const { status, responseText } = task.request;
  const elsewhere = task.request.getResponseHeader("HX-Redirect");
  if (elsewhere !== null) {
    desk.form.ownerDocument.location.assign(elsewhere);
  } else if (status === 200) {
    task.row.remove();
    desk.form.dispatchEvent(new CustomEvent(UPLOADED, { bubbles: true }));
  } else if (status === 400) {
    desk.refused = true;
    task.row.insertAdjacentHTML("afterend", responseText);
    task.row.remove();
  } else {
    fail(desk, task, "broken");
  }
}

/** @param {Desk} desk @param {Task} task @param {string} reason */
function fail(desk, task, reason) {
  desk.refused = true;
  stop(task.row, reason);
  part(task.row, "retry").hidden = false;
}

/** @param {HTMLElement} row @param {string} reason */
function stop(row, reason) {
  row.classList.add("sending-refused");
  say(row, reason);
  part(row, "progress").hidden = true;
  const cancelling = part(row, "cancel");
  cancelling.hidden = false;
  cancelling.onclick ??= () => row.remove();
}

/** @param {Desk} desk @param {Task} task */
function retry(desk, task) {
  task.row.remove();
  take(desk, [task.file]);
}

/** @param {Desk} desk @param {Task} task */
function cancel(desk, task) {
  const place = desk.waiting.indexOf(task);
  if (desk.running.has(task)) {
    task.request.abort();
    return;
  }
  if (place >= 0) {
    desk.waiting.splice(place, 1);
  }
  task.row.remove();
}

/** @param {Desk} desk @param {string} name @returns {HTMLElement} the row that shows this file */
function rowFor(desk, name) {
  const row = desk.row.content.firstElementChild.cloneNode(true);
  part(row, "name").textContent = name;
  part(row, "progress").setAttribute("aria-label", name);
  desk.list.append(row);
  return row;
}

/** @param {HTMLElement} row @param {string} name @returns {HTMLElement} */
function part(row, name) {
  return row.querySelector(`[data-upload-${name}]`);
}

/** @param {HTMLElement} row @param {string | null} what the data attribute that holds the words, or none */
function say(row, what) {
  const state = part(row, "state");
  state.textContent = what === null ? "" : state.dataset[what];
}

/** Told once for all files, not for each step of each: that would drown everything else.
 * @param {Desk} desk @param {"begun" | "ended" | "endedBadly"} what */
function tell(desk, what) {
  desk.status.textContent = desk.status.dataset[what];
}

/** @param {Desk} desk @returns {boolean} */
function isBusy(desk) {
  return desk.running.size > 0 || desk.waiting.length > 0;
}

/** @param {MouseEvent} event */
function onListClick(event) {
  event.target.closest("[data-upload-dismiss]")?.closest("li").remove();
}
