import type { SshTarget } from "../ssh-target.ts";
import type { ConnectOptions, SshConnection } from "../transport.ts";

export declare function connect(target: SshTarget, options: ConnectOptions): Promise<SshConnection>;
