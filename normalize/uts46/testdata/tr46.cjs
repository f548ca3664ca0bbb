// Reads JSON strings, a line each, and answers each with tr46's toASCII, or null.
const { toASCII } = require("tr46");
const lines = require("fs").readFileSync(0, "utf8").split("\n");
lines.pop();
const out = lines.map((line) => JSON.stringify(
  toASCII(JSON.parse(line), { checkBidi: true, checkJoiners: true })));
process.stdout.write(out.join("\n") + "\n");
