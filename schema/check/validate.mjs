// Validates canonical JSON Lines with ajv, which shares no code with sesh.
//
//   node validate.mjs SCHEMA FILE...
//
// Prints one JSON object for each record: {"file", "line", "valid", "errors"}. Exits with 0 whatever they are: the
// caller knows which ones must not be valid.
import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";

const [schemaFile, ...files] = process.argv.slice(2);
const validate = new Ajv2020({ strict: true, strictRequired: false, allErrors: true }).compile(
  JSON.parse(readFileSync(schemaFile, "utf8")),
);
for (const file of files) {
  readFileSync(file, "utf8")
    .split("\n")
    .forEach((text, index) => {
      if (text === "") return;
      const valid = validate(JSON.parse(text));
      console.log(JSON.stringify({ file, line: index + 1, valid, errors: validate.errors ?? [] }));
    });
}
