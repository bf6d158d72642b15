// Prints the Khronos validator's report on each GLB file named on the command line, as JSON lines.
'use strict';
const fs = require('fs');
const validator = require('gltf-validator');

async function main() {
  for (const path of process.argv.slice(2)) {
    const bytes = new Uint8Array(fs.readFileSync(path));
    const report = await validator.validateBytes(bytes, { maxIssues: 1000 });
    process.stdout.write(JSON.stringify({ path, issues: report.issues }) + '\n');
  }
}

main().catch((error) => {
  process.stderr.write(String(error) + '\n');
  process.exit(1);
});
