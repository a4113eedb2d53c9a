/** Node's names for what makes a runtime a single executable, from its documentation. */
export const SEA_RESOURCE = "NODE_SEA_BLOB";
/** Of the Mach-O segment that holds the resource. */
export const SEA_SEGMENT = "NODE_SEA";
/** What marks the place in the runtime that says whether something was injected: `:0` or `:1` follows it. */
export const SEA_FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
