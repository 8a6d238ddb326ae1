import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const RULE = fileURLToPath(new URL('spread.grit', import.meta.url))
const BIOME = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url))

const REFUSED = [
  'Math.min(...list)',
  'Math.max(0, ...list.map(Number))',
  'other.list.push(...list)',
  'other.list.splice(0, 1, ...list)',
  'String.fromCharCode(...list)',
]
const ACCEPTED = ['list.push(...FEW)', 'list.push([...other])', 'statement.run(...columns)']

type Report = { diagnostics: { location: { start: { line: number } } }[] }

describe('The lint rule of spread lists', () => {
  it('refuses lists of any length, and accepts constants', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleetgate-lint-'))
    try {
      writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [RULE] }))
      writeFileSync(join(folder, 'calls.js'), [...REFUSED, ...ACCEPTED, ''].join('\n'))
      const { stdout } = spawnSync(BIOME, ['lint', '--reporter=json', '.'], {
        cwd: folder,
        encoding: 'utf8',
      })
      const { diagnostics } = JSON.parse(stdout) as Report
      const lines = diagnostics.map(({ location }) => location.start.line).sort()
      assert.deepEqual(
        lines,
        REFUSED.map((_, index) => index + 1),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
