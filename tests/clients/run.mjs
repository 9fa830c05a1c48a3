// Real clients of both protocol eras against the real binary: node run.mjs [PATH_TO_BINARY [toolset…]]
//
// Each client lists every tool and calls every tool on a fresh project; every structured answer must match the tool's
// own output schema. Prints `N passed, N failed`; exits 1 where anything failed.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { lint } from './lint.mjs';
import * as story from './story.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const binary = resolve(process.argv[2] ?? process.env.DECIDUOUS_BIN ?? join(here, '../../target/release/deciduous'));
if (!existsSync(binary)) {
  console.error(`usage: node run.mjs PATH_TO_BINARY; there is none at ${binary}, \`cargo xtask build\` makes it`);
  process.exit(2);
}

let passed = 0;
let failed = 0;
function check(name, faults) {
  const list = [].concat(faults ?? []).filter(Boolean);
  if (list.length === 0) passed += 1;
  else {
    failed += 1;
    console.log(`FAILED ${name}\n  ${list.join('\n  ')}`);
  }
}

const self = { name: 'clients-test', version: '1.0.0' };
const clients = {
  'sdk 1.x': { make: () => new OldClient(self), transport: (server) => new OldTransport(server) },
  'client 2.x, 2026-07-28': { make: () => new NewClient(self, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), transport: (server) => new NewTransport(server), version: '2026-07-28' },
  'client 2.x, auto': { make: () => new NewClient(self, { versionNegotiation: { mode: 'auto' } }), transport: (server) => new NewTransport(server), version: '2026-07-28' },
  'client 2.x, older era': { make: () => new NewClient(self), transport: (server) => new NewTransport(server), version: '2025-11-25' },
};

// A project as a team has it: a git repository with a commit and a file.
function project() {
  const folder = mkdtempSync(join(tmpdir(), 'deciduous-clients-'));
  const git = (...words) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { cwd: folder, stdio: 'ignore' });
  writeFileSync(join(folder, 'notes.md'), '# Measurements\n3 ms\n');
  git('init', '-b', 'main');
  git('add', '.');
  git('commit', '-m', 'begin');
  execFileSync(binary, ['init'], { cwd: folder, stdio: 'ignore' });
  return folder;
}

async function drive(label, kind, toolset) {
  const name = `${label}, ${toolset}`;
  const cwd = project();
  const client = kind.make();
  try {
    await client.connect(kind.transport({ command: binary, args: ['mcp', '--toolset', toolset], cwd, stderr: 'inherit' }));
    if (kind.version) check(`${name}: version`, client.getNegotiatedProtocolVersion() !== kind.version && `it is ${client.getNegotiatedProtocolVersion()}`);
    const { tools } = await client.listTools();
    check(`${name}: tools/list`, lint(tools, client.getInstructions(), toolset === 'local'));
    check(`${name}: server`, client.getServerVersion()?.name !== 'deciduous' && `it is ${JSON.stringify(client.getServerVersion())}`);

    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default ? formats.default(ajv) : formats(ajv);
    const schemas = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));
    const answers = {};
    const steps = toolset === 'local' ? story.local : [...story.local, ...(story[toolset] ?? [])];
    for (const [tool, given] of steps) {
      if (!schemas.has(tool)) {
        check(`${name}: ${tool}`, 'it is not in the list');
        continue;
      }
      const args = typeof given === 'function' ? given(answers) : given;
      check(`${name}: ${tool}`, await called(client, tool, args, schemas.get(tool), answers));
    }
    const untold = tools.map((tool) => tool.name).filter((tool) => !steps.some(([told]) => told === tool));
    check(`${name}: the story calls every tool`, untold.map((tool) => `\`${tool}\` is not called: add it to story.mjs`));

    const refusal = await client.callTool({ name: 'show_node', arguments: { node_id: 4040 } });
    check(`${name}: a refusal`, [
      refusal.isError !== true && 'it is no error',
      refusal.structuredContent !== undefined && 'it has structured content',
      !/^Refused: .+ Next: .+/s.test(refusal.content?.[0]?.text ?? '') && `its lead is ${refusal.content?.[0]?.text}`,
    ]);
    const unknown = await client.callTool({ name: 'no_such_tool', arguments: {} }).then(() => 'it is answered', (error) => (error.code === -32602 ? null : `its code is ${error.code}`));
    check(`${name}: an unknown tool`, unknown);
  } catch (error) {
    check(name, error.stack ?? String(error));
  } finally {
    await client.close().catch(() => {});
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function called(client, tool, args, validate, answers) {
  try {
    const result = await client.callTool({ name: tool, arguments: args });
    if (result.isError) return `refused: ${result.content?.map((block) => block.text).join(' ')}`;
    const [lead, json, ...more] = result.content;
    answers[tool] = result.structuredContent;
    return [
      !validate(result.structuredContent) && validate.errors.map((error) => `${error.instancePath || '/'} ${error.message}`).join('; '),
      !lead?.text?.trim() && 'it has no lead',
      more.length > 0 && 'it has more than two blocks',
      !isDeepStrictEqual(JSON.parse(json.text), result.structuredContent) && 'text and structured content differ',
    ];
  } catch (error) {
    return String(error);
  }
}

const toolsets = process.argv.length > 3 ? process.argv.slice(3) : ['local', 'all'];
for (const [label, kind] of Object.entries(clients)) {
  for (const toolset of toolsets) await drive(label, kind, toolset);
}

// The Python SDK where it is installed (`pip install mcp`); it is not fetched here.
const python = spawnSync('python3', [join(here, 'client.py'), binary], { encoding: 'utf8' });
if (python.status === 77) console.log('skipped: the Python SDK is not installed (pip install mcp)');
else check('python mcp', python.status !== 0 && (python.stdout + python.stderr || String(python.error)));

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
