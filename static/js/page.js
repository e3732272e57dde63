/** What every page starts. The modules behind it start nothing by themselves. */

import { startCopying } from "fundstelle/copy";
import { startKeys } from "fundstelle/keys";
import { startUpgrades } from "fundstelle/upgrade";
import { startViewer } from "fundstelle/viewer";

startUpgrades(document);
startKeys(document);
startCopying(document);
startViewer(document);
