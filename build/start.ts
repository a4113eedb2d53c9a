/**
 * What the runtime starts in the executable. Node can carry a compiled form of this file, but one that has none of the functions in it, since
 * it was never run; those of the bundle that this opens are there.
 */
import { openBundle } from "./open-bundle.ts";

openBundle("main", process.argv[2]);
