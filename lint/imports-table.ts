/**
 * Writes the table of imports of CONTRIBUTING.md from `packages/server/testing/architecture.ts`, which the test of
 * the imports also reads. With `--check`, `npm run lint` compares them, and exits with code 1 if they differ.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WINGS } from '../packages/server/testing/architecture.ts'

const FILE = join(import.meta.dirname, '../CONTRIBUTING.md')
/** The rows of the table between its first folder and the line after its last file. */
const TABLE = /(?<=\| folder \| what it holds \|\n)(?:\|.*\n)+/

const rows = WINGS.flatMap(({ name, holds, parts }) => [
  [`**${code(name)}**`, holds],
  ...Object.entries(parts).map(([part, what]) => [code(part), what]),
])
const table = `|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |\n`).join('')}`
const text = readFileSync(FILE, 'utf8')
if (!TABLE.test(text)) throw new Error('CONTRIBUTING.md has no table of imports')
const current = text.replace(TABLE, () => table)

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, current)
} else if (text !== current) {
  process.stderr.write(
    'The table of imports in CONTRIBUTING.md is not that of packages/server/testing/architecture.ts: run "node lint/imports-table.ts" and commit the result.\n',
  )
  process.exitCode = 1
}

function code(name: string): string {
  return `\`${name}\``
}
