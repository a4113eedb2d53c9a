import os from "node:os";
import path from "node:path";

export function homeDirectory(env: NodeJS.ProcessEnv): string {
  return env.HOME && path.isAbsolute(env.HOME) ? env.HOME : os.homedir();
}

export function userName(env: NodeJS.ProcessEnv): string {
  try {
    return os.userInfo().username;
  } catch {
    // An account without a passwd entry, as in some containers.
    return env.USER || env.LOGNAME || "root";
  }
}
