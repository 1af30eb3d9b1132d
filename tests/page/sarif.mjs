// Validates a report against the SARIF 2.1.0 schema as published by OASIS, which a package of npm carries.
// usage: node sarif.mjs REPORT. Exit code 77: the schema or the validator is not installed (./dev page-test installs both).
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
let Ajv, schema;
try {
  Ajv = require("ajv");
  schema = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
} catch {
  console.log("ajv or the schema is not installed");
  process.exit(77);
}
const ajv = new Ajv({ allErrors: true, schemaId: "auto", meta: false, unknownFormats: "ignore" });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json"));
const validate = ajv.compile(schema);
const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
// A validator that accepts anything proves nothing.
if (validate({ version: "2.1.0" }) || validate({ ...report, version: "1.0.0" })) {
  console.log("the schema accepts what it must not");
  process.exit(1);
}
if (!validate(report)) {
  for (const error of validate.errors) console.log(`${error.dataPath}: ${error.message}`);
  process.exit(1);
}
