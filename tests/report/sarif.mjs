// SPDX-License-Identifier: Apache-2.0
// sarif.mjs FILE...: each must be valid by the OASIS schema of SARIF 2.1.0, which the npm package @microsoft/jest-sarif carries.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const need = createRequire(join(process.cwd(), "package.json"));
const Ajv = need("ajv");
const schema = need("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const ajv = new Ajv({ schemaId: "auto", allErrors: true, unknownFormats: "ignore" });
for (const meta of ["draft-04", "draft-06"]) if (String(schema.$schema).includes(meta)) ajv.addMetaSchema(need(`ajv/lib/refs/json-schema-${meta}.json`));
const valid = ajv.compile(schema);
let failed = 0;
for (const file of process.argv.slice(2)) {
  if (valid(JSON.parse(readFileSync(file, "utf8")))) continue;
  failed++;
  for (const e of valid.errors) console.log(`${file}${e.dataPath}: ${e.message} ${JSON.stringify(e.params)}`);
}
console.log(`${process.argv.length - 2 - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
