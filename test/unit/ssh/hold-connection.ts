import { resolveTarget } from "../../../src/ssh/ssh-target.ts";
import { connect } from "../../../src/ssh/system-ssh/connect.ts";

/** Connects to the host that is named, says so, and holds the connection until somebody ends this process. */
await connect(await resolveTarget(process.argv[2] ?? ""), {});
process.stdout.write("connected\n");
setInterval(() => {}, 1_000);
