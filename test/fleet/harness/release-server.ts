/** `release-server.ts DIRECTORY KEY CERTIFICATE`: serves a directory over https on port 8443 until its standard input ends. */
import fs from "node:fs";
import https from "node:https";
import path from "node:path";

const [directory = "", key = "", certificate = ""] = process.argv.slice(2);
const server = https.createServer({ key: fs.readFileSync(key), cert: fs.readFileSync(certificate) }, (request, response) => {
  const file = path.join(directory, path.normalize(`/${request.url}`));
  if (!fs.existsSync(file) || !fs.statSync(file).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-length": fs.statSync(file).size });
  fs.createReadStream(file).pipe(response);
});
server.listen(8443, () => console.log("ready"));
process.stdin.on("end", () => process.exit()).resume();
