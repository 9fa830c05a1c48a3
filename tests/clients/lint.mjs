// What a list of tools must be to work in every client.

const limits = { list: 32 * 1024, instructions: 2048 };

export function lint(tools, instructions, wholeListLimit) {
  const faults = [];
  const bytes = Buffer.byteLength(JSON.stringify(tools));
  if (wholeListLimit && bytes > limits.list) faults.push(`the list takes ${bytes} bytes, ${limits.list} at most`);
  if (!instructions) faults.push('there are no instructions');
  if ([...(instructions ?? '')].length > limits.instructions) faults.push(`the instructions are longer than ${limits.instructions} characters`);
  if (new Set(tools.map((tool) => tool.name)).size !== tools.length) faults.push('a name stands twice');
  for (const tool of tools) {
    const say = (text) => faults.push(`${tool.name}: ${text}`);
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(tool.name)) say('its name is not one that every client takes');
    if (!tool.title) say('it has no title');
    if (!tool.description) say('it has no description');
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
      if (typeof tool.annotations?.[hint] !== 'boolean') say(`${hint} is missing`);
    }
    if (!tool.annotations?.title) say('its annotations have no title');
    for (const side of ['inputSchema', 'outputSchema']) {
      const schema = tool[side];
      if (schema?.type !== 'object') say(`${side} has no \`type: object\``);
      for (const word of ['oneOf', 'anyOf', 'allOf', 'not', '$ref', 'enum']) {
        if (schema?.[word] !== undefined) say(`${side} begins with ${word}`);
      }
      walk(schema, side, say);
    }
    for (const [name, property] of Object.entries(tool.inputSchema?.properties ?? {})) {
      if (!property.description) say(`\`${name}\` has no description`);
    }
    for (const name of tool.inputSchema?.required ?? []) {
      if (!tool.inputSchema.properties?.[name]) say(`\`${name}\` is required and not declared`);
    }
  }
  return faults;
}

function walk(schema, at, say) {
  if (typeof schema === 'boolean') return say(`${at} is a boolean schema`);
  if (schema === null || typeof schema !== 'object') return say(`${at} is no schema`);
  if (schema.type === 'null' || (Array.isArray(schema.type) && schema.type.includes('null'))) say(`${at} may be null`);
  if ([].concat(schema.type ?? []).includes('array') && schema.items === undefined) say(`${at} is an array without items`);
  for (const word of ['oneOf', 'anyOf', 'allOf']) {
    (schema[word] ?? []).forEach((one, index) => walk(one, `${at}/${word}/${index}`, say));
  }
  for (const word of ['properties', '$defs', 'definitions', 'patternProperties']) {
    for (const [name, one] of Object.entries(schema[word] ?? {})) walk(one, `${at}/${word}/${name}`, say);
  }
  for (const word of ['items', 'not', 'contains', 'propertyNames']) {
    if (schema[word] !== undefined) walk(schema[word], `${at}/${word}`, say);
  }
  // `additionalProperties: false` closes an object and is understood by all; `true` says nothing and is not.
  if (schema.additionalProperties === true) say(`${at}/additionalProperties is a boolean schema`);
  else if (typeof schema.additionalProperties === 'object') walk(schema.additionalProperties, `${at}/additionalProperties`, say);
}
