import type { ServiceProgram } from "./service-manager.ts";

/** A launchd agent: started at login, and again when it ended with a failure. Its log is the daemon's own file. */
export function launchdAgent(label: string, { executable, environment }: ServiceProgram): string {
  const variables = Object.entries({ ...environment, CCM_SERVICE: "1" });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    `  <key>Label</key><string>${xmlText(label)}</string>`,
    "  <key>ProgramArguments</key>",
    `  <array><string>${xmlText(executable)}</string><string>daemon</string></array>`,
    "  <key>EnvironmentVariables</key>",
    `  <dict>${variables.map(([name, value]) => `<key>${name}</key><string>${xmlText(value)}</string>`).join("")}</dict>`,
    "  <key>RunAtLoad</key><true/>",
    "  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
    "  <key>ProcessType</key><string>Background</string>",
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
