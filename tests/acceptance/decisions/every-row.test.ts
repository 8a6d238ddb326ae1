import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { REPOSITORY } from '../harness/fleetgate.ts'

const PAGE = join(REPOSITORY, '../shared/design/decisions.md')
const skip = existsSync(PAGE) ? false : `${PAGE} is not there`

/** The sections that one process with the embedded store can test. */
const SECTIONS = ['Requests', 'Answers', 'Limits']

describe('Every decision', { skip }, () => {
  if (skip !== false) return
  const tests = globSync('tests/acceptance/**/*.test.ts', { cwd: REPOSITORY })
    .map((name) => readFileSync(join(REPOSITORY, name), 'utf8'))
    .join('\n')
  const sections = readFileSync(PAGE, 'utf8').split(/^## /m)
  for (const section of sections.filter((each) => SECTIONS.includes(each.split('\n', 1)[0]!))) {
    const [title, ...lines] = section.split('\n')
    const rows = lines.filter((line) => line.startsWith('| ')).slice(1)
    assert.ok(rows.length > 0, title)
    for (const row of rows) {
      const gap = row.split(' | ', 1)[0]!.slice(2)
      it(`${title}: ${gap} has a test of the same name`, () => {
        assert.ok(tests.includes(`${title}: ${gap}`), 'there is none')
      })
    }
  }
})
