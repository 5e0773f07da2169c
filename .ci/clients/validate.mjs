// The Khronos validator on every file given: no error and no warning may remain; infos and hints are counted.
//
//   node validate.mjs FILE.glb|FILE.gltf ...
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import validator from 'gltf-validator';

const SEVERITIES = ['error', 'warning', 'info', 'hint'];

// Messages by severity and code.
function groups(messages) {
  const found = new Map();
  for (const message of messages) {
    const kind = `${SEVERITIES[message.severity]} ${message.code}`;
    found.set(kind, [...(found.get(kind) ?? []), message]);
  }
  return found;
}

async function check(path) {
  const report = await validator.validateBytes(new Uint8Array(await readFile(path)), {
    uri: basename(path),
    maxIssues: 10000,
    externalResourceFunction: async (uri) =>
      new Uint8Array(await readFile(join(dirname(path), decodeURIComponent(uri)))),
  });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`);
  for (const [kind, places] of groups(messages)) {
    const { message, pointer } = places[0];
    console.log(`  ${kind} x${places.length}: ${message} (${pointer})`);
  }
  return numErrors + numWarnings === 0;
}

let clean = process.argv.length > 2;
for (const path of process.argv.slice(2)) clean = (await check(path)) && clean;
process.exit(clean ? 0 : 1);
