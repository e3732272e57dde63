/** What every page starts. The modules behind it start nothing by themselves. */

import { startAsking } from "fundstelle/asking";
import { startCiting } from "fundstelle/cite";
import { startCopying } from "fundstelle/copy";
import { startKeys } from "fundstelle/keys";
import { startSheet } from "fundstelle/sheet";
import { refuseStorage } from "fundstelle/storage";
import { startUpgrades } from "fundstelle/upgrade";
import { startUploads } from "fundstelle/uploads";
import { startViewer } from "fundstelle/viewer";

refuseStorage("htmx"); // before htmx runs: its script stands behind this one
startUpgrades(document);
startKeys(document);
startCopying(document);
startViewer(document);
startSheet(document);
startCiting(document);
startUploads(document);
startAsking(document);
